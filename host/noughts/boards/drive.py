"""The drive of a micro:bit's interface chip (DAPLink): finding it, and copying a hex to it.

DETAILS.TXT names the board and the chip's firmware. After a hex has arrived, the drive disappears
and comes back without it; with FAIL.TXT if the chip could not use it. (DAPLink, `vfs_user.c`.)
"""

import contextlib
import errno
import os
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from microbit_emulator.firmware import BOARD_IDS
from noughts.boards import clock
from noughts.boards.permissions import drive_refused
from noughts.boards.ports import Port, known_id
from noughts.boards.timeouts import DRIVE_RETURNS_S
from noughts.errors import BoardError, printable

HEX_NAME = "noughts.hex"
MAINTENANCE = (
    "in maintenance mode; unplug it and plug it in again without holding reset. If it stays so, a "
    "program was copied to the drive MAINTENANCE: first copy the interface firmware there "
    "(microbit.org/get-started/user-guide/firmware)"
)
NO_DRIVE = (
    "no micro:bit drive was found; check that the cable has data lines and that the drive MICROBIT "
    "is mounted, or give its path"
)

# DAPLink's own tests flush as often, or more often.
_FLUSH_BYTES = 32 * 1024
_FILE_SYSTEMS = ("fat", "msdos", "lifs")
"""What systems call that of the drive; the last is macOS. Windows may give none."""
_LABELS = "MICROBIT", "MAINTENANCE"
"""How the names of their mounts begin."""
_BOOTLOADER_ID = "0000"
"""How the id of any board begins in maintenance mode."""


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
    def board_model(self) -> str | None:
        """`V1` or `V2`, if the interface chip reports it."""
        return BOARD_IDS.get((self.usb_id or "")[:4])

    def __str__(self) -> str:
        return f"{self.path} (micro:bit {self.board_model or '?'}, interface {self.interface})"


def find_drives() -> list[Drive]:
    """The drives of all micro:bits that are mounted, and may be read."""
    return _look_everywhere()[0]


def refusal() -> BoardError | None:
    """Why a drive cannot be read, if there is exactly one such drive."""
    refused = _look_everywhere()[1]
    return refused[0] if len(refused) == 1 else None


def _look_everywhere() -> tuple[list[Drive], list[BoardError]]:
    """All drives, and the errors for those that may not be read."""
    import psutil  # only here, because it is slow

    drives, refused = [], []
    for partition in psutil.disk_partitions():
        file_system = partition.fstype.lower()
        if not file_system or any(name in file_system for name in _FILE_SYSTEMS):
            path = Path(partition.mountpoint)
            try:
                drives.append(look(path))
            except BoardError as error:
                # Not a partition of the system, such as /boot/efi, which nobody may look into.
                if path.name.upper().startswith(_LABELS) or _has_details(path):
                    refused.append(error)
    return sorted(filter(None, drives), key=lambda drive: drive.path), refused


def _has_details(path: Path) -> bool:
    with contextlib.suppress(OSError):
        return (path / "DETAILS.TXT").exists()
    return False


def look(path: Path) -> Drive | None:
    """The micro:bit's drive at a path, or None if there is none.

    Raises `BoardError` if its DETAILS.TXT may not be read.
    """
    details = {}
    try:
        for line in _lines(path / "DETAILS.TXT"):
            key, _, value = line.partition(":")
            details[key.strip().lower()] = value.strip()
    except PermissionError as error:
        raise BoardError(drive_refused(path / "DETAILS.TXT")) from error
    except OSError:
        return None
    if not {"unique id", "interface version", "version", "daplink mode"} & set(details):
        return None
    versions = ("interface version", "version", "bootloader version")
    version = next((details[key] for key in versions if details.get(key)), "unknown")
    maintenance = details.get("daplink mode", "").lower() == "bootloader"
    usb_id, remounts = known_id(details.get("unique id")), details.get("remount count", "")
    drive = Drive(path, usb_id, version, maintenance, remounts)
    if usb_id is None or drive.board_model is not None:
        return drive
    # Other makers' boards have the same interface chip; nothing must be written to those.
    return drive if maintenance and usb_id.startswith(_BOOTLOADER_ID) else None


