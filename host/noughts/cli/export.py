"""`noughts export`: the games as a table, for a spreadsheet, pandas, or another program."""

import csv
import io
import json
import sys
from collections.abc import Callable, Iterator, Sequence
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
from noughts.store.queries import GameFilter, count, games
from noughts.terminal import layout
from noughts.terminal.output import progress
from noughts.views.export_columns import COLUMNS, MEANINGS, Value, columns_of

_AT_ONCE = 2_000
RECORDS = f"""
\b
columns:
{chr(10).join(layout.columns([("", *each) for each in MEANINGS]))}

\b
csv: UTF-8, with a header line; times as 2026-11-21 07:03:43.123, UTC; empty for no value.
jsonl: one object per line; times as 2026-11-21T07:03:43.123Z; null for no value.
parquet: 64-bit integers, strings, and times as timestamps in ms, UTC; null for no value.
"""

Columns = Iterator[list[Sequence[Value]]]
"""The values of several games at once, by column."""
_Write = Callable[[Columns, BinaryIO], object]


def _csv(parts: Columns, file: BinaryIO) -> None:
    file.write(",".join(column.name for column in COLUMNS).encode() + b"\r\n")
    for columns in parts:
        text = io.StringIO()
        csv.writer(text).writerows(zip(*columns, strict=True))
        file.write(text.getvalue().encode())


def _jsonl(parts: Columns, file: BinaryIO) -> None:
    names = [column.name for column in COLUMNS]
    for columns in parts:
        for row in zip(*columns, strict=True):
            file.write(json.dumps(dict(zip(names, row, strict=True))).encode() + b"\n")


def _parquet(parts: Columns, file: BinaryIO) -> None:
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError as error:
        raise NoughtsError(
            f"parquet needs pyarrow ({error}); install it with `{installing('pyarrow')}`"
        ) from error
    types = {"int": pyarrow.int64(), "timestamp": pyarrow.timestamp("ms", tz="UTC")}
    schema = pyarrow.schema(
        pyarrow.field(name, types.get(kind, pyarrow.string()), metadata={"meaning": meaning})
        for name, kind, meaning in COLUMNS
    )
    with parquet.ParquetWriter(file, schema) as writer:
        for columns in parts:
            writer.write_table(pyarrow.table(list(map(list, columns)), schema=schema))


_FORMATS: dict[str, tuple[_Write, Callable[[int], Value]]] = {
    "csv": (_csv, timestamps.utc),
    "jsonl": (_jsonl, timestamps.iso),
    "parquet": (_parquet, int),
}
"""By name: how rows are written, and how timestamps in them are."""


@options.command(
    "noughts export -o all.csv", "noughts export --format parquet -o games.parquet", records=RECORDS
)
@option("--format", "the format (by the file's name, else csv)", type=click.Choice(_FORMATS))
@options.output("the file to write (standard output, also as -)")
@options.stored_games
def run_export(
    format: str | None, output: Path | None, chosen: GameFilter, db: Path | None
) -> None:
    """Write games as a table for a spreadsheet."""
    ending = output.suffix.lower()[1:] if output else ""
    kind = format or ending or "csv"
    if kind not in _FORMATS:
        raise click.UsageError(
            f"cannot tell the format from .{ending}; add --format csv, jsonl or parquet"
        )
    if kind == "parquet" and output is None and sys.stdout.isatty():
        raise click.UsageError("parquet is not text; name a file with -o")
    with options.open_store(db) as store:
        total = count(store, chosen)
        if not total:
            raise options.nothing_found(store)
        with options.opened(output) as file, progress(total, "games") as steps:
            steps.doing("exporting")
            write, as_timestamp = _FORMATS[kind]
            found = games(store, chosen)

            def parts() -> Columns:
                while part := list(islice(found, _AT_ONCE)):
                    yield columns_of(part, as_timestamp)
                    steps.advance(len(part))

            write(parts(), file)
    if output and output.is_file():
        print(printable(f"{output} written: {counted(total, 'game')}"))
