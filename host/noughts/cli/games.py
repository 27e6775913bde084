"""`noughts games`, `boards`, `replay` and `export`: the stored games, and their boards."""

import csv
import io
import json
import re
import shutil
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import BinaryIO

import click

from noughts.cli import options
from noughts.errors import NoughtsError, printable
from noughts.protocol.describe import counted, short
from noughts.protocol.radio_boards import is_by_radio
from noughts.store import timestamps
from noughts.store.board_names import MAX_NAME, as_name
from noughts.store.game_filter import GameFilter
from noughts.store.queries import boards, count, games, known_board
from noughts.store.queries import game as stored_game
from noughts.store.store import Store
from noughts.store.stored_game import StoredGame
from noughts.terminal.layout import columns, cut, meanings, table, with_short_names
from noughts.terminal.output import has_screen, progress, say
from noughts.views.export_columns import (
    COLUMNS,
    FIELDS,
    MEANINGS,
    Value,
    columns_of,
    values,
)
from noughts.views.game_list import games_table, listable
from noughts.views.replay import heading, replay

_NEWEST = 20
_MAX = 1_000_000_000  # games
_FIELDS_OF_A_GAME = meanings([(field.name, field.meaning) for field in FIELDS])
_GAMES = f"""
--json prints a list of objects, one per line, the newest first; times as ISO 8601, UTC; null for
what was not received:

\b
{_FIELDS_OF_A_GAME}
"""
_AT_ONCE = 2_000
_FORMAT_MEANINGS = meanings(
    [
        (
            "csv",
            "UTF-8, with a header line; times as 2026-11-21 07:03:43.123, UTC; empty for no value",
        ),
        ("jsonl", "one object per line; times as 2026-11-21T07:03:43.123Z; null for no value"),
        (
            "parquet",
            "64-bit integers, strings, and times as timestamps in ms, UTC; null for no value",
        ),
    ]
)
_EXPORT = f"""
\b
Columns:
{meanings(MEANINGS)}

\b
Formats:
{_FORMAT_MEANINGS}
"""


@options.command(
    "noughts games", "noughts games --seats PH --result A --since 2026-11-21", records=_GAMES
)
@click.option(
    "-n",
    metavar="N",
    cls=options.Option,
    type=options.IntRange(1, _MAX),
    help=f"list the newest N (default: {_NEWEST}; with --json, all)",
)
@options.as_json("the games")
@options.stored_games
def run_games(n: int | None, as_json: bool, game_filter: GameFilter, db: Path | None) -> None:
    """List the stored games."""
    which = listable(game_filter)
    with options.open_store(db) as store:
        if as_json:
            records = map(_record, games(store, game_filter, n or _MAX))
            print("[", ",\n".join(map(json.dumps, records)), "]", sep="")
            return
        listed = games_table(games(store, which, n or _NEWEST))
        if not listed.rows:
            raise options.nothing_found(store)
        total = count(store, which)
        unfinished = 0 if game_filter.results else count(store, game_filter) - total
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else None
    for line in table(listed if width is None else with_short_names(listed, width)):
        print(line if width is None else cut(line, width))
    if more := total - len(listed.rows):
        say(f"{more:,} more; -n N shows more of them")
    if unfinished:
        say(f"{unfinished:,} unfinished; --result unfinished lists them")


def _record(game: StoredGame) -> dict[str, object]:
    return {
        field.name: timestamps.iso(value) if value and field.column_type == "timestamp" else value
        for field, value in zip(FIELDS, values(game), strict=True)
    }


@options.command(
    "noughts boards",
    'noughts boards name 3 "blue table"',
    cls=click.Group,
    invoke_without_command=True,
)
@options.as_json("the boards")
@options.db
@click.pass_context
def run_boards(context: click.Context, as_json: bool, db: Path | None) -> None:
    """List known boards, and name them."""
    if context.invoked_subcommand:
        return
    with options.open_store(db) as store:
        all_boards = boards(store)
        if as_json:
            records = [
                {
                    **board._asdict(),
                    "by_radio": is_by_radio(board.board),
                    "heard": board.heard and timestamps.iso(board.heard),
                }
                for board in all_boards
            ]
            print(json.dumps(records, indent=1))
            return
        if not all_boards:
            raise options.nothing_found(store)
        rows = [("number", "name", "kind", "games", "last seen", "board")]
        for board in all_boards:
            name, kind = printable(board.name or "-"), printable(board.hardware or "-")
            seen, name_of_port = timestamps.local(board.heard), short(board.board)
            rows.append((str(board.number), name, kind, f"{board.games:,}", seen, name_of_port))
    print("\n".join(columns(rows, right=(0, 3))))


@options.command('noughts boards name 3 "blue table"', 'noughts boards name 3 ""')
@click.argument("board", help="its number in `noughts boards`, or its USB or radio id")
@click.argument(
    "name",
    type=lambda text: as_name(text.encode(errors="replace").decode()),
    help=f'at most {MAX_NAME} characters, not in use by another board; "" removes the name',
)
@options.db
@click.pass_context
def _name_board(context: click.Context, board: str, name: str | None, db: Path | None) -> None:
    """Name a board. The name shows wherever the board does."""
    group_db = context.parent.params["db"] if context.parent else None
    with options.open_store(db or group_db) as store:
        named_board = known_board(store, board)
        store.name_board(named_board.board, name)
    change = "no longer has a name" if name is None else f"is now {name}"
    print(printable(f"board {named_board.number}, {short(named_board.board)}, {change}"))


