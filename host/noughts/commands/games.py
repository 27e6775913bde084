"""`noughts games`: the games that are kept."""

from __future__ import annotations

import argparse
import json
import shutil
import sys
from collections.abc import Iterable

from noughts.commands.options import add_db, add_game_filter, game_filter, nothing_found, open_store
from noughts.protocol.describe import seated, short, won
from noughts.store import timestamps
from noughts.store.queries import StoredGame, count, games
from noughts.terminal.layout import columns

_NEWEST = 20
_MAX = 1_000_000_000

RECORDS = """
--json prints a list of objects, one a line, the newest first: game (its number here), board, boot,
number (the board's own count since that boot), seats, first, moves (cells 0 to 8), thought_ms (for
each move, null if not heard), ms, result, started and heard (ISO 8601, UTC, or null), hardware,
release, table_id (null if the board's start was not heard).
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's options."""
    parser.add_argument(
        "-n",
        metavar="N",
        type=_number,
        help=f"at most so many, the newest ({_NEWEST}; all with --json)",
    )
    parser.add_argument("--json", action="store_true", help="print the games as JSON")
    add_game_filter(parser)
    add_db(parser)
    parser.epilog = f"{parser.epilog or ''}\n{RECORDS}"


def _number(text: str) -> int:
    if not text.isdecimal() or not text.isascii() or not 1 <= len(text) <= 9 or not int(text):
        raise argparse.ArgumentTypeError(f"{text[:20]!r} is not a number of games, 1 or more")
    return int(text)


def run(args: argparse.Namespace) -> int:
    """List games."""
    which = game_filter(args)
    with open_store(args) as store:
        if args.json:
            found = games(store, which, args.n or _MAX)
            _print_json(found)
            return 0
        listed = list(games(store, which, args.n or _NEWEST))
        if not listed:
            raise nothing_found(store)
        total = count(store, which)
    _print(listed)
    if total > len(listed):
        print(f"{total - len(listed):,} more; -n N shows more of them", file=sys.stderr)
    return 0


def _print_json(found: Iterable[StoredGame]) -> None:
    """A list with an object in each line, printed while it is read."""
    before = "["
    for game in found:
        print(before, json.dumps(_record(game)), sep="", end="")
        before = ",\n"
    print("[]" if before == "[" else "]")


def _print(listed: list[StoredGame]) -> None:
    head = ("game", "began", "A", "B", "first", "moves", "seconds", "result", "board")
    rows = [
        (
            str(game.id),
            timestamps.local(game.started),
            seated(game.seats[0]),
            seated(game.seats[1]),
            game.first,
            str(len(game.moves)),
            f"{game.ms / 1000:.0f}",
            won(game.result),
            short(game.board),
        )
        for game in listed
    ]
    numbers = [head.index(name) for name in ("game", "moves", "seconds")]
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else None
    for line in columns([head, *rows], right=numbers):
        print(line[:width])


def _record(game: StoredGame) -> dict[str, object]:
    return {
        "game": game.id,
        "board": game.board,
        "boot": game.boot,
        "number": game.number,
        "seats": game.seats,
        "first": game.first,
        "moves": list(map(int, game.moves)),
        "thought_ms": game.thought_ms,
        "ms": game.ms,
        "result": game.result,
        "started": None if game.started is None else timestamps.iso(game.started),
        "heard": None if game.heard is None else timestamps.iso(game.heard),
        "hardware": game.hardware,
        "release": game.release,
        "table_id": game.table_id,
    }
