"""`noughts put`: update the files of a running board over its serial port."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from noughts import brain
from noughts.commands import recovered_games
from noughts.commands.options import add_db, add_radio, add_unproved, prove_table
from noughts.device_files import files_for_boards
from noughts.errors import NoughtsError
from noughts.hardware.ports import choose_port
from noughts.hardware.update import bring_up_to_date
from noughts.invocation import as_typed
from noughts.packing import pack
from noughts.terminal.progress import Steps, progress

_MAX_TABLE = 64 << 10


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's options."""
    parser.add_argument(
        "--port",
        metavar="PORT",
        help="the board's serial port, if there are several: a device or a pyserial URL",
    )
    parser.add_argument(
        "--table", metavar="FILE", type=Path, help="send this table instead of device/table.py"
    )
    add_unproved(parser)
    add_radio(parser, off=True)
    parser.add_argument(
        "--forget",
        action="store_true",
        help="the board forgets the games that it has stored, and the choice that its menu "
        "offers first",
    )
    parser.add_argument(
        "--replace",
        action="store_true",
        help="overwrite another program's files of the same names, such as its main.py",
    )
    add_db(parser)


def run(args: argparse.Namespace) -> int:
    """Compare, send what differs, restart, confirm."""
    if args.table and args.radio and args.radio.gateway is not None:
        args.error("a gateway has no table; leave out --table")
    files = files_for_boards()
    if args.table:
        files["table.py"] = pack(brain.source(read_table(args.table)).encode())
    table = brain.of(files)  # what is missing here is said before any board is looked for
    if not (args.radio and args.radio.gateway is not None):
        prove_table(table, args.unproved)
    name = choose_port(args.port)
    print(
        bring_up_to_date(
            name,
            files,
            args.replace,
            print,
            _interruptible,
            radio=args.radio,
            forget=args.forget,
            keep=recovered_games.of_port(name, args.db),
        )
    )
    return 0


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


def read_table(path: Path) -> brain.Table:
    """The table in a file. Raises `NoughtsError` if it cannot be read or is not a table."""
    try:
        with path.open("rb") as file:
            return brain.read(file.read(_MAX_TABLE).decode("ascii"), str(path))
    except OSError as error:
        raise NoughtsError(f"cannot read {path} ({error.strerror}); check the name") from error
    except UnicodeDecodeError as error:
        raise NoughtsError(
            f"{path} is not a table; make one with `noughts table -o FILE`"
        ) from error