def pair(drives: Sequence[Drive], ports: Sequence[Port]) -> list[tuple[Drive | None, Port | None]]:
    """The drive and the port of each board; None for a part that is missing, or is not certain."""
    drive_of = _pair_by_id(drives, ports)
    drive_of |= _pair_the_only_ones(
        [drive for drive in drives if drive not in drive_of.values()],
        [port for port in ports if port not in drive_of],
    )
    pairs: list[tuple[Drive | None, Port | None]] = [(drive_of.get(port), port) for port in ports]
    return pairs + [(drive, None) for drive in drives if drive not in drive_of.values()]


def _pair_by_id(drives: Sequence[Drive], ports: Sequence[Port]) -> dict[Port, Drive]:
    """The drives of the ports whose id is known, and is that of a drive."""
    drive_of: dict[Port, Drive] = {}
    for port in ports:
        same_id = [
            drive
            for drive in drives
            if drive.usb_id == port.usb_id and drive not in drive_of.values()
        ]
        if same_id and port.usb_id is not None:
            drive_of[port] = same_id[0]
    return drive_of


def _pair_the_only_ones(drives: Sequence[Drive], ports: Sequence[Port]) -> dict[Port, Drive]:
    """The drives of ports left, where one of the two ids is unknown.

    They are certain if no other drive left may be of the port's board, and no other port of the
    drive's. Each pair leaves fewer for the next port.
    """
    drive_of: dict[Port, Drive] = {}
    for port in ports:
        drives_left = [drive for drive in drives if drive not in drive_of.values()]
        ports_left = [other for other in ports if other not in drive_of]
        possible_drives = [drive for drive in drives_left if _may_be_of_one_board(drive, port)]
        if len(possible_drives) == 1:
            (drive,) = possible_drives
            if [port] == [other for other in ports_left if _may_be_of_one_board(drive, other)]:
                drive_of[port] = drive
    return drive_of


def _may_be_of_one_board(drive: Drive, port: Port) -> bool:
    return not drive.maintenance and None in (drive.usb_id, port.usb_id)


def _lines(path: Path) -> list[str]:
    """The lines of a small text file of the drive, made safe to print. Raises `OSError`."""
    return [printable(line) for line in path.read_text("latin-1").splitlines()]


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


def wait_until_back(drive: Drive, other_paths: Collection[Path] = ()) -> Drive | None:
    """The drive once it is back without the hex, or None if that takes too long.

    other_paths: of the other boards' drives. Raises `BoardError` if the interface chip reports that
    it could not use the hex.
    """
    end_s = clock.monotonic() + DRIVE_RETURNS_S
    while clock.monotonic() < end_s:
        back = _drive_without_hex(drive, other_paths)
        if back is not None:
            _check_success(back)
            return back
        clock.sleep(0.1)
    return None


def _drive_without_hex(drive: Drive, other_paths: Collection[Path]) -> Drive | None:
    # Look in other places first: an old mount may be left in this one.
    paths = [
        other.path
        for other in find_drives()
        if other.usb_id == drive.usb_id and drive.usb_id is not None
    ]
    for path in (*paths, drive.path):
        with contextlib.suppress(OSError, BoardError):  # it is just disappearing
            back = look(path)
            if back is not None and path not in other_paths and not (path / HEX_NAME).exists():
                return back
    return None


def _check_success(drive: Drive) -> None:
    """Raise `BoardError` with the reason, and what to do, if there is a FAIL.TXT."""
    try:
        lines = [line for line in _lines(drive.path / "FAIL.TXT") if line.strip()]
    except OSError:
        return
    reason = " ".join(" ".join(lines).split())
    types = next((line for line in lines if line.lower().startswith("type:")), "")
    if "transient" in types or not types:
        advice = "try again, with another cable or USB port if need be"
    elif "user" in types:
        advice = "it is not a hex for this board: flash one that `noughts hex` makes"
    else:
        advice = "unplug the board, plug it in and try again"
    if reason:
        raise BoardError(f'the interface chip could not use the hex (it says "{reason}"); {advice}')
