"""What there is to say of this computer and the boards on it, and what to do: for `doctor`."""

from __future__ import annotations

import platform
import re
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import version

from noughts import __version__, brain
from noughts.device_files import device_files
from noughts.errors import BoardError, NoughtsError
from noughts.firmware.image import bundled, is_sound
from noughts.hardware.probe import ProbedBoard
from noughts.hardware.radio import OFF


@dataclass(frozen=True)
class Check:
    """One line of the page."""

    what: str
    good: bool
    found: str
    """What is so, or what is wrong and what to do."""
    details: tuple[str, ...] = ()
    """More lines for a person, such as a traceback."""


def of_computer(any_board: bool, emulate: Callable[[], object]) -> list[Check]:
    """What there is to say of this computer.

    any_board: whether a board was found on it. emulate: raises `BoardError` where none can be
    emulated.
    """
    checks = [_python(), _game(), _emulator(emulate)]
    if not any_board:
        checks.append(
            Check(
                "boards",
                False,
                "none found; plug one in with a cable that has data lines "
                "(`noughts play` needs no board)",
            )
        )
    return checks


def _python() -> Check:
    return Check("Python", True, f"{platform.python_version()} on {platform.system()}")


def _game() -> Check:
    try:
        found = brain.of(device_files())
    except NoughtsError as error:
        return Check("noughts", False, str(error))
    return Check("noughts", True, f"{__version__}, table {found.id}")


def _emulator(emulate: Callable[[], object]) -> Check:
    try:
        emulate()
    except BoardError as error:
        return Check("emulator", False, str(error))
    return Check("emulator", True, f"Unicorn {version('unicorn')}")


def of_board(board: ProbedBoard) -> list[Check]:
    """What there is to say of a board."""
    checks = []
    if board.drive is not None:
        drive = board.drive
        found = f"{drive.path}, interface {drive.interface}"
        if drive.maintenance:
            found += ": in maintenance mode; unplug it and plug it in without holding reset"
        checks.append(Check("drive", not drive.maintenance, found))
    elif board.port is not None and board.port.usb_id is not None:
        checks.append(
            Check("drive", False, "not mounted; `noughts flash` needs it, `put` does not")
        )
    if board.port is not None:
        good = board.problem is None or board.micropython is not None
        found = f"{board.port.name}, accessible" if good else board.problem or ""
        checks.append(Check("port", good, found))
    elif board.problem is not None:
        checks.append(Check("port", False, board.problem))
    if board.board is not None:
        checks.append(Check("board", True, f"micro:bit {board.board}"))
    if board.micropython is not None:
        sound = is_sound(board.board or "", board.firmware or "")
        found = f"MicroPython {board.micropython} (firmware {board.firmware})"
        if not sound:
            found += (
                ": it may stop saving the settings, and freeze when tilted; run `noughts flash`"
            )
        elif newer := _newer_than(board.board or "", board.firmware or ""):
            found += f"; `noughts flash` brings {newer}"
        checks.append(Check("firmware", sound, found))
    if board.start is not None:
        boot, start = board.boot, board.start
        if boot is not None:
            checks.append(Check("game", True, f"{boot.release}, table {boot.table_id}"))
        if start.radio.gateway is not None:
            checks.append(Check("radio", True, f"{start.radio}, release {start.release}"))
        elif start.radio != OFF:
            checks.append(Check("radio", True, f"{start.radio} as {start.radio_id}"))
    elif board.fault is not None:
        checks.append(Check("game", False, str(board.fault), board.fault.details))
    elif board.micropython is not None:
        checks.append(Check("game", False, "does not start; run `noughts put`"))
    return checks


def _newer_than(board: str, release: str) -> str:
    """The release of our firmware for a board, if it is newer than this one; else nothing."""
    ours = bundled().get(board)
    return ours.release if ours and _numbers(release) < _numbers(ours.release) else ""


def _numbers(release: str) -> list[int]:
    return [int(number) for number in re.findall(r"\d+", release)]
