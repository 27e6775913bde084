"""Make a virtual environment, or say in one line what is missing for it."""

import subprocess
import sys


def main() -> int:
    if sys.version_info < (3, 10):
        version = ".".join(map(str, sys.version_info[:3]))
        print(f"noughts: Python {version} is too old; install Python 3.10 or later, or run "
              "make PYTHON=/path/to/python3.10", file=sys.stderr)  # fmt: skip
        return 1
    made = subprocess.run([sys.executable, "-m", "venv", sys.argv[1]], capture_output=True)
    if made.returncode:
        print("noughts: this Python cannot make a virtual environment; install its venv package "
              "(Debian and Ubuntu: sudo apt install python3-venv)", file=sys.stderr)  # fmt: skip
        return 1
    return 0


sys.exit(main())
