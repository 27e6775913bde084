"""`noughts play`: a virtual micro:bit with the game, in the terminal or by keys given as text."""

from __future__ import annotations

import argparse
import os
import shlex
import signal
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING

from noughts.commands.options import add_db
from noughts.errors import BoardError, KeyTokenError, NoughtsError
from noughts.invocation import as_typed
from noughts.protocol.describe import counted
from noughts.store.store import default_path
from noughts.terminal.lines import say

if TYPE_CHECKING:
    from noughts.virtual.kept_flash import KeptFlash
    from noughts.virtual.program import Program
    from noughts.watch.play_recording import PlayRecording


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's options."""
    parser.add_argument(
        "--board",
        choices=("v1", "v2"),
        default="v2",
        type=str.lower,
        help="which micro:bit; each runs its own official MicroPython (v2)",
    )
    parser.add_argument(
        "--firmware",
        metavar="FILE",
        type=Path,
        help="run this official MicroPython hex instead, with the game's files",
    )
    parser.add_argument(
        "--hex",
        metavar="FILE",
        type=Path,
        help="run this hex as it is, with the files that are in it",
    )
    parser.add_argument(
        "--fresh",
        action="store_true",
        help="start with a new board, not with what this one kept in its flash; a board of --hex "
        "is always new",
    )
    parser.add_argument(
        "--keys",
        metavar="KEYS",
        help="press these without a terminal, and print what happens; A, B, AB, A:40 (held for "
        "40 ms, with no pause after it), tilt:400,0 (milli-g, to the right and towards the pins), "
        "flat, and waits in ms of device time; the board is new, and no game is kept",
    )
    add_db(parser)


def run(args: argparse.Namespace) -> int:
    """Start a board and play on it until the player quits."""
    if args.firmware and args.hex:
        args.error("--firmware adds the game's files, --hex runs a file as it is; give one of them")
    if args.keys is None:
        return _play(args)
    return _press_keys(args)


def _press_keys(args: argparse.Namespace) -> int:
    from noughts.virtual.keys import KeyPlayer, read_keys

    try:
        steps = read_keys(args.keys)
    except KeyTokenError as error:
        args.error(f"argument --keys: {error}")
    board = _program(args).microbit()
    from microbit_emulator import EmulatorError

    before = signal.getsignal(signal.SIGINT)
    if before is signal.default_int_handler:
        # Unicorn calls Python back, and what a signal raises there would be lost.
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        for text in KeyPlayer(board).play(steps):
            print(text, flush=True)
    except EmulatorError as error:
        raise BoardError(str(error)) from error
    finally:
        signal.signal(signal.SIGINT, before)
    return 0


def _play(args: argparse.Namespace) -> int:
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise NoughtsError("there is no terminal to play in; use --keys 'B 500 A A B' instead")
    _check_size()
    from noughts.virtual.board import VirtualBoard
    from noughts.virtual.kept_flash import KeptFlash
    from noughts.watch.play_recording import PlayRecording, board_name

    memory: list[KeptFlash] = []

    def made() -> Program:
        new = _program(args)
        if args.hex:
            return new
        memory.append(KeptFlash(default_path().parent / "virtual", new))
        if args.fresh:
            memory[0].forget()
        return memory[0].program()

    with ExitStack() as stack:
        board = stack.enter_context(VirtualBoard(made))
        recording = PlayRecording(args.db or default_path(), board_name(board.board))
        stack.callback(_sum_up, recording, memory, args.db)
        stack.callback(recording.close)
        saving = stack.enter_context(ThreadPoolExecutor(1))

        def keep_flash(flash: bytes) -> None:
            for each in memory:
                saving.submit(each.keep, flash)

        def finish() -> None:
            saving.submit(lambda: None).result()  # after all that were submitted
            recording.join()

        from noughts.terminal.play_app import BoardApp
        from noughts.terminal.stuck import leaving_a_stuck_terminal

        stopped = threading.Event()
        app = BoardApp(board, stopped, recording, keep_flash)
        with _until_signal(stopped) as numbers, leaving_a_stuck_terminal(stopped, finish):
            app.run()
        keep_flash(board.finish_writing())
        if app.failure is not None:
            raise app.failure
        return 128 + numbers[0] if numbers else app.return_code or 0


def _sum_up(recording: PlayRecording, memory: list[KeptFlash], db: Path | None) -> None:
    """Say what was kept, and what could not be: the game was played all the same."""
    kept = len(recording.kept)
    if kept:
        replay = "noughts replay last" + ("" if db is None else f" --db {shlex.quote(str(db))}")
        say(as_typed(f"{counted(kept, 'game')} kept; `{replay}` shows the last one"))
    troubles = [f"the virtual board's memory: {each.trouble}" for each in memory if each.trouble]
    if recording.moved:
        troubles.insert(0, recording.moved)
    if recording.trouble:
        troubles.insert(0, f"games are not kept: {recording.trouble}")
    for trouble in troubles:
        say(f"noughts: {as_typed(trouble)}")


@contextmanager
def _until_signal(stopped: threading.Event) -> Iterator[list[int]]:
    """Gives the numbers of the signals that have come; they set the event."""
    came: list[int] = []

    def stop(number: int, frame: FrameType | None) -> None:
        came.append(number)
        stopped.set()

    for name in ("SIGTERM", "SIGHUP"):  # Windows has no SIGHUP
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), stop)
    yield came


def _program(args: argparse.Namespace) -> Program:
    from noughts.virtual.program import flashed, program

    board = args.board.upper()
    return flashed(args.hex, board) if args.hex else program(board, firmware=args.firmware)


def _check_size() -> None:
    """Say so before anything is started; the program itself copes with later changes."""
    from noughts.terminal.drawing import MIN_COLUMNS, MIN_LINES

    columns, lines = os.get_terminal_size(sys.stdout.fileno())
    if 0 < columns < MIN_COLUMNS or 0 < lines < MIN_LINES:
        raise NoughtsError(
            f"the terminal is too small ({columns} x {lines}); "
            f"make it {MIN_COLUMNS} x {MIN_LINES} or larger"
        )
