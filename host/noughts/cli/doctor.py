"""`noughts doctor`: one page about this computer and the boards on it, and what to do."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict

import click

from noughts.boards.probe import Check, ProbedBoard, inspect, of_board, of_computer
from noughts.cli import options
from noughts.errors import printable
from noughts.invocation import as_typed
from noughts.virtual.program import try_emulator


@options.command("noughts doctor", "noughts doctor --json")
@click.option(
    "--port",
    metavar="PORT",
    multiple=True,
    help="look at this serial port too; may be given several times",
)
@click.option(
    "--no-restart",
    is_flag=True,
    help="do not query what runs on the boards, which restarts their game",
)
@options.as_json("the report")
def run(port: tuple[str, ...], no_restart: bool, as_json: bool) -> int:
    """Check computer and boards for problems."""
    boards = [(each, of_board(each)) for each in inspect(port, not no_restart)]
    here = of_computer(bool(boards), try_emulator)
    all_good = all(
        check.good for checks in (here, *(each for _, each in boards)) for check in checks
    )
    if as_json:
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
            "release": board.start.release if board.start else None,
            "table_id": board.boot.table_id if board.boot else None,
            "radio_group": board.start.radio.sends if board.start else None,
            "radio_id": board.start.radio_id if board.start else None,
            "gateway_group": board.start.radio.gateway if board.start else None,
            "checks": [asdict(check) for check in checks],
        }
        for board, checks in boards
    ]
