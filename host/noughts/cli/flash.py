"""`noughts flash`: copy the hex to a board's drive, and see on its serial port that it starts."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import click

from noughts.boards import drive as drives
from noughts.boards.drive import Drive
from noughts.boards.flash import flash, hex_in, our_hex
from noughts.boards.radio import OFF, Radio
from noughts.cli import options
from noughts.errors import BoardError, NoughtsError, error_message, printable
from noughts.invocation import as_typed
from noughts.terminal.output import progress


@options.command("noughts flash", "noughts flash --all", "noughts flash --all --radio 7")
@click.argument(
    "drive", required=False, type=options.FILE, help="the board's drive (found automatically)"
)
@click.option("--all", "every", is_flag=True, help="flash every board that is plugged in")
@click.option("--hex", type=options.FILE, help="copy this hex, which `noughts hex` made")
@options.unproved
@options.radio
@click.option(
    "--port", metavar="PORT", help="the board's serial port (found automatically on real boards)"
)
@click.option(
    "--no-verify", is_flag=True, help="do not check on the serial port that the game starts"
)
def run(
    drive: Path | None,
    every: bool,
    hex: Path | None,
    unproved: bool,
    radio: Radio | None,
    port: str | None,
    no_verify: bool,
) -> None:
    """Copy the game to a board by its USB drive.

    With `--all`, continue after a failure, and print at the end how many boards failed.
    """
    if every and (drive or port):
        raise click.UsageError("--all flashes every board; leave out DRIVE and --port")
    if hex and radio:
        raise click.UsageError(
            "--hex copies a hex as it is; give --radio or --gateway to `noughts hex`"
        )
    chosen = _chosen(drive, every)
    say = partial(print, flush=True)
    what = hex_in(hex) if hex else our_hex(radio or OFF)
    if what.table is not None:
        options.prove_table(what.table, unproved)
    failed = 0
    for each in chosen:
        try:
            flash(each, what, say, progress, port=port, verify=not no_verify)
        except (NoughtsError, OSError) as error:
            if not every:
                raise
            failed += 1
            print(
                f"noughts: {each.path}: {printable(as_typed(error_message(error)))}",
                file=sys.stderr,
            )
    if failed:
        raise BoardError(
            f"{failed} of {len(chosen)} boards failed; see above, and flash them again"
        )


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
