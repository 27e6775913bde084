"""Flashing a board through its drive, and checking on its serial port that the game starts."""

from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import serial

from microbit_emulator.firmware import V1
from noughts import brain
from noughts.boards import clock
from noughts.boards import drive as drives
from noughts.boards.drive import Drive
from noughts.boards.files import BoardFiles
from noughts.boards.firmware import Firmware, firmware_for_boards, load_firmware, universal_hex
from noughts.boards.packing import files_for_boards
from noughts.boards.ports import find_ports, open_port
from noughts.boards.put import Progress
from noughts.boards.radio import OFF, V1_WITHOUT_RADIO, Radio, files_with, radio_of
from noughts.boards.timeouts import PORT_RETURNS_S
from noughts.boards.wait_for_start import Start, confirm_start
from noughts.brain import Table
from noughts.errors import BoardError, NoughtsError


@dataclass(frozen=True)
class Hex:
    """A Universal Hex, and what is in it."""

    content: bytes
    firmwares: dict[str, Firmware]
    table: Table | None
    """The game's; None for a gateway."""
    radio: Radio = OFF


_QUIET = {"settings": b"Pbq"}
"""The menu's first choice without sound: the letters are explained in `device/loop.py`."""


def our_hex(radio: Radio = OFF, firmware_paths: Sequence[Path] = (), *, quiet: bool = False) -> Hex:
    """The game, or a gateway, for every micro:bit, by default on the official firmware.

    quiet: the game's sound is off until somebody switches it on.
    """
    files = files_for_boards() | (_QUIET if quiet and radio.gateway is None else {})
    firmwares = firmware_for_boards(firmware_paths)
    return _hex_of(radio, tuple(files.items()), tuple(firmwares.values()))


@lru_cache(maxsize=4)  # a class's boards get the same one after another; to write it takes 0.4 s
def _hex_of(
    radio: Radio, files: tuple[tuple[str, bytes], ...], base_firmwares: tuple[Firmware, ...]
) -> Hex:
    table = brain.table_in(dict(files)) if radio.gateway is None else None
    firmwares = {
        base.board_model: base.with_files(files_with(radio, base.board_model, dict(files)))
        for base in base_firmwares
    }
    return Hex(universal_hex(firmwares).encode(), firmwares, table, radio)


def hex_in(path: Path) -> Hex:
    """A hex from a file. It must be ours, so that its start can be confirmed.

    It is written anew: interface chips do not understand every hex that we can read, such as one
    with other line ends or longer records. Raises `NoughtsError`.
    """
    firmwares = load_firmware(path)
    contents = [firmware.files() for firmware in firmwares.values()]
    # In a game's hex, the V1 never has radio.
    radio = max(map(radio_of, contents), key=OFF.__ne__)
    table = None
    if radio.gateway is None:
        tables = {files.get("table.py") for files in contents}
        text = tables.pop()
        if text is None or tables:
            raise NoughtsError(
                f"{path} does not hold the game, or holds different tables for V1 and V2; make "
                "one with `noughts hex`"
            )
        table = brain.parse_table(text.decode("latin-1"), f"table.py in {path}")
    return Hex(universal_hex(firmwares).encode(), firmwares, table, radio)


def flash(
    drive: Drive,
    new_hex: Hex,
    say: Callable[[str], object],
    progress: Progress,
    *,
    port: str | None = None,
    verify: bool = True,
) -> Start | None:
    """Copy a hex to a board, and check on its serial port that the game, or gateway, starts.

    say: gets lines about the progress. port: its serial port, if that cannot be found. Raises
    `BoardError`.
    """
    if drive.maintenance:
        raise BoardError(f"the board is {drives.MAINTENANCE}")
    if drive.board_model is not None and drive.board_model not in new_hex.firmwares:
        models = " and ".join(new_hex.firmwares)
        raise BoardError(
            f"the hex is for the micro:bit {models} only, and the board is a {drive.board_model}; "
            "make one for both with `noughts hex`"
        )
    say(f"flashing {drive}")
    other_paths = {other.path for other in drives.find_drives()} - {drive.path}
    if new_hex.radio.sends is not None and drive.board_model == V1:
        say(V1_WITHOUT_RADIO)
    with progress(len(new_hex.content)) as steps:
        steps.describe(str(drive.path))
        is_complete = drives.copy(new_hex.content, drive, steps.advance)
    back = drives.wait_until_back(drive, other_paths)
    if not is_complete:
        raise BoardError(
            f"the drive {drive.path} went away before all of the hex was copied; "
            "try again, if need be with another cable or USB port"
        )
    if not verify:
        if back is None:
            raise BoardError(
                f"the drive {drive.path} did not come back; plug the board in again, "
                "and look for FAIL.TXT on it"
            )
        say(f"{drive.path}: copied; not verified")
        return None
    with closing(_open_port(drive, port)) as serial_port:
        # The game started before its port was open. The end of `BoardFiles` starts it again.
        with BoardFiles(serial_port) as board:
            board.describe()
        start = confirm_start(
            serial_port, new_hex.table.id if new_hex.table else None, new_hex.radio
        )
    say(f"{drive.path}: {start.message}")
    return start


def _open_port(drive: Drive, port_name: str | None) -> serial.SerialBase:
    """The open port of the board with this drive.

    It may take a moment to come back, and then the system may still be using it.
    """
    end_s = clock.monotonic() + PORT_RETURNS_S
    while True:
        try:
            return open_port(port_name or _port_of(drive))
        except BoardError:
            if clock.monotonic() >= end_s:
                raise
        clock.sleep(0.2)


def _port_of(drive: Drive) -> str:
    others = [other for other in drives.find_drives() if other.path != drive.path]
    for paired_drive, port in drives.pair([drive, *others], find_ports()):
        if paired_drive == drive and port is not None:
            return port.name
    raise BoardError(
        "the hex was copied, but no serial port was found to check that the game starts; "
        "name it with --port, or use --no-verify"
    )
