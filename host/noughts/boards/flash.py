"""Flashing a board through its drive, and seeing on its serial port that the game starts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import serial

from microbit_emulator.firmware import V1
from noughts import brain
from noughts.boards import clock, image
from noughts.boards import drive as drives
from noughts.boards.drive import Drive
from noughts.boards.files import BoardFiles
from noughts.boards.packing import files_for_boards
from noughts.boards.ports import find_ports, open_port
from noughts.boards.put import Progress
from noughts.boards.radio import OFF, V1_WITHOUT_RADIO, Radio, files_with, radio_of
from noughts.boards.release_1_0_0 import left_on, recovered
from noughts.boards.start import confirmed_start, wait_for_start
from noughts.brain import Table
from noughts.errors import BoardError, FirmwareError
from noughts.protocol.sentences import Boot, Game

_PORT_COMES_BACK_S = 10.0


@dataclass(frozen=True)
class Hex:
    """A Universal Hex, and what is in it."""

    content: bytes
    table: Table | None
    """The game's; None where it is a gateway."""
    boards: frozenset[str]
    radio: Radio = OFF


def our_hex(radio: Radio = OFF) -> Hex:
    """The game, or a gateway, on the official firmware, for every micro:bit."""
    files = files_for_boards()
    table = brain.of(files) if radio.gateway is None else None
    firmwares = image.bundled()
    contents = {board: files_with(radio, board, files) for board in firmwares}
    text = image.universal(firmwares, contents)
    return Hex(text.encode(), table, frozenset(firmwares), radio)


def hex_in(path: Path) -> Hex:
    """A hex from a file, as it is; it must be ours, so that its start can be confirmed.

    Raises `FirmwareError`.
    """
    tables: set[Table | None] = set()
    radios = set()
    text = image.text_of(path)
    firmwares = image.read(text, str(path))
    for firmware in firmwares.values():
        files = firmware.files()
        radios.add(radio_of(files))
        if radio_of(files).gateway is not None:
            tables.add(None)
            continue
        if "table.py" not in files or "main.py" not in files:
            raise FirmwareError(f"{path} does not hold the game; make one with `noughts hex`")
        tables.add(brain.read(files["table.py"].decode("latin-1"), f"table.py in {path}"))
    if len(tables) > 1:
        raise FirmwareError(
            f"{path} has a different table for each board; make a new hex with `noughts hex`"
        )
    # A V1 has no radio in a game's hex.
    return Hex(text.encode(), tables.pop(), frozenset(firmwares), max(radios, key=OFF.__ne__))


def flash(
    drive: Drive,
    what: Hex,
    say: Callable[[str], object],
    progress: Progress,
    *,
    port: str | None = None,
    verify: bool = True,
    started: Callable[[Boot], object] = lambda boot: None,
    keep: Callable[[Sequence[Game]], object],
) -> None:
    """Copy a hex to a board, and see on its serial port that the game, or gateway, starts.

    say: gets what is done, in lines. port: where it starts, if it cannot be found. started: gets
    what the game sends then. keep: stores games that release 1.0.0 left on the board, which then
    go. Raises `BoardError`.
    """
    if drive.maintenance:
        raise BoardError(drives.MAINTENANCE)
    if drive.board is not None and drive.board not in what.boards:
        raise BoardError(
            f"{drive.path} is a micro:bit {drive.board}, and the hex is for the "
            f"{' and '.join(what.boards)} only; make one for both with `noughts hex`"
        )
    say(f"flashing {drive}")
    if what.radio.sends is not None and drive.board == V1:
        say(V1_WITHOUT_RADIO)
    if name := port or _port_of(drive):
        _recover(drive, name, keep, say)
    with progress(len(what.content)) as steps:
        steps.doing(str(drive.path))
        whole = drives.copy(what.content, drive, steps.advance)
    back = drives.wait_until_back(drive)
    if not whole:
        raise BoardError(
            f"the drive {drive.path} went away before all of the hex was copied; "
            "try again, if need be with another cable or USB port"
        )
    if back is None and not verify:
        raise BoardError(
            f"the drive {drive.path} did not come back; plug the board in again, "
            "and look for FAIL.TXT on it"
        )
    if not verify:
        say(f"{drive.path}: copied; not verified")
        return
    if back is None:
        say(f"{drive.path} did not come back; listening on the serial port anyway")
    with closing(_opened(drive, port)) as line:
        with BoardFiles(line) as board:  # the game began before its port was open: once more
            board.describe()
        start = wait_for_start(line)
    if start.boot is not None:
        started(start.boot)
    table_id = what.table.id if what.table else ""
    say(f"{drive.path}: {confirmed_start(start, table_id, what.radio)}")


def _recover(
    drive: Drive,
    name: str,
    keep: Callable[[Sequence[Game]], object],
    say: Callable[[str], object],
) -> None:
    """Store the games that release 1.0.0 has left on the board at a port."""
    try:
        # The game starts again, since the drive may refuse the hex.
        with closing(open_port(name)) as port, BoardFiles(port, patient=False) as board:
            games = left_on(board, *board.survey()).games
    except BoardError as error:
        say(f"{drive.path}: games of release 1.0.0, if it has any, cannot be read: {error}")
        return
    if games:
        keep(games)
        say(f"{drive.path}: {recovered(games)}")


def _port_of(drive: Drive) -> str | None:
    """The serial port of the board whose drive it is, by its USB serial number."""
    if drive.usb_id is None:
        return None
    return next((port.name for port in find_ports() if port.usb_id == drive.usb_id), None)


def _opened(drive: Drive, wanted: str | None) -> serial.SerialBase:
    """The port of the board whose drive it is.

    It may take a moment to come back, and the system may still be busy with it then.
    """
    end_s = clock.monotonic() + _PORT_COMES_BACK_S
    while clock.monotonic() < end_s:
        if name := wanted or _port_of(drive):
            try:
                return open_port(name)
            except BoardError:
                pass
        clock.sleep(0.2)
    ports = find_ports()
    alone = len(ports) == 1 and None in (ports[0].usb_id, drive.usb_id)
    if name := wanted or _port_of(drive) or (ports[0].name if alone else None):
        return open_port(name)
    raise BoardError(
        "the hex was copied, but no serial port was found on which to see the game start; "
        "name it with --port, or use --no-verify"
    )
