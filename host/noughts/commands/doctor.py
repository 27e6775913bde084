"""`noughts doctor`: one page about this computer and the boards on it, and what to do."""

from __future__ import annotations

import argparse
import json
import platform
import re
import sys
from dataclasses import asdict, dataclass
from importlib.metadata import version

from noughts import __version__, brain
from noughts.board_ids import V2
from noughts.device_files import device_files
from noughts.errors import BoardError, NoughtsError, printable
from noughts.firmware.image import bundled, is_sound
from noughts.hardware.probe import ProbedBoard, inspect
from noughts.invocation import as_typed
from noughts.virtual.program import Program


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's options."""
    parser.add_argument(
        "--port",
        metavar="PORT",
        action="append",
        default=[],
        help="look at this serial port too; may be given several times",
    )
    parser.add_argument(
        "--no-restart",
        action="store_true",
        help="do not query what runs on the boards, which restarts their game",
    )
    parser.add_argument("--json", action="store_true", help="print the report as JSON")


@dataclass(frozen=True)
class Check:
    """One line of the page."""

    what: str
    good: bool
    found: str
    """What is so, or what is wrong and what to do."""
    details: tuple[str, ...] = ()
    """More lines for a person, such as a traceback."""


def run(args: argparse.Namespace) -> int:
    """Print the page; 1 where something is wrong."""
    here = [_python(), _game(), _emulator()]
    boards = [(each, _checks(each)) for each in inspect(args.port, not args.no_restart)]
    if not boards:
        here.append(
            Check(
                "boards",
                False,
                "none found; plug one in with a cable that has data lines "
                "(`noughts play` needs no board)",
            )
        )
    all_good = all(
        check.good for checks in (here, *(each for _, each in boards)) for check in checks
    )
    if args.json:
        print(json.dumps({"here": [asdict(check) for check in here], "boards": _facts(boards)}))
        return not all_good
    for check in here:
        _print(check)
    for number, (_, checks) in enumerate(boards, 1):
        print(f"board {number}")
        for check in checks:
            _print(check)
    return not all_good


def _print(check: Check) -> None:
    marks = "✓✗"
    try:
        marks.encode(sys.stdout.encoding or "ascii")
    except UnicodeEncodeError:
        marks = "+!"
    print(f"{marks[not check.good]} {check.what:<10} {as_typed(check.found)}")
    for line in check.details:
        print(f"    {printable(line)}")


def _python() -> Check:
    return Check("Python", True, f"{platform.python_version()} on {platform.system()}")


def _game() -> Check:
    try:
        found = brain.of(device_files())
    except NoughtsError as error:
        return Check("noughts", False, str(error))
    return Check("noughts", True, f"{__version__}, table {found.id}")


def _emulator() -> Check:
    try:
        Program(V2, "no program", flash=bytes(8), uicr=bytes(4)).microbit()
    except BoardError as error:
        return Check("emulator", False, str(error))
    return Check("emulator", True, f"Unicorn {version('unicorn')}")


def _checks(board: ProbedBoard) -> list[Check]:
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
        good = board.problem is None or board.boot is not None or board.micropython is not None
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
    if board.boot is not None:
        boot = board.boot
        checks.append(Check("game", True, f"{boot.release}, table {boot.table_id}"))
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


def _facts(boards: list[tuple[ProbedBoard, list[Check]]]) -> list[dict[str, object]]:
    return [
        {
            "drive": str(board.drive.path) if board.drive else None,
            "interface": board.drive.interface if board.drive else None,
            "port": board.port.name if board.port else None,
            "usb_id": board.port.usb_id if board.port else None,
            "board": board.board,
            "firmware": board.firmware,
            "micropython": board.micropython,
            "release": board.boot.release if board.boot else None,
            "table_id": board.boot.table_id if board.boot else None,
            "checks": [asdict(check) for check in checks],
        }
        for board, checks in boards
    ]
