"""What `doctor` and others say if the system denies access to a board."""

import contextlib
from pathlib import Path

_GROUPS = ("dialout", "uucp", "plugdev")
"""Groups that people may join."""


def port_refused(name: str) -> str:
    """Why a serial port cannot be opened, and what to do, in one line."""
    group = ""
    with contextlib.suppress(OSError, KeyError, NotImplementedError):  # the last on Windows
        group = Path(name).group()
    advice = "add a udev rule for it (micro:bits are 0d28:0204), or use sudo"
    if group in _GROUPS:
        advice = f"join its group with `sudo usermod -aG {group} $USER`, then log in again"
    return f"no permission to use {name}; {advice}"


def drive_refused(file: Path) -> str:
    """The same for a file on a board's drive."""
    return f"no permission to read {file}; check that you may read the drive"
