"""`noughts boards`: the boards that were seen, and what people call them."""

from __future__ import annotations

import argparse
import json

from noughts.commands.options import add_db, add_records, no_board_yet, open_store
from noughts.errors import printable
from noughts.protocol.describe import short
from noughts.protocol.radio_boards import is_by_radio
from noughts.store import timestamps
from noughts.store.boards import MAX_NAME, KnownBoard, as_name, boards, known_board
from noughts.terminal.layout import columns

RECORDS = """
--json prints a list of objects: number, board (usb- and the USB serial number, radio- and its id,
else the port or the log's file), by_radio (true: anybody near may have sent it), name, hardware (V1
or V2), games, heard (when a game of it was last heard of; ISO 8601, UTC); null for what is not
known.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's options."""
    parser.add_argument("--json", action="store_true", help="print the boards as JSON")
    add_db(parser)
    add_records(parser, RECORDS)
    parser.set_defaults(board=None)
    name = parser.add_subparsers(metavar="name", help="name a board").add_parser(
        "name",
        description="Name a board. The name shows wherever the board does.",
        epilog='Example:\n  noughts boards name 3 "blue table"\n  noughts boards name 3 ""',
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    name.add_argument("board", metavar="BOARD", help="its number in `noughts boards`, or USB id")
    name.add_argument(
        "name",
        metavar="NAME",
        type=_name,
        help=f"at most {MAX_NAME} characters, and no other board's; an empty one takes it away",
    )
    # Its default would replace what stands before `name`.
    add_db(name, default=argparse.SUPPRESS)


def _name(text: str) -> str | None:
    try:
        return as_name(text.encode(errors="replace").decode())
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"{text[:60]!r} is not a usable name: {error}") from error


def run(args: argparse.Namespace) -> int:
    """List boards, or name one."""
    with open_store(args) as store:
        if args.board is not None:
            board = known_board(store, args.board)
            store.name_board(board.board, args.name)
            told = "has no name any more" if args.name is None else f"is now {args.name}"
            print(printable(f"board {board.number}, {short(board.board)}, {told}"))
            return 0
        known = boards(store)
        if not known and not args.json:
            raise no_board_yet(store)
    if args.json:
        print(json.dumps([_record(board) for board in known], indent=1))
        return 0
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
    head = ("number", "name", "kind", "games", "last heard", "board")
    print("\n".join(columns([head, *rows], right=(0, 3))))
    return 0


def _record(board: KnownBoard) -> dict[str, object]:
    heard = None if board.heard is None else timestamps.iso(board.heard)
    return {**vars(board), "by_radio": is_by_radio(board.board), "heard": heard}
