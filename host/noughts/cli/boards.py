"""`noughts boards`: the boards that were seen, and what people call them."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import click

from noughts.cli import options
from noughts.errors import StoreError, printable
from noughts.protocol.describe import short
from noughts.protocol.radio_boards import is_by_radio
from noughts.store import timestamps
from noughts.store.boards import MAX_NAME, KnownBoard, as_name, boards, known_board
from noughts.terminal.layout import columns

RECORDS = """
--json prints a list of objects: number, board (usb- and the USB serial number, radio- and its id,
else the port or the log's file), by_radio (true: anybody near may have sent it), name, hardware (V1
or V2), games, heard (when a game of it was last received; ISO 8601, UTC); null for what is not
known.
"""


def _name(text: str) -> str | None:
    try:
        return as_name(text.encode(errors="replace").decode())
    except ValueError as error:
        raise ValueError(f"{text[:60]!r} is not a usable name: {error}") from error


@options.command(
    "noughts boards",
    'noughts boards name 3 "blue table"',
    records=RECORDS,
    cls=options.Group,
    invoke_without_command=True,
)
@options.as_json("the boards")
@options.db
@click.pass_context
def run(context: click.Context, as_json: bool, db: Path | None) -> None:
    """List known boards, and name them."""
    if context.invoked_subcommand:
        return
    with options.open_store(db) as store:
        known = boards(store)
        if not known and not as_json:
            raise options.no_board_yet(store)
        note = options.newer_demonstration(store.path)
    if as_json:
        print(json.dumps([_record(board) for board in known], indent=1))
        return
    rows = [
        (
            str(board.number),
            printable(board.name or "-"),
            printable(board.hardware or "-"),
            f"{board.games:,}",
            timestamps.local(board.heard),
            short(board.board),
        )
        for board in known
    ]
    head = ("number", "name", "kind", "games", "last seen", "board")
    print("\n".join(columns([head, *rows], right=(0, 3))))
    if note:
        print(note, file=sys.stderr)


@options.command('noughts boards name 3 "blue table"', 'noughts boards name 3 ""')
@click.argument("board", help="its number in `noughts boards`, or USB id")
@click.argument(
    "name",
    type=_name,
    help=f"at most {MAX_NAME} characters, and no other board's; an empty one takes it away",
)
@options.db
@click.pass_context
def _name_board(context: click.Context, board: str, name: str | None, db: Path | None) -> None:
    """Name a board. The name shows wherever the board does."""
    before = context.parent.params["db"] if context.parent else None
    with options.open_store(db or before) as store:
        try:
            known = known_board(store, board)
        except StoreError as error:
            note = options.newer_demonstration(store.path)
            raise StoreError(f"{error}; {note}" if note else str(error)) from error
        store.name_board(known.board, name)
    change = "has no name any more" if name is None else f"is now {name}"
    print(printable(f"board {known.number}, {short(known.board)}, {change}"))


run.add_command(_name_board, "name")


def _record(board: KnownBoard) -> dict[str, object]:
    heard = None if board.heard is None else timestamps.iso(board.heard)
    return {**vars(board), "by_radio": is_by_radio(board.board), "heard": heard}
