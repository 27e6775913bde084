"""`noughts put`: update the files of a running board over its serial port."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import click

from noughts import brain
from noughts.boards.packing import files_for_boards, pack
from noughts.boards.ports import choose_port
from noughts.boards.put import bring_up_to_date
from noughts.boards.radio import Radio
from noughts.cli import options
from noughts.invocation import as_typed
from noughts.terminal.output import Steps, progress


@options.command(
    "noughts put",
    "noughts put --port /dev/ttyACM0 --table my_table.py",
    "noughts put --gateway 7",
    "noughts put --radio off",
)
@click.option(
    "--port",
    metavar="PORT",
    help="the board's serial port, if there are several: a device or a pyserial URL",
)
@click.option("--table", type=options.FILE, help="send this table instead of device/table.py")
@options.unproved
@partial(options.radio, off=True)
@click.option(
    "--forget",
    is_flag=True,
    help="the board forgets the games that it has stored, and the choice that its menu offers "
    "first",
)
@click.option(
    "--replace",
    is_flag=True,
    help="overwrite another program's files of the same names, such as its main.py",
)
def run(
    port: str | None,
    table: Path | None,
    unproved: bool,
    radio: Radio | None,
    forget: bool,
    replace: bool,
) -> None:
    """Update the game on a board over serial."""
    is_gateway = radio is not None and radio.gateway is not None
    if table and is_gateway:
        raise click.UsageError("a gateway has no table; leave out --table")
    files = files_for_boards()
    if table:
        files["table.py"] = pack(brain.source(options.read_table(table)).encode())
    present = brain.of(files)  # report missing files before looking for a board
    if not is_gateway:
        options.prove_table(present, unproved)
    name = choose_port(port)
    print(bring_up_to_date(name, files, replace, print, _interruptible, radio=radio, forget=forget))


@contextmanager
def _interruptible(total: int) -> Iterator[Steps]:
    try:
        with progress(total) as steps:
            yield steps
    except KeyboardInterrupt:
        print(
            "noughts: interrupted: the game on the board may be incomplete; "
            + as_typed("run `noughts put` again"),
            file=sys.stderr,
        )
        raise
