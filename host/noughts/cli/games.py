"""`noughts games`: the stored games."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Iterable
from pathlib import Path

import click

from noughts.cli import options
from noughts.store import timestamps
from noughts.store.queries import count, games
from noughts.store.stored_game import FIELDS, StoredGame, values
from noughts.terminal.layout import columns
from noughts.views.game_filter import ChosenGames
from noughts.views.games import GameRow, game_row

_NEWEST = 20
_MAX = 1_000_000_000

_WIDTH = max(len(field.name) for field in FIELDS)
RECORDS = f"""
--json prints a list of objects, one per line, the newest first; times as ISO 8601, UTC; null for
what was not received:
{chr(10).join(f"  {field.name:<{_WIDTH}}  {field.meaning}" for field in FIELDS)}
"""


@options.command(
    "noughts games", "noughts games --seats PH --result A --since 2026-11-21", records=RECORDS
)
@click.option(
    "-n",
    metavar="N",
    type=options.IntRange(1, _MAX),
    help=f"list at most the newest N ({_NEWEST}; all with --json)",
)
@options.as_json("the games")
@options.stored_games
def run(n: int | None, as_json: bool, chosen: ChosenGames, db: Path | None) -> None:
    """List the stored games."""
    which = chosen.listed()
    with options.open_store(db) as store:
        if as_json:
            _print_json(games(store, chosen.filter(), n or _MAX))
            return
        listed = list(map(game_row, games(store, which, n or _NEWEST)))
        if not listed:
            raise options.nothing_found(store)
        total = count(store, which)
        unfinished = 0 if chosen.results else count(store, chosen.filter()) - total
        note = options.newer_demonstration(store.path)
    _print(listed)
    if total > len(listed):
        print(f"{total - len(listed):,} more; -n N shows more of them", file=sys.stderr)
    if unfinished:
        print(f"{unfinished:,} unfinished; --result unfinished lists them", file=sys.stderr)
    if note:
        print(note, file=sys.stderr)


def _print_json(found: Iterable[StoredGame]) -> None:
    """A list with an object in each line, printed while it is read."""
    before = "["
    for game in found:
        print(before, json.dumps(_record(game)), sep="", end="")
        before = ",\n"
    print("[]" if before == "[" else "]")


def _print(listed: list[GameRow]) -> None:
    head = ("game", "began", "A", "B", "first", "moves", "seconds", "result", "board")
    rows = [
        (
            str(row.number),
            row.began,
            row.player_a,
            row.player_b,
            row.first,
            str(row.moves),
            str(row.seconds),
            row.result,
            row.board,
        )
        for row in listed
    ]
    numbers = [head.index(name) for name in ("game", "moves", "seconds")]
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else None
    for line in columns([head, *rows], right=numbers):
        print(line[:width])


def _record(game: StoredGame) -> dict[str, object]:
    return {
        field.name: timestamps.iso(value) if field.kind == "moment" and value is not None else value
        for field, value in zip(FIELDS, values(game), strict=True)
    }
