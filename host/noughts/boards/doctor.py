"""The checks of `noughts doctor`: this computer and the boards plugged in, each with a fix."""

from __future__ import annotations

import os
import platform
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass

from microbit_emulator.errors import EmulatorError
from microbit_emulator.firmware import V2
from noughts import brain
from noughts.boards.drive import MAINTENANCE, Drive, find_drives, pair, refusal
from noughts.boards.files import BoardFiles
from noughts.boards.firmware import bundled_for, is_sound, version_numbers
from noughts.boards.ports import Port, find_ports, open_port
from noughts.boards.radio import OFF
from noughts.boards.wait_for_start import Start, wait_for_start
from noughts.brain.device import device_files
from noughts.errors import BoardError, GameError, NoughtsError
from noughts.version import __version__


@dataclass
class ProbedBoard:
    """What is known about a board; None for what is not."""

    drive: Drive | None = None
    port: Port | None = None
    board_model: str | None = None
    """`V1` or `V2`."""
    firmware: str | None = None
    micropython: str | None = None
    start: Start | None = None
    error: BoardError | None = None


def find_boards(extra_ports: Sequence[str]) -> list[ProbedBoard]:
    """All connected micro:bits, and everything on the extra ports."""
    usb_ports = find_ports()
    # An extra port may be among those found, perhaps under another name.
    names = {os.path.realpath(name): name for name in reversed(extra_ports)}
    for port in usb_ports:
        names.pop(os.path.realpath(port.name), None)
    boards = pair(find_drives(), usb_ports) + [(None, Port(name, None)) for name in names.values()]
    return [
        ProbedBoard(drive, port, drive.board_model if drive else None) for drive, port in boards
    ]


def probe(board: ProbedBoard, restart: bool) -> None:
    """Open a board's port; restart: also ask for its firmware and program, which restarts it."""
    if board.port is None and board.drive is not None and board.drive.maintenance:
        return  # it has none before it is plugged in again
    try:
        if board.port is None:
            raise BoardError("its serial port is missing; unplug the board and plug it in again")
        with closing(open_port(board.port.name)) as port:
            if restart:
                with BoardFiles(port) as files:
                    board.board_model, board.firmware, board.micropython = files.describe()
                board.start = wait_for_start(port)
    except BoardError as error:
        board.error = error


@dataclass(frozen=True)
class Check:
    """The result of one check."""

    what: str
    good: bool
    facts: str
    """What is so, or what is wrong and what to do."""
    details: tuple[str, ...] = ()
    """More lines, such as a traceback."""

    @classmethod
    def of(cls, what: str, find: Callable[[], str]) -> Check:
        """A check that succeeds unless `find`, which gives the facts, raises an error."""
        try:
            return cls(what, True, find())
        except (NoughtsError, EmulatorError) as error:
            return cls(what, False, str(error))

    def record(self) -> dict[str, object]:
        """Its fields in `noughts doctor --json`, which docs/scripts.md explains."""
        return {"what": self.what, "good": self.good, "found": self.facts, "details": self.details}


def of_computer(any_board: bool) -> list[Check]:
    """The checks of this computer; any_board: whether a board was found."""

    def emulator() -> str:
        from importlib.metadata import version  # only here, because it is slow

        from microbit_emulator import Microbit  # which loads wasmtime

        Microbit(V2, flash=bytes(8), uicr=bytes(4))
        return f"wasmtime {version('wasmtime')}"

    checks = [
        Check("Python", True, f"{platform.python_version()} on {platform.system()}"),
        Check.of("noughts", lambda: f"{__version__}, table {brain.table_in(device_files()).id}"),
        Check.of("emulator", emulator),
    ]
    if not any_board:
        todo = "plug one in with a cable that has data lines (`noughts play` needs no board)"
        checks.append(Check("boards", False, f"none found; {todo}"))
    return checks


def of_board(board: ProbedBoard) -> Iterator[Check]:
    """The checks of a board that was probed."""
    yield from _drive_checks(board)
    if board.error is not None and board.micropython is None:
        yield Check("port", False, str(board.error))
    elif board.port is not None:
        yield Check("port", True, f"{board.port.name}, accessible")
    if board.board_model is not None:
        yield Check("board", True, f"micro:bit {board.board_model}")
    if board.micropython is not None:
        yield _firmware(board.board_model or "", board.firmware or "", board.micropython)
    if board.start is not None:
        yield from _start_checks(board.start)
    elif isinstance(board.error, GameError):
        yield Check("game", False, str(board.error), board.error.details)
    elif board.micropython is not None:
        yield Check("game", False, "does not start; run `noughts put`")


def _drive_checks(board: ProbedBoard) -> Iterator[Check]:
    drive, port = board.drive, board.port
    if drive is not None:
        facts = f"{drive.path}, interface {drive.interface}"
        if drive.maintenance:
            facts += f": {MAINTENANCE}"
        yield Check("drive", not drive.maintenance, facts)
    elif port is not None and port.usb_id is not None:
        not_mounted = "not mounted; mount it if you need `noughts flash`"
        yield Check("drive", False, str(refusal() or not_mounted))


def _start_checks(start: Start) -> Iterator[Check]:
    if start.boot is not None:
        yield Check("game", True, f"{start.release}, table {start.boot.table_id}")
    if start.radio.gateway is not None:
        yield Check("radio", True, str(start))
    elif start.radio != OFF:
        yield Check("radio", True, f"{start.radio} as {start.radio_id}")


def _firmware(board_model: str, release: str, micropython: str) -> Check:
    """Whether the game runs well on a firmware, and the line to report."""
    facts = f"MicroPython {micropython} (firmware {release})"
    if not is_sound(board_model, release):
        facts += ": it may stop saving the settings, and freeze when tilted; run `noughts flash`"
        return Check("firmware", False, facts)
    ours = bundled_for(board_model).release
    if version_numbers(release) < version_numbers(ours):
        facts += f"; `noughts flash` updates it to {ours}"
    return Check("firmware", True, facts)
