"""The drive of a micro:bit's interface chip (DAPLink): finding it, and copying a hex to it.

DETAILS.TXT names the board and the chip's firmware. After a hex has arrived, the drive disappears
and comes back without it; with FAIL.TXT if the chip could not use it. (DAPLink, `vfs_user.c`.)
"""

import contextlib
import errno
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from microbit_emulator.firmware import BOARD_IDS
from noughts.boards import clock
from noughts.boards.ports import known_id
from noughts.errors import BoardError, printable

HEX_NAME = "noughts.hex"
MAINTENANCE = "in maintenance mode; unplug it and plug it in again without holding reset"
NO_DRIVE = (
    "no micro:bit drive was found; check that the cable has data lines, that the drive MICROBIT "
    "is mounted, and that reset was not held while plugging in (maintenance mode)"
)

# DAPLink's own tests flush as often, or more often.
_FLUSH_BYTES = 32 * 1024
_COMES_BACK_S = 30.0


@dataclass(frozen=True)
class Drive:
    """A micro:bit's drive, as DETAILS.TXT describes it."""

    path: Path
    usb_id: str | None = None
    """The USB serial number of the board's port."""
    interface: str = "unknown"
    """The version of the interface chip's firmware, such as `0255`."""
    maintenance: bool = False
    """Whether it accepts only firmware for the interface chip, not programs."""
    remounts: str = ""
    """How often it has disappeared and come back."""

    @property
    def board(self) -> str | None:
        """`V1` or `V2`, if the interface chip reports it."""
        return BOARD_IDS.get((self.usb_id or "")[:4])

    def __str__(self) -> str:
        return f"{self.path} (micro:bit {self.board or '?'}, interface {self.interface})"


def find_drives() -> list[Drive]:
    import psutil  # only here, because it is slow

    mounted = (
        look(Path(partition.mountpoint))
        for partition in psutil.disk_partitions()
        if any(kind in partition.fstype.lower() for kind in ("fat", "msdos"))
    )
    return sorted(filter(None, mounted), key=lambda drive: drive.path)


def look(path: Path) -> Drive | None:
    """The micro:bit's drive at a path, or None if there is none."""
    lines = _text(path / "DETAILS.TXT").splitlines()
    pairs = (line.partition(":") for line in lines)
    details = {key.strip().lower(): value.strip() for key, _, value in pairs}
    if not {"unique id", "interface version", "version", "daplink mode"} & set(details):
        return None
    version = details.get("interface version") or details.get("version") or "unknown"
    maintenance = details.get("daplink mode", "").lower() == "bootloader"
    usb_id, remounts = known_id(details.get("unique id")), details.get("remount count", "")
    drive = Drive(path, usb_id, version, maintenance, remounts)
    # Other makers' boards have the same interface chip; nothing must be written to those.
    return None if drive.usb_id and drive.board is None else drive


def _text(path: Path) -> str:
    """A small text file of the drive, made safe to print; empty if it is not there."""
    try:
        return "\n".join(map(printable, path.read_text("latin-1").splitlines()))
    except OSError:
        return ""


def copy(content: bytes, drive: Drive, advance: Callable[[int], None]) -> bool:
    """Copy a hex to the drive, past the page cache; `advance` gets how many bytes arrived.

    Raises `BoardError` if the drive does not accept it. The drive may disappear with the last
    bytes. If it disappears earlier, the result is False, and `wait_until_back` may say why.
    """
    written = 0
    try:
        with (drive.path / HEX_NAME).open("wb") as file:
            while written < len(content):
                part = content[written : written + _FLUSH_BYTES]
                file.write(part)
                file.flush()
                written += len(part)
                os.fsync(file.fileno())
                advance(len(part))
    except OSError as error:
        if written == 0 or error.errno == errno.ENOSPC:
            raise BoardError(
                f"cannot write to the drive {drive.path} ({error.strerror}); unplug the board, "
                "plug it in and try again, and check that you may write to it"
            ) from error
    return written == len(content)


def wait_until_back(drive: Drive) -> Drive | None:
    """The drive once it is back without the hex, or None if that takes too long.

    Raises `BoardError` if the interface chip reports that it could not use the hex.
    """
    end_s = clock.monotonic() + _COMES_BACK_S
    while clock.monotonic() < end_s:
        # Look in other places first: an old mount may be left in this one.
        others = (other for other in find_drives() if other.usb_id == drive.usb_id is not None)
        for back in (*others, look(drive.path)):
            with contextlib.suppress(OSError):  # it is just disappearing
                if back is not None and not (back.path / HEX_NAME).exists():
                    if reason := " ".join(_text(back.path / "FAIL.TXT").split()):
                        raise BoardError(
                            f'the interface chip could not use the hex (it says "{reason}"); try '
                            "again, with another cable or USB port if need be"
                        )
                    return back
        clock.sleep(0.1)
    return None
