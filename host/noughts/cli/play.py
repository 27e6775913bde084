"""`noughts play`: a virtual micro:bit with the game, in the terminal or by keys given as text."""

from __future__ import annotations

import shlex
import signal
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import click

from microbit_emulator import EmulatorError
from noughts.boards.firmware import firmware_for
from noughts.cli import options
from noughts.cli.options import option
from noughts.errors import BoardError, NoughtsError
from noughts.invocation import as_typed
from noughts.protocol.describe import counted
from noughts.store.store import default_path
from noughts.terminal.output import leaving_a_stuck_terminal, say
from noughts.virtual.keys import KeyPlayer, Step, read_keys
from noughts.virtual.program import Program, StoredFlash, program, unchanged

if TYPE_CHECKING:
    from microbit_emulator import Microbit


@options.command("noughts play", "noughts play --board v1", "noughts play --keys 'B 500 A A B'")
@option(
    "--board",
    "which micro:bit; each runs its own official MicroPython",
    type=click.Choice(["v1", "v2"], case_sensitive=False),
    default="v2",
)
@option("--firmware FILE", "run this official MicroPython hex instead, with the game's files")
@option("--hex FILE", "run this hex as it is, with the files that are in it")
@option(
    "--fresh",
    "start with a new board that does not know your last choice; a board of --hex is always new",
)
@option(
    "--keys KEYS",
    "press these without a terminal, and print what happens; A, B, AB, A:40 (held for 40 ms, "
    "with no pause after it), tilt:400,0 (milli-g, to the right and towards the pins), flat, and "
    "waits in ms of device time; the board is new, and no game is stored",
    type=read_keys,
)
@options.db
def run_play(
    board: str,
    firmware: Path | None,
    hex: Path | None,
    fresh: bool,
    keys: list[Step] | None,
    db: Path | None,
) -> int:
    """Play on a virtual micro:bit in this terminal."""
    if firmware and hex:
        raise click.UsageError(
            "--firmware adds the game's files, --hex runs a file as it is; give one of them"
        )

    def made() -> Program:
        chosen = firmware_for(board.upper(), hex or firmware)
        return unchanged(chosen) if hex else program(firmware=chosen)

    if keys is None:
        return _play(made, hex is None, fresh, db)
    _press(keys, made().microbit())
    return 0


def _press(keys: list[Step], board: Microbit) -> None:
    before = signal.getsignal(signal.SIGINT)
    if before is signal.default_int_handler:
        # Unicorn calls Python back, and what a signal raises there would be lost.
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        for text in KeyPlayer(board).play(keys):
            print(text, flush=True)
    except EmulatorError as error:
        raise BoardError(str(error)) from error
    finally:
        signal.signal(signal.SIGINT, before)


def _play(start: Callable[[], Program], remembers: bool, fresh: bool, db: Path | None) -> int:
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise NoughtsError("there is no terminal to play in; use --keys 'B 500 A A B' instead")
    from noughts.recording.play_recording import PlayRecording
    from noughts.terminal.play import BoardApp
    from noughts.virtual.board import VirtualBoard

    memory: StoredFlash | None = None

    def made() -> Program:
        nonlocal memory
        new = start()
        if not remembers:
            return new
        memory = StoredFlash(default_path().parent / "virtual", new)
        if fresh:
            memory.forget()
        return memory.program()

    def sum_up() -> None:
        if stored := len(recording.stored):
            replay = "noughts replay last" + ("" if db is None else f" --db {shlex.quote(str(db))}")
            say(as_typed(f"{counted(stored, 'game')} stored; `{replay}` shows the last one"))
        if recording.moved:
            say(as_typed(f"noughts: {recording.moved}"))
        if recording.error:
            say(as_typed(f"noughts: games are not stored: {recording.error}"))
        if memory and memory.error:
            say(as_typed(f"noughts: the virtual board's memory: {memory.error}"))

    def keep_flash(flash: bytes) -> None:
        if memory:
            saving.submit(memory.keep, flash)

    def finish() -> None:
        saving.submit(lambda: None).result()  # after all that were submitted
        recording.close()

    with ExitStack() as stack:
        stopped = threading.Event()
        numbers = stack.enter_context(options.until_signal(stopped, "SIGTERM", "SIGHUP"))
        board = stack.enter_context(VirtualBoard(made))
        recording = PlayRecording(db or default_path(), f"virtual-{board.board}")
        stack.callback(sum_up)
        stack.callback(recording.close)
        saving = stack.enter_context(ThreadPoolExecutor(1))
        app = BoardApp(board, stopped, recording, keep_flash)
        with leaving_a_stuck_terminal(stopped, finish):
            app.run()
        keep_flash(board.finish_writing())
        if app.failure is not None:
            raise app.failure
        return 128 + numbers[0] if numbers else app.return_code or 0
