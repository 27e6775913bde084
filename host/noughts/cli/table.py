"""`noughts table`: solve the game and write the chip's brain, or check the existing one."""

import json
from pathlib import Path

from noughts import brain
from noughts.cli import options
from noughts.cli.options import option
from noughts.device_files import device_dir
from noughts.errors import NoughtsError, printable
from noughts.files import atomic_write

_LEARNED = b"# noughts: hard's brain, made by `noughts learn`"
_SUMMARY = """\
positions       {positions:,} reachable, {unfinished:,} unfinished
up to symmetry  {classes} reachable, {unfinished_classes} unfinished, {quiet_classes} of them quiet
table           {payload_bytes} bytes: 10 weights, {book_entries} in the book
table id        {table_id}
against random  wins {wins_first} moving first, {wins_second} moving second; never loses"""
_LEARNED_SUMMARY = """\
table {table_id} was made by `noughts learn`: {payload_bytes} bytes, {book_entries} in the book"""


@options.command("noughts table --check")
@options.output("write here instead of device/table.py", endings=[".py"])
@option("--check", "write nothing; exit 1 if the file differs from what would be written")
@options.as_json("the summary")
def run_table(output: Path | None, check: bool, as_json: bool) -> None:
    """Make or check the table the chip plays by."""
    path = output or device_dir() / "table.py"
    made = brain.make()
    brain.check(made)
    content = brain.source(made).encode()
    facts, summary = brain.summary(made), _SUMMARY
    done = "is up to date" if check else "written"
    if not check:
        atomic_write(path, content)
    elif (present := path.read_bytes()).startswith(_LEARNED):
        table = options.read_table(path)
        brain.prove(table)
        facts = {
            "payload_bytes": len(table.payload),
            "book_entries": len(table.book),
            "table_id": table.id,
            "never_loses": True,
        }
        summary = _LEARNED_SUMMARY
        done = "never loses, and keeps the value of all 4,520 positions"
    elif present != content:
        raise NoughtsError(f"{path} differs from the table that is generated; run `noughts table`")
    if as_json:
        print(json.dumps(facts))
    else:
        print(summary.format(**facts))
        print(printable(f"{path} {done}"))
