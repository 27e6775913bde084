"""`noughts flash`: copy the hex to a board's drive, and see on its serial port that it starts."""

from __future__ import annotations

import argparse
import contextlib
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import serial

from noughts import brain
from noughts.device_files import files_for_boards
from noughts.errors import BoardError, FirmwareError, NoughtsError, in_words, printable
from noughts.firmware import image
from noughts.hardware import drive as drives
from noughts.hardware.boot import confirmed, reset_by_break, soft_reset, wait_for_boot
from noughts.hardware.drive import Drive
from noughts.hardware.ports import find_ports, open_port
from noughts.invocation import as_typed
from noughts.terminal.progress import progress

_PORT_COMES_BACK_S = 10.0
_PORT_OPENS_S = 5.0
_LISTEN_S = 9.0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's options."""
    parser.add_argument(
        "drive",
        nargs="?",
        metavar="DRIVE",
        type=Path,
        help="the board's drive (found automatically)",
    )
    parser.add_argument("--all", action="store_true", help="flash every board that is plugged in")
    parser.add_argument(
        "--hex", metavar="FILE", type=Path, help="copy this hex, which `noughts hex` made"
    )
    parser.add_argument(
        "--port",
        metavar="PORT",
        help="the board's serial port (found automatically on real boards)",
    )
    parser.add_argument(
        "--no-verify",
        action="store_true",
        help="do not check on the serial port that the game starts",
    )


@dataclass(frozen=True)
class _Hex:
    content: bytes
    table_id: str
    boards: frozenset[str]


def run(args: argparse.Namespace) -> int:
    """Flash one board, or all; with `--all`, go on after a failure and tell it at the end."""
    if args.all and (args.drive or args.port):
        args.error("--all flashes every board; leave out DRIVE and --port")
    chosen = _chosen(args.drive, args.all)
    what = _read(args.hex) if args.hex else _built()
    failed = 0
    for drive in chosen:
        try:
            _flash(drive, what, args)
        except (NoughtsError, OSError) as error:
            if not args.all:
                raise
            failed += 1
            print(f"noughts: {drive.path}: {printable(as_typed(in_words(error)))}", file=sys.stderr)
    if failed:
        raise BoardError(
            f"{failed} of {len(chosen)} boards failed; see above, and flash them again"
        )
    return 0


def _built() -> _Hex:
    files = files_for_boards()
    table_id = brain.of(files).id
    firmwares = image.bundled()
    return _Hex(image.universal(firmwares, files).encode(), table_id, frozenset(firmwares))


def _read(path: Path) -> _Hex:
    """A hex from a file, as it is; it must hold the game, so that its start can be confirmed."""
    ids = set()
    text = image.text_of(path)
    firmwares = image.read(text, str(path))
    for firmware in firmwares.values():
        files = firmware.files()
        if "table.py" not in files or "main.py" not in files:
            raise FirmwareError(f"{path} does not hold the game; make one with `noughts hex`")
        ids.add(brain.read(files["table.py"].decode("latin-1"), f"table.py in {path}").id)
    if len(ids) > 1:
        raise FirmwareError(
            f"{path} has a different table for each board; make a new hex with `noughts hex`"
        )
    return _Hex(text.encode(), ids.pop(), frozenset(firmwares))


def _chosen(path: Path | None, every: bool) -> Sequence[Drive]:
    if path is not None:
        drive = drives.look(path)
        if drive is None:
            raise BoardError(
                f"{path} is not a micro:bit's drive (it has no DETAILS.TXT); check the path"
            )
        return [drive]
    found = drives.find_drives()
    if not found:
        raise BoardError(drives.NO_DRIVE)
    return found if every or len(found) == 1 else [_ask(found)]


def _ask(found: Sequence[Drive]) -> Drive:
    names = ", ".join(str(drive.path) for drive in found)
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise BoardError(
            f"{len(found)} boards are plugged in ({names}); name a drive, or use --all"
        )
    for number, drive in enumerate(found, 1):
        print(f"{number}  {drive}")
    while True:
        try:
            answer = input(f"Which board, 1 to {len(found)}? ").strip()
        except EOFError:
            raise BoardError("no board was chosen; name a drive, or use --all") from None
        if answer.isascii() and answer.isdigit() and 1 <= int(answer) <= len(found):
            return found[int(answer) - 1]
        print(f"{answer!r} is not a number from 1 to {len(found)}")


def _flash(drive: Drive, what: _Hex, args: argparse.Namespace) -> None:
    if drive.maintenance:
        raise BoardError(drives.MAINTENANCE)
    if drive.board is not None and drive.board not in what.boards:
        raise BoardError(
            f"{drive.path} is a micro:bit {drive.board}, and the hex is for the "
            f"{' and '.join(what.boards)} only; make one for both with `noughts hex`"
        )
    print(f"flashing {drive}", flush=True)
    with progress(len(what.content)) as steps:
        steps.doing(str(drive.path))
        whole = drives.copy(what.content, drive, steps.advance)
    back = drives.wait_until_back(drive)
    if not whole:
        raise BoardError(
            f"the drive {drive.path} went away before all of the hex was copied; "
            "try again, if need be with another cable or USB port"
        )
    if back is None and args.no_verify:
        raise BoardError(
            f"the drive {drive.path} did not come back; plug the board in again, "
            "and look for FAIL.TXT on it"
        )
    if args.no_verify:
        print(f"{drive.path}: copied; not verified")
        return
    if back is None:
        print(f"{drive.path} did not come back; listening on the serial port anyway")
    name = _port(drive, args.port)
    print(f"{drive.path}: {_verify(name, what.table_id)}")


def _port(drive: Drive, wanted: str | None) -> str:
    """The serial port of the board whose drive it is; it may take a moment to come back."""
    if wanted is not None:
        return wanted
    end_s = time.monotonic() + _PORT_COMES_BACK_S
    while True:
        ports = find_ports()
        for port in ports:
            if drive.usb_id is not None and port.usb_id == drive.usb_id:
                return port.name
        if time.monotonic() > end_s:
            break
        time.sleep(0.2)
    if len(ports) == 1 and None in (ports[0].usb_id, drive.usb_id):
        return ports[0].name
    raise BoardError(
        "the hex was copied, but no serial port was found on which to see the game start; "
        "name it with --port, or use --no-verify"
    )


def _verify(name: str, table_id: str) -> str:
    """Listen; the board has begun already, so make it begin again if it stays silent."""
    with contextlib.closing(_open(name)) as port:
        nudges = (lambda: reset_by_break(port), lambda: soft_reset(port))
        return confirmed(wait_for_boot(port, _LISTEN_S, nudges), table_id)


def _open(name: str) -> serial.SerialBase:
    """The port; just after it has come back, the system or others may still be busy with it."""
    end_s = time.monotonic() + _PORT_OPENS_S
    while True:
        try:
            return open_port(name)
        except BoardError:
            if time.monotonic() > end_s:
                raise
        time.sleep(0.2)
