"""`noughts table`: solve the game and write the chip's brain, or check the one that is there."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import click

from noughts import brain
from noughts.cli import options
from noughts.device_files import device_dir
from noughts.errors import NoughtsError, printable
from noughts.files import write_whole


@options.command("noughts table --check")
@options.output("write here instead of device/table.py")
@click.option(
    "--check",
    is_flag=True,
    help="write nothing; exit 1 if the file differs from what would be written",
)
@options.as_json("the summary")
def run(output: Path | None, check: bool, as_json: bool) -> None:
    """Make or check the table the chip plays by."""
    if output == Path("-"):
        raise click.UsageError("cannot write a table to standard output; name a file")
    path = output or device_dir() / "table.py"
    made = brain.make()
    brain.check(made, brain.classes())
    content = brain.source(made).encode()
    if check:
        learned = _compare(path, content)
        if learned:
            _tell_learned(path, learned, as_json)
            return
    else:
        write_whole(path, content)
    facts = brain.summary(made)
    if as_json:
        print(json.dumps(dataclasses.asdict(facts)))
    else:
        _tell(facts)
        print(printable(f"{path} {'is up to date' if check else 'written'}"))


def _compare(path: Path, content: bytes) -> brain.Table | None:
    """Compare, or prove a table that was learned, which it returns."""
    try:
        present = path.read_bytes()
    except OSError as error:
        raise NoughtsError(
            f"cannot read {path} ({error.strerror}); run `noughts table` to write it"
        ) from error
    if present.startswith(b"# noughts: hard's brain, made by `noughts learn`"):
        table = options.read_table(path)
        brain.prove(table)
        return table
    if present != content:
        raise NoughtsError(f"{path} differs from the table that is generated; run `noughts table`")
    return None


def _tell_learned(path: Path, table: brain.Table, as_json: bool) -> None:
    facts = {
        "payload_bytes": len(table.payload),
        "book_entries": len(table.book),
        "table_id": table.id,
        "never_loses": True,
    }
    if as_json:
        print(json.dumps(facts))
    else:
        print(
            f"table {table.id} was made by `noughts learn`: {len(table.payload)} bytes, "
            f"{len(table.book)} in the book"
        )
        print(printable(f"{path} never loses, and keeps the value of all 4,520 positions"))


def _tell(facts: brain.Summary) -> None:
    print(f"positions       {facts.positions:,} reachable, {facts.unfinished:,} unfinished")
    print(
        f"up to symmetry  {facts.classes} reachable, {facts.unfinished_classes} unfinished, "
        f"{facts.quiet_classes} of them quiet"
    )
    print(
        f"table           {facts.payload_bytes} bytes: 10 weights, {facts.book_entries} in the book"
    )
    print(f"table id        {facts.table_id}")
    print(
        f"against random  wins {facts.wins_first} moving first, {facts.wins_second} moving second; "
        "never loses"
    )
