"""`noughts put`: update the files of a running board over its serial port."""

from __future__ import annotations

import argparse
import contextlib
import sys
from collections.abc import Mapping
from pathlib import Path

from noughts import brain
from noughts.device_files import files_for_boards
from noughts.errors import NoughtsError
from noughts.hardware.boot import confirmed
from noughts.hardware.file_transfer import BoardFiles
from noughts.hardware.ports import choose_port, open_port
from noughts.hardware.update import Update, plan
from noughts.invocation import as_typed
from noughts.packing import pack
from noughts.terminal.progress import progress

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
    parser.add_argument(
        "--replace",
        action="store_true",
        help="overwrite another program's files of the same names, such as its main.py",
    )


def run(args: argparse.Namespace) -> int:
    """Compare, send what differs, restart, confirm."""
    files = files_for_boards()
    if args.table:
        files["table.py"] = pack(brain.source(read_table(args.table)).encode())
    table_id = brain.of(files).id
    name = choose_port(args.port)
    with contextlib.closing(open_port(name)) as port:
        board = BoardFiles(port)
        with board.stopped():
            kind, present = board.survey()
            update = plan(kind, present, files, args.replace)
            print(f"micro:bit {kind} on {name}: {len(update.send)} of {len(files)} files to send")
            _perform(update, board, files)
        boot = board.restart()
    print(confirmed(boot, table_id))
    return 0


def _perform(update: Update, board: BoardFiles, files: Mapping[str, bytes]) -> None:
    try:
        _carry_out(update, board, files)
    except KeyboardInterrupt:
        print(
            "noughts: interrupted: the game on the board may be incomplete; "
            + as_typed("run `noughts put` again"),
            file=sys.stderr,
        )
        raise


def _carry_out(update: Update, board: BoardFiles, files: Mapping[str, bytes]) -> None:
    with progress(sum(len(files[name]) for name in update.send)) as steps:
        if update.remove:
            board.remove(update.remove)
        for name in update.remove:
            if name not in update.send:
                steps.say(f"removed {name}")
        for name in update.send:
            steps.doing(name)
            board.send(name, files[name])
            steps.advance(len(files[name]))
            steps.say(f"sent {name} ({len(files[name]):,} bytes)")


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
