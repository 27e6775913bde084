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

ROOT = Path(__file__).resolve().parents[1]
STUBS = ROOT / ".venv" / "device-stubs"
PACKAGE = "micropython-microbit-stubs-en>=0.0.1b2"
WANTED = ("microbit", "log.pyi", "machine.pyi", "micropython.pyi", "radio.pyi")


def unpack() -> None:
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet", "install"]
    with tempfile.TemporaryDirectory(dir=STUBS.parent) as folder:
        subprocess.run([*pip, "--no-deps", "--pre", "--target", folder, PACKAGE], check=True)
        made = Path(folder) / "made"
        made.mkdir()
        for name in WANTED:
            (Path(folder) / "stdlib" / name).rename(made / name)
        shutil.rmtree(STUBS, ignore_errors=True)  # of an earlier version, with less in it
        made.rename(STUBS)


def main() -> int:
    if not all((STUBS / name).exists() for name in WANTED):
        unpack()
    mypy = [sys.executable, "-m", "mypy", "--config-file", "tools/device-mypy.ini"]
    return subprocess.run(mypy, cwd=ROOT, check=False).returncode


sys.exit(main())
