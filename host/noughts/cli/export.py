"""`noughts export`: the games as a table, for a spreadsheet, pandas, or another program."""

from __future__ import annotations

import csv
import io
import json
import sys
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import BinaryIO

import click

from noughts.cli import options
from noughts.cli.options import option
from noughts.errors import NoughtsError, printable
from noughts.invocation import installing
from noughts.protocol.describe import counted
from noughts.store import timestamps
from noughts.store.queries import count, games
from noughts.terminal.output import progress
from noughts.views.export_columns import COLUMNS, MEANINGS, Value, row
from noughts.views.game_filter import ChosenGames

_AT_ONCE = 10_000
_MOMENTS = [index for index, column in enumerate(COLUMNS) if column.kind == "moment"]
_WIDTH = max(len(names) for names, _ in MEANINGS)
RECORDS = f"""
columns:
{chr(10).join(f"  {names:<{_WIDTH}}  {meaning}" for names, meaning in MEANINGS)}

csv: UTF-8, with a header line; times as 2026-11-21 07:03:43.123, UTC; empty for no value.
jsonl: one object per line; times as 2026-11-21T07:03:43.123Z; null for no value.
parquet: 64-bit integers, strings, and times as timestamps in ms, UTC; null for no value.
"""

Rows = Iterator[list[list[Value]]]
"""Several at once; moments are ms since 1970."""


def _csv(rows: Rows, file: BinaryIO) -> Iterator[int]:
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow(column.name for column in COLUMNS)
    for some in rows:
        _write_moments(some, lambda at: timestamps.iso(at)[:-1].replace("T", " "))
        writer.writerows(some)
        file.write(text.getvalue().encode())
        text.seek(0)
        text.truncate()
        yield len(some)


def _jsonl(rows: Rows, file: BinaryIO) -> Iterator[int]:
    names = [column.name for column in COLUMNS]
    for some in rows:
        _write_moments(some, timestamps.iso)
        for values in some:
            file.write(json.dumps(dict(zip(names, values, strict=True))).encode() + b"\n")
        yield len(some)


def _parquet(rows: Rows, file: BinaryIO) -> Iterator[int]:
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError as error:
        raise NoughtsError(
            f"parquet needs pyarrow ({error}); install it with `{installing('pyarrow')}`"
        ) from error
    types = {"int": pyarrow.int64(), "str": pyarrow.string()}
    types["moment"] = pyarrow.timestamp("ms", tz="UTC")
    schema = pyarrow.schema(
        pyarrow.field(column.name, types[column.kind], metadata={"meaning": column.meaning})
        for column in COLUMNS
    )
    with parquet.ParquetWriter(file, schema) as writer:
        for some in rows:
            columns = map(list, zip(*some, strict=True))
            writer.write_table(pyarrow.table(list(columns), schema=schema))
            yield len(some)


def _write_moments(rows: list[list[Value]], written: Callable[[int], str]) -> None:
    """Write the moments as text, in place."""
    for values in rows:
        for index in _MOMENTS:
            at = values[index]
            if isinstance(at, int):
                values[index] = written(at)


_FORMATS = {"csv": _csv, "jsonl": _jsonl, "parquet": _parquet}


@options.command(
    "noughts export -o all.csv", "noughts export --format parquet -o games.parquet", records=RECORDS
)
@option("--format", "by the file's name, else csv", type=click.Choice(_FORMATS))
@options.output("the file to write (standard output)")
@options.stored_games
def run_export(
    format: str | None, output: Path | None, chosen: ChosenGames, db: Path | None
) -> None:
    """Write games as a table for a spreadsheet."""
    ending = output.suffix.lower()[1:] if output else ""
    kind = format or ending or "csv"
    if kind not in _FORMATS:
        raise click.UsageError(
            f"a file that ends in .{ending} may be anything; say --format csv, jsonl, parquet"
        )
    if kind == "parquet" and output is None and sys.stdout.isatty():
        raise click.UsageError("parquet is not text; name a file with -o")
    which = chosen.filter()
    with options.open_store(db) as store:
        total = count(store, which)
        if not total:
            raise options.nothing_found(store)
        with options.opened(output) as file, progress(total, "games") as steps:
            steps.doing("exporting")
            rows = map(row, games(store, which))
            written = 0
            for size in _FORMATS[kind](iter(lambda: list(islice(rows, _AT_ONCE)), []), file):
                written += size
                steps.advance(size)
    if output and output.is_file():
        print(printable(f"{output} written: {counted(written, 'game')}"))
