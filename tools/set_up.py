"""Set up a virtual environment, with one line per step: `set_up.py FOLDER NAME PACKAGE`.

Makes FOLDER if it is not there, and installs PACKAGE into it: `.`, or with extras `.[dev]`. NAME is
what people read. A failure is one line. This file runs before anything is installed. A Python that
is too old must be able to say so; therefore it uses only syntax of Python 3.7.
"""

import os
import re
import subprocess
import sys
from collections import deque
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
_OFFLINE = re.compile(
    r"NewConnectionError|name resolution|getaddrinfo|Network is unreachable|Connection refused|"
    r"Max retries|timed out|ProxyError",
    re.IGNORECASE,
)
_NOT_WRITABLE = re.compile(r"(Permission denied|Read-only file system)(?:: '([^'\n]*)')?")
_NO_ROOM = "there is no room on the disk; free some, and run this again"


def main() -> int:
    folder, name, package = sys.argv[1:]
    problem = make(Path(folder)) or install(Path(folder), name, package)
    if problem:
        print(f"noughts: {problem}", file=sys.stderr)
    return bool(problem)


def make(folder: Path) -> str:
    """Make the environment, unless there is one that works. Returns what is wrong."""
    if sys.version_info < (3, 10):
        version = ".".join(map(str, sys.version_info[:3]))
        return (
            f"Python {version} is too old; install Python 3.10 or later, or run "
            "make PYTHON=/path/to/python3.10"
        )
    if works(folder):
        return ""
    print(f"Making a virtual environment in {folder}", flush=True)
    command = [sys.executable, "-m", "venv", "--clear", str(folder)]
    made = subprocess.run(command, capture_output=True, text=True, check=False)
    if not made.returncode:
        return ""
    return refusal(made.stderr + made.stdout) or (
        "this Python cannot make a virtual environment; install its venv package "
        "(Debian and Ubuntu: sudo apt install python3-venv)"
    )


def works(folder: Path) -> bool:
    try:
        command = [python(folder), "-m", "pip", "--version"]
        return not subprocess.run(command, capture_output=True, check=False).returncode
    except OSError:
        return False


def python(folder: Path) -> str:
    return str(folder / ("Scripts" if sys.platform == "win32" else "bin") / "python")


def install(folder: Path, name: str, package: str) -> str:
    """Install with pip, and show the progress. Returns what is wrong."""
    pip = [python(folder), "-m", "pip", "--disable-pip-version-check", "--no-color", "install"]
    # Editable, so that changes of the emulator take effect too. Then noughts must name its version:
    # pip takes no editable package for one that is named by its folder (see hatch_build.py).
    emulator = str(ROOT / "host" / "microbit_emulator")
    command = [*pip, "--progress-bar", "off", "--editable", emulator, "--editable", package]
    env = {**os.environ, "NOUGHTS_EMULATOR": "version"}
    output = deque(["pip failed"], maxlen=200)
    text, packages, live = f"Installing {name} into {folder}", 0, sys.stdout.isatty()
    print(text, end="" if live else "\n", flush=True)
    with subprocess.Popen(
        command,
        env=env,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    ) as process:
        for line in process.stdout or ():
            output.append(line.strip())
            fetched, step = re.match(r"Collecting ([\w.-]+)", line), ""
            if fetched:
                packages += 1
                step = f"{packages} packages, {fetched[1]}"
            elif line.startswith("Installing collected packages"):
                step = f"unpacking {packages} packages"
            if live and step:
                print(f"\r\033[K{text}: {step}"[:100], end="", flush=True)
    if live:
        print(f"\r\033[K{text}", flush=True)
    return why(list(output)) if process.returncode else ""


def refusal(text: str) -> str:
    """What to do where the system refused to write. Empty if that is not what the text says."""
    if "No space left" in text:
        return _NO_ROOM
    match = _NOT_WRITABLE.search(text)
    if match:
        return (
            f"cannot write {match[2] or 'here'} ({match[1]}); make a clone of your own in a folder "
            "that is yours, and run this again there"
        )
    return ""


def why(output: list[str]) -> str:
    """What pip's output says is wrong, and what to do, as one line."""
    text = "\n".join(output)
    problem = refusal(text)
    if problem:
        return problem
    if _OFFLINE.search(text):
        return (
            "the packages cannot be fetched, for there is no connection to the internet; connect "
            "(behind a proxy, set HTTPS_PROXY) and run this again: it goes on where it stopped"
        )
    last = ([line for line in output if line.startswith("ERROR: ")] or output)[-1]
    last = last.replace("ERROR: ", "")
    return f"pip cannot install what is needed ({last}); run this again"


if __name__ == "__main__":
    sys.exit(main())
