"""`noughts flash`: copy the hex to a board's drive, and see on its serial port that it starts."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from noughts.commands import recovered_games
from noughts.commands.options import add_db, add_radio, add_unproved, prove_table
from noughts.errors import BoardError, NoughtsError, in_words, printable
from noughts.hardware import drive as drives
from noughts.hardware.drive import Drive
from noughts.hardware.flashing import flash, hex_in, our_hex
from noughts.invocation import as_typed
from noughts.radio_files import OFF
from noughts.terminal.progress import progress


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's options."""
    parser.add_argument(
        "drive",
        nargs="?",
        metavar="DRIVE",
        type=Path,
        help="the board's drive (found automatically)",
    )
    parser.add_argument("--all", action="store_true", help="flash every board that is plugged in")
    parser.add_argument(
        "--hex", metavar="FILE", type=Path, help="copy this hex, which `noughts hex` made"
    )
    add_unproved(parser)
    add_radio(parser)
    parser.add_argument(
        "--port",
        metavar="PORT",
        help="the board's serial port (found automatically on real boards)",
    )
    parser.add_argument(
        "--no-verify",
        action="store_true",
        help="do not check on the serial port that the game starts",
    )
    add_db(parser)


def run(args: argparse.Namespace) -> int:
    """Flash one board, or all; with `--all`, go on after a failure and tell it at the end."""
    if args.all and (args.drive or args.port):
        args.error("--all flashes every board; leave out DRIVE and --port")
    if args.hex and args.radio:
        args.error("--hex copies a hex as it is; give --radio or --gateway to `noughts hex`")
    chosen = _chosen(args.drive, args.all)
    say = partial(print, flush=True)
    what = hex_in(args.hex) if args.hex else our_hex(args.radio or OFF)
    if what.table is not None:
        prove_table(what.table, args.unproved)
    failed = 0
    for drive in chosen:
        try:
            keep = recovered_games.of_drive(drive, args.port, args.db)
            flash(drive, what, say, progress, port=args.port, verify=not args.no_verify, keep=keep)
        except (NoughtsError, OSError) as error:
            if not args.all:
                raise
            failed += 1
            print(f"noughts: {drive.path}: {printable(as_typed(in_words(error)))}", file=sys.stderr)
    if failed:
        raise BoardError(
            f"{failed} of {len(chosen)} boards failed; see above, and flash them again"
        )
    return 0


def _chosen(path: Path | None, every: bool) -> Sequence[Drive]:
    if path is not None:
        drive = drives.look(path)
        if drive is None:
            raise BoardError(
                f"{path} is not a micro:bit's drive (it has no DETAILS.TXT); check the path"
            )
        return [drive]
    found = drives.find_drives()
    if not found:
        raise BoardError(drives.NO_DRIVE)
    return found if every or len(found) == 1 else [_ask(found)]


def _ask(found: Sequence[Drive]) -> Drive:
    names = ", ".join(str(drive.path) for drive in found)
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise BoardError(
            f"{len(found)} boards are plugged in ({names}); name a drive, or use --all"
        )
    for number, drive in enumerate(found, 1):
        print(f"{number}  {drive}")
    while True:
        try:
            answer = input(f"Which board, 1 to {len(found)}? ").strip()
        except EOFError:
            raise BoardError("no board was chosen; name a drive, or use --all") from None
        if answer.isascii() and answer.isdigit() and 1 <= int(answer) <= len(found):
            return found[int(answer) - 1]
        print(f"{answer!r} is not a number from 1 to {len(found)}")
