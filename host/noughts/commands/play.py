"""`noughts play`: a virtual micro:bit with the game, in the terminal or by keys given as text."""

from __future__ import annotations

import argparse
import os
import signal
import sys
from pathlib import Path
from types import FrameType

from noughts.boards.base import Board
from noughts.commands.keys import BadTokenError, Player, read_keys
from noughts.errors import NoughtsError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's options."""
    parser.add_argument(
        "--board",
        choices=("emulated", "simulated"),
        help="emulated: the real firmware in QEMU (the default where QEMU is installed); "
        "simulated: without QEMU, and with tilt",
    )
    parser.add_argument(
        "--firmware",
        metavar="FILE",
        type=Path,
        help="run this official MicroPython hex (Universal Hex or V1) on the emulated board",
    )
    parser.add_argument(
        "--hex",
        metavar="FILE",
        type=Path,
        help="run this hex as it is, with the files that are in it, on the emulated board",
    )
    parser.add_argument(
        "--keys",
        metavar="KEYS",
        help="no terminal: press these and print what happens; "
        "A, B, AB, A:40 (held for 40 ms, with no pause after it), and waits in ms of device time",
    )


def run(args: argparse.Namespace) -> int:
    """Start a board and play on it until the player quits."""
    if (args.firmware or args.hex) and args.board == "simulated":
        args.error("a hex needs the emulated board; the simulated one has no firmware")
    if args.firmware and args.hex:
        args.error("--firmware gets our files added, --hex is run as it is; give one of them")
    try:
        steps = None if args.keys is None else read_keys(args.keys)
    except BadTokenError as error:
        args.error(f"argument --keys: {error}")
    if steps is None and not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise NoughtsError("there is no terminal to play in; use --keys 'B 500 A A B' instead")
    if steps is None:
        _check_size()
    signal.signal(signal.SIGTERM, _stop)
    if hasattr(signal, "SIGHUP"):
        signal.signal(signal.SIGHUP, _stop)
    with start_board(args.board, args.firmware, args.hex) as board:
        if steps is not None:
            for text in Player(board).play(steps):
                print(text, flush=True)
            return 0
        from noughts.terminal.app import BoardApp

        app = BoardApp(board)
        app.run()
        if app.failure is not None:
            raise app.failure
        return app.return_code or 0


def _check_size() -> None:
    """Say so before anything is started; the program itself copes with later changes."""
    from noughts.terminal.drawing import MIN_COLUMNS, MIN_LINES

    columns, lines = os.get_terminal_size(sys.stdout.fileno())
    if 0 < columns < MIN_COLUMNS or 0 < lines < MIN_LINES:
        raise NoughtsError(
            f"the terminal is too small ({columns} x {lines}); "
            f"make it {MIN_COLUMNS} x {MIN_LINES} or larger"
        )


def start_board(kind: str | None, firmware: Path | None, flashed: Path | None) -> Board:
    """The board that was asked for; by default emulated, or simulated where QEMU is missing."""
    from noughts.boards.qemu import find_qemu, how_to_install

    if kind is None and firmware is flashed is None and find_qemu() is None:
        print(
            f"noughts: playing on the simulated board; for the real firmware, {how_to_install()}",
            file=sys.stderr,
        )
        kind = "simulated"
    if kind == "simulated":
        from noughts.boards.simulated import SimulatedBoard

        return SimulatedBoard()
    from noughts.boards.emulated import EmulatedBoard

    return EmulatedBoard(firmware=firmware, flashed=flashed)


def _stop(number: int, frame: FrameType | None) -> None:
    """End as after an exit, so that the board is closed."""
    raise SystemExit(128 + number)