run_boards.add_command(_name_board, "name")


def _number(text: str) -> int | str:
    if text == "last":
        return text
    if not re.fullmatch("[0-9]{1,18}", text):
        raise ValueError(f"{text[:20]!r} is not a game number; see `noughts games`, or use `last`")
    return int(text)


@options.command("noughts replay last", "noughts replay 12 --text")
@click.argument(
    "game",
    type=_number,
    help="the game's number in `noughts games`, or `last` for the newest finished game",
)
@click.option(
    "--speed",
    metavar="X",
    cls=options.Option,
    type=options.Number(0.1, 100),
    help="play the game back, X times as fast as it was played",
)
@click.option(
    "--text",
    is_flag=True,
    help="print every step instead of stepping through the game",
)
@options.db
def run_replay(game: int | str, speed: float | None, text: bool, db: Path | None) -> None:
    """Step through a game, judging each move."""
    with options.open_store(db) as store:
        shown_game = _newest(store) if game == "last" else stored_game(store, int(game))
        head, steps = heading(shown_game), replay(shown_game).steps
    if not text and has_screen():
        from noughts.terminal.replay import ReplayApp

        ReplayApp(shown_game, speed).run()
        return
    from noughts.terminal.marks import step, wait_s

    print(head)
    for plies, current_step in enumerate(steps):
        if plies and speed is not None:
            time.sleep(wait_s(shown_game, plies - 1, speed))
        lines = "\n".join(part.plain for part in step(current_step)).rstrip().splitlines()
        print("", *(line.rstrip() for line in lines), sep="\n", flush=True)


def _newest(store: Store) -> StoredGame:
    """The newest game that was played to its end, or else the newest of all.

    A board begins the next game by itself: when it is switched off, one has often just begun.
    """
    for which in (GameFilter(results=("A", "B", "draw")), GameFilter()):
        for game in games(store, which, newest=1):
            return game
    raise options.nothing_found(store)


Columns = Iterator[list[Sequence[Value]]]
"""The values of several games at once, by column."""
_Write = Callable[[Columns, BinaryIO], object]


def _csv(parts: Columns, file: BinaryIO) -> None:
    file.write(",".join(column.name for column in COLUMNS).encode() + b"\r\n")
    for part in parts:
        text = io.StringIO()
        csv.writer(text).writerows(zip(*part, strict=True))
        file.write(text.getvalue().encode())


def _jsonl(parts: Columns, file: BinaryIO) -> None:
    names = [column.name for column in COLUMNS]
    for part in parts:
        for row in zip(*part, strict=True):
            file.write(json.dumps(dict(zip(names, row, strict=True))).encode() + b"\n")


def _parquet(parts: Columns, file: BinaryIO) -> None:
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError as error:
        raise NoughtsError(
            "parquet needs pyarrow; docs/install.md says how to install it"
        ) from error
    types = {"int": pyarrow.int64(), "timestamp": pyarrow.timestamp("ms", tz="UTC")}
    schema = pyarrow.schema(
        pyarrow.field(
            column.name,
            types.get(column.column_type, pyarrow.string()),
            metadata={"meaning": column.meaning},
        )
        for column in COLUMNS
    )
    with parquet.ParquetWriter(file, schema) as writer:
        for part in parts:
            writer.write_table(pyarrow.table(list(map(list, part)), schema=schema))


_FORMATS: dict[str, tuple[_Write, Callable[[int], Value]]] = {
    "csv": (_csv, timestamps.utc),
    "jsonl": (_jsonl, timestamps.iso),
    "parquet": (_parquet, int),
}
"""By name: how rows are written, and how timestamps in them are."""


@options.command(
    "noughts export -o all.csv", "noughts export --format parquet -o games.parquet", records=_EXPORT
)
@click.option(
    "--format",
    type=click.Choice(_FORMATS),
    help="the format (default: by the file's name, or csv)",
)
@options.output("the file to write (default, or -: standard output)")
@options.stored_games
def run_export(
    format: str | None, output: Path | None, game_filter: GameFilter, db: Path | None
) -> None:
    """Write games as a table for a spreadsheet."""
    ending = output.suffix.lower()[1:] if output else ""
    kind = format or ending or "csv"
    if kind not in _FORMATS:
        raise click.UsageError(f"there is no format {ending!r}; add --format csv, jsonl or parquet")
    if kind == "parquet" and not output and sys.stdout.isatty():
        raise click.UsageError("parquet is for a program; name a file, such as -o games.parquet")
    with options.open_store(db) as store:
        total = count(store, game_filter)
        if not total:
            raise options.nothing_found(store)
        with options.opened(output) as file, progress(total, "games") as steps:
            steps.describe("exporting")
            write, as_timestamp = _FORMATS[kind]
            exported_games = games(store, game_filter)

            def parts() -> Columns:
                while part := list(islice(exported_games, _AT_ONCE)):
                    yield columns_of(part, as_timestamp)
                    steps.advance(len(part))

            write(parts(), file)
    if output and output.is_file():
        print(printable(f"{output} written: {counted(total, 'game')}"))
