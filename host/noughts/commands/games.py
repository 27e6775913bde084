"""`noughts games`: the games that are kept."""

from __future__ import annotations

import argparse
import json
import shutil
import sys
from collections.abc import Iterable

from noughts.commands.options import add_stored_games, game_filter, nothing_found, open_store
from noughts.protocol.describe import seated, won
from noughts.store import timestamps
from noughts.store.queries import count, games
from noughts.store.stored_game import FIELDS, Field, StoredGame
from noughts.terminal.layout import columns

_NEWEST = 20
_MAX = 1_000_000_000

_WIDTH = max(len(field.name) for field, _ in FIELDS)
RECORDS = f"""
--json prints a list of objects, one a line, the newest first; moments as ISO 8601, UTC; null for
what was not heard:
{chr(10).join(f"  {field.name:<{_WIDTH}}  {field.meaning}" for field, _ in FIELDS)}
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
    add_stored_games(parser, RECORDS)


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
            str(game.when),
            seated(game.seats[0]),
            seated(game.seats[1]),
            game.first,
            str(len(game.moves)),
            f"{game.ms / 1000:.0f}",
            won(game.result),
            game.called,
        )
        for game in listed
    ]
    numbers = [head.index(name) for name in ("game", "moves", "seconds")]
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else None
    for line in columns([head, *rows], right=numbers):
        print(line[:width])


def _record(game: StoredGame) -> dict[str, object]:
    return {field.name: _as_json(field, value_of(game)) for field, value_of in FIELDS}


def _as_json(field: Field, value: object) -> object:
    return timestamps.iso(value) if field.kind == "moment" and isinstance(value, int) else value
