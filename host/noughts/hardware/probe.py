"""What there is to know of the boards that are plugged in: their drives, ports, and programs."""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass

import serial

from noughts.errors import BoardError, GameError
from noughts.hardware import clock
from noughts.hardware.boot import Start, wait_for_start
from noughts.hardware.drive import Drive, find_drives
from noughts.hardware.ports import ERRORS, Port, find_ports, open_port
from noughts.protocol.sentences import Boot

_BANNER = re.compile(
    rb"MicroPython v([\w.]+)[^;\r\n]{0,80}; micro:bit v([\w.+-]{1,40}) with (nRF\d{5})"
)
_BANNERS_S = (1.0, 1.0, 2.0, 4.0)


@dataclass
class ProbedBoard:
    """What could be found out about a board; None where nothing was."""

    drive: Drive | None = None
    port: Port | None = None
    board: str | None = None
    """`V1` or `V2`."""
    firmware: str | None = None
    micropython: str | None = None
    start: Start | None = None
    """What the board said when it started."""
    problem: str | None = None
    """What is wrong with the port or the game; what to do."""
    fault: GameError | None = None
    """How the game stopped when it should have started."""

    @property
    def boot(self) -> Boot | None:
        """What the game said when it started."""
        return self.start.boot if self.start else None


def inspect(extra_ports: Sequence[str], restart: bool) -> list[ProbedBoard]:
    """Every micro:bit that is there, and whatever is on the extra ports, each probed."""
    boards = find_boards(extra_ports)
    for board in boards:
        probe(board, restart)
    return boards


def find_boards(extra_ports: Sequence[str]) -> list[ProbedBoard]:
    """Every micro:bit that is there, and whatever is on the extra ports."""
    found = [*find_ports(), *(Port(name, None) for name in extra_ports)]
    # One that is named may be among those found, perhaps by another name.
    ports = {os.path.realpath(port.name): port for port in reversed(found)}
    boards = [ProbedBoard(port=port) for port in reversed(ports.values())]
    for drive in find_drives():
        same = [each for each in boards if each.port and each.port.usb_id == drive.usb_id]
        board = same[0] if same and drive.usb_id else ProbedBoard()
        board.drive, board.board = drive, drive.board
        if board not in boards:
            boards.append(board)
    return boards


def probe(board: ProbedBoard, restart: bool) -> None:
    """Find out what there is to know of a board.

    Only with `restart` is it asked for its program, which starts that anew.
    """
    if board.port is None:
        board.problem = "its serial port is missing; unplug the board and plug it in again"
        return
    try:
        with contextlib.closing(open_port(board.port.name)) as port:
            if restart:
                _ask(board, port)
    except GameError as error:
        board.fault = error
    except BoardError as error:
        board.problem = str(error)


def _ask(board: ProbedBoard, port: serial.SerialBase) -> None:
    """Interrupt the program, which makes MicroPython tell its version, and start it again."""
    try:
        port.timeout = 0.1
        try:
            # A board that was just started does not listen until its program runs.
            asked = (_interrupted(port, patience_s) for patience_s in _BANNERS_S)
            found = next((banner for banner in asked if banner), None)
        finally:  # Ctrl-C too must not leave it stopped
            port.write(b"\x02\x04")
    except ERRORS as error:
        raise BoardError("it went away while it was queried; plug it in and try again") from error
    if found is not None:
        board.micropython, board.firmware = found[1].decode(), found[2].decode()
        board.board = "V1" if found[3] == b"nRF51822" else "V2"
    board.start = wait_for_start(port)
    board.board = board.start.board


def _interrupted(port: serial.SerialBase, patience_s: float) -> re.Match[bytes] | None:
    """What MicroPython says once nothing else runs."""
    heard = b""
    port.write(b"\x02\x03\x03")
    end_s = clock.monotonic() + patience_s
    while (found := _BANNER.search(heard)) is None and clock.monotonic() < end_s:
        heard = heard[-4096:] + port.read_until(b"\n")
    return found
