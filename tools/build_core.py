"""Compile the emulator's core, `core.wasm`, from C: the same bytes everywhere.

`make core` installs the compiler, a pinned version of Zig, from PyPI.
"""

import subprocess
import sys
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[1] / "host" / "microbit_emulator" / "core"
OPTIONS = """
    -target wasm32-freestanding -std=c11 -O3 -nostdlib
    -mbulk-memory -mnontrapping-fptoint -msign-ext
    -Wall -Wextra -Werror -Wno-parentheses -Wno-shift-op-parentheses -Wno-bitwise-op-parentheses
    -fvisibility=hidden -Wl,--no-entry -Wl,--strip-all -Wl,-z,stack-size=65536
"""


def build(to: Path, source: Path = SOURCE) -> str:
    """Compile a folder into a file. Returns what is wrong, or an empty string."""
    command = [sys.executable, "-m", "ziglang", "cc", *OPTIONS.split(), "-o", str(to), "core.c"]
    ran = subprocess.run(command, cwd=source, capture_output=True, text=True, check=False)
    if "No module named ziglang" in ran.stderr:
        return "the compiler is missing; run make core, which installs it"
    if not ran.returncode:
        to.chmod(0o644)  # the linker makes programs
    return ran.stderr if ran.returncode else ""


def main() -> int:
    problem = build(SOURCE / "core.wasm")
    if problem:
        print(f"noughts: {problem}", file=sys.stderr)
    return bool(problem)


if __name__ == "__main__":
    sys.exit(main())
