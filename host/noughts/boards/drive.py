"""The drive that a micro:bit's interface chip (DAPLink) shows: finding it, and copying a hex to it.

DETAILS.TXT names the board and the chip's firmware. When a hex has arrived, the drive goes away,
and comes back without it; with FAIL.TXT, if the chip could not use it. (DAPLink, `vfs_user.c`.)
"""

from __future__ import annotations

import contextlib
import errno
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import psutil

from microbit_emulator.firmware import BOARD_IDS
from noughts.boards import clock
from noughts.boards.ports import known_id
from noughts.errors import BoardError, printable

HEX_NAME = "noughts.hex"
MAINTENANCE = (
    "the board is in maintenance mode; unplug it and plug it in again without holding reset"
)
NO_DRIVE = (
    "no micro:bit drive was found; check that the cable has data lines, that the drive MICROBIT "
    "is mounted, and that reset was not held while plugging in (maintenance mode)"
)

_TEXT_BYTES = 4096
# DAPLink's own tests flush as often, or more often.
_FLUSH_BYTES = 32 * 1024
_COMES_BACK_S = 30.0


@dataclass(frozen=True)
class Drive:
    """A micro:bit's drive, as DETAILS.TXT has it."""

    path: Path
    details: Mapping[str, str]

    @property
    def usb_id(self) -> str | None:
        """What the board's serial port has as USB serial number."""
        return known_id(self.details.get("unique id"))

    @property
    def board(self) -> str | None:
        """`V1` or `V2`, if the interface chip reports it."""
        return BOARD_IDS.get((self.usb_id or "")[:4])

    @property
    def interface(self) -> str:
        """The version of the interface chip's firmware, such as `0255`."""
        return self.details.get("interface version") or self.details.get("version") or "unknown"

    @property
    def maintenance(self) -> bool:
        """Whether it takes firmware for the interface chip, and no programs."""
        return self.details.get("daplink mode", "").lower() == "bootloader"

    def __str__(self) -> str:
        return f"{self.path} (micro:bit {self.board or '?'}, interface {self.interface})"


def find_drives() -> list[Drive]:
    """The drives of all micro:bits that are mounted."""
    found = []
    for partition in psutil.disk_partitions():
        if any(kind in partition.fstype.lower() for kind in ("fat", "msdos")):
            drive = look(Path(partition.mountpoint))
            if drive is not None:
                found.append(drive)
    return sorted(found, key=lambda drive: drive.path)


def look(path: Path) -> Drive | None:
    """The micro:bit's drive at a path, or None if there is none."""
    details = {}
    for line in _text(path / "DETAILS.TXT").splitlines():
        key, colon, value = line.partition(":")
        if colon:
            details[key.strip().lower()] = value.strip()
    known = {"unique id", "interface version", "version", "daplink mode"}
    drive = Drive(path, details) if known & set(details) else None
    # Other makers' boards have the same interface chip: nothing is to be written to those.
    return None if drive and drive.usb_id and drive.board is None else drive


def _text(path: Path) -> str:
    """A small text from the drive, made harmless; nothing if it is not there."""
    try:
        with path.open("rb") as file:
            text = file.read(_TEXT_BYTES).decode("latin-1")
    except OSError:
        return ""
    return "\n".join(map(printable, text.split("\n")))


def copy(content: bytes, drive: Drive, advance: Callable[[int], None]) -> bool:
    """Copy a hex to the drive, past the page cache; `advance` gets how many bytes arrived.

    Raises `BoardError` where the drive does not take it. That it goes away with the last bytes is
    how it should be; if copying broke off earlier, the result is False, and `wait_until_back` may
    say why.
    """
    written = 0
    try:
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_BINARY", 0)
        handle = os.open(drive.path / HEX_NAME, flags, 0o666)
        try:
            while written < len(content):
                part = content[written : written + _FLUSH_BYTES]
                arrived = os.write(handle, part)
                written += arrived
                os.fsync(handle)
                advance(arrived)
        finally:
            os.close(handle)
    except OSError as error:
        if written == 0 or error.errno == errno.ENOSPC:
            raise BoardError(
                f"cannot write to the drive {drive.path} ({error.strerror}); unplug the board, "
                "plug it in and try again, and check that you may write to it"
            ) from error
    return written == len(content)


def wait_until_back(drive: Drive, limit_s: float = _COMES_BACK_S) -> Drive | None:
    """The drive when it is back without the hex, or None if it does not come back in time.

    Raises `BoardError` if the interface chip reports that it could not use the hex.
    """
    end_s = clock.monotonic() + limit_s
    while clock.monotonic() < end_s:
        for back in _again(drive):
            with contextlib.suppress(OSError):  # it is just going away
                if not (back.path / HEX_NAME).exists():
                    if failed := failure(_text(back.path / "FAIL.TXT")):
                        raise BoardError(failed)
                    return back
        clock.sleep(0.1)
    return None


def _again(drive: Drive) -> Iterator[Drive]:
    """The same board's drive; first at another place, for what is here may be left of the old."""
    if drive.usb_id is not None:
        for other in find_drives():
            if other.usb_id == drive.usb_id and other.path != drive.path:
                yield other
    here = look(drive.path)
    if here is not None:
        yield here


# Parts of DAPLink's messages (`error.c`), what they mean, and what to do.
_FAILURES = (
    ("mode or device", "the hex is not for this board or its mode", MAINTENANCE),
    ("incompatible", "the hex is not for this board", "build it anew with `noughts hex`"),
    (
        "target mcu",
        "the interface chip cannot reach the main chip",
        "unplug the board, plug it in and try again; if it stays so, the board may be damaged",
    ),
    ("", "the hex did not arrive whole", "try again, with another cable or USB port if need be"),
)


def failure(text: str) -> str | None:
    """What a FAIL.TXT means, in one line with what to do; None if it is empty."""
    if not text.strip():
        return None
    lines = dict(line.partition(":")[::2] for line in text.splitlines() if ":" in line)
    said = " ".join((lines.get("error", "").strip() or text).split()).rstrip(".")
    meaning, advice = next(rest for part, *rest in _FAILURES if part in said.lower())
    return f'{meaning} (it says "{said}"); {advice}'
