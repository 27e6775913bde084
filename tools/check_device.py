"""Type-check the device code against the Foundation's micro:bit stubs.

The package also has stubs for modules of CPython (`random`, `sys`, …), which mypy would use for
CPython's own. So only the stubs of modules that CPython lacks are unpacked, into a folder of their
own.
"""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import set_up

ROOT = Path(__file__).resolve().parents[1]
STUBS = ROOT / ".venv" / "device-stubs"
PACKAGE = "micropython-microbit-stubs-en>=0.0.1b2"
MODULES = ("microbit", "log.pyi", "machine.pyi", "micropython.pyi", "music.pyi", "radio.pyi")


def unpack(stubs: Path) -> str:
    """Install the stubs into a folder. Returns what is wrong, and what to do."""
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet", "install"]
    try:
        with tempfile.TemporaryDirectory(dir=stubs.parent) as folder:
            command = [*pip, "--no-deps", "--pre", "--target", folder, PACKAGE]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode:
                return set_up.why((done.stdout + done.stderr).splitlines())
            modules = Path(folder) / "modules"
            modules.mkdir()
            for name in MODULES:
                (Path(folder) / "stdlib" / name).rename(modules / name)
            shutil.rmtree(stubs, ignore_errors=True)  # of an earlier version, with less in it
            modules.rename(stubs)
    except OSError as error:
        return set_up.refusal(str(error)) or f"cannot unpack the micro:bit stubs ({error}); retry"
    return ""


def main() -> int:
    """Check the device code; install the stubs first, where they are missing."""
    problem = "" if all((STUBS / name).exists() for name in MODULES) else unpack(STUBS)
    if problem:
        print(f"noughts: {problem}", file=sys.stderr)
        return 1
    mypy = [sys.executable, "-m", "mypy", "--config-file", "tools/device-mypy.ini"]
    return subprocess.run(mypy, cwd=ROOT, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
