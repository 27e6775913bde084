"""Output: standard streams, slow readers, progress bars, and terminals."""

from __future__ import annotations

import io
import os
import queue
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, TextIO

from noughts.errors import printable
from noughts.invocation import as_typed
from noughts.terminal.ascii_text import ERRORS, is_plain

if TYPE_CHECKING:
    from rich.progress import Progress

_MAX_WAITING = 1000
"""Calls of `put` that a reader may be behind."""
_RESTORE_S = 3.0
"""The time that a program has to restore its terminal."""


def prepare() -> None:
    """Replace the streams that our parent process has closed.

    A terminal that only has ASCII gets similar characters instead of others. Elsewhere, what an
    output cannot encode becomes a backslash escape, as do bytes of the input that are not text.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, mode))  # noqa: PTH123, SIM115
        elif isinstance(stream, io.TextIOWrapper):
            if mode == "w" and stream.isatty() and is_plain():
                stream.reconfigure(encoding="ascii", errors=ERRORS)
            else:
                stream.reconfigure(errors="backslashreplace")


def has_screen() -> bool:
    """Whether a person at a terminal can use a full-screen program."""
    is_terminal = sys.stdin.isatty() and sys.stdout.isatty()
    return is_terminal and os.environ.get("TERM") not in ("dumb", "unknown")


def abandon_output(finish: bool = True) -> None:
    """Write the rest of the output, or drop it: Python would complain about it on exit.

    finish: False after Ctrl-C, since a reader that has stalled would hold up the end.
    """
    if finish:
        try:
            sys.stdout.flush()
            return
        except OSError:
            pass
    with suppress(io.UnsupportedOperation):  # a stream in memory cannot stall
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def say(line: str) -> None:
    """Print a line on standard error, if possible; commands in it as users type them."""
    with suppress(OSError):
        print(printable(as_typed(line)), file=sys.stderr, flush=True)


class Lines:
    """Prints lines in the background, and drops them while the reader is too far behind.

    It writes past the stream's own buffer, which would hold up the end of the program. `failed` is
    called, in the thread, when nothing can be written any more; `close` then raises the `OSError`.
    """

    def __init__(
        self, stream: TextIO, dropped: Callable[[int], str], failed: Callable[[], None]
    ) -> None:
        """dropped: makes the line that says how many lines were not printed."""
        stream.flush()
        self._file = open(stream.fileno(), "wb", buffering=0, closefd=False)  # noqa: SIM115
        self._encoding = stream.encoding
        self._dropped = dropped
        self._failed = failed
        self._failure: OSError | None = None
        self._waiting: queue.Queue[Sequence[str]] = queue.Queue(_MAX_WAITING)
        self._missed = self._printing = 0
        self._thread = threading.Thread(target=self._print, name="print lines", daemon=True)
        self._thread.start()

    def put(self, lines: Sequence[str]) -> None:
        """Queue these lines to be printed; when there is no room, count them as missed."""
        if self._missed and not self._waiting.full():
            lines, self._missed = [self._dropped(self._missed), *lines], 0
        try:
            if lines:
                self._waiting.put_nowait(lines)
        except queue.Full:
            self._missed += len(lines)

    def close(self, within_s: float) -> int:
        """Wait until everything is printed, at most this long; returns how many lines may be lost.

        Raises `OSError` when they could not be written.
        """
        end_s = time.monotonic() + within_s
        with suppress(queue.Full):
            if self._missed:
                self._waiting.put([self._dropped(self._missed)], timeout=within_s)
                self._missed = 0
            self._waiting.put([], timeout=within_s)
            self._thread.join(max(0, end_s - time.monotonic()))
        if self._failure is not None:
            raise self._failure
        return self._missed + self._printing + sum(map(len, self._waiting.queue))

    def _print(self) -> None:
        while lines := self._waiting.get():
            self._printing = len(lines)
            data = os.linesep.join([*lines, ""]).encode(self._encoding, "backslashreplace")
            try:
                while data and self._failure is None:
                    data = data[self._file.write(data) or 0 :]
            except OSError as error:
                self._failure = error
                self._failed()
            self._printing = 0


class Steps:
    """The progress of a long task; without a bar, it only shows the lines.

    Names of files may be part of that: nothing in it acts on the terminal.
    """

    def __init__(self, bar: Progress | None = None) -> None:
        self._bar = bar

    def describe(self, step: str) -> None:
        """Show at the bar what is done now."""
        if self._bar:
            self._bar.update(self._bar.task_ids[0], description=printable(step))

    def advance(self, amount: int) -> None:
        """Move the bar on by this much of the total."""
        if self._bar:
            self._bar.advance(self._bar.task_ids[0], amount)

    def say(self, line: str) -> None:
        """Print a line, above the bar. The task goes on even if nobody reads it."""
        with suppress(OSError):
            print(printable(line), flush=True)


@contextmanager
def progress(total: int, unit: str = "bytes") -> Iterator[Steps]:
    """A bar from 0 to the total, which disappears at the end; only in a terminal."""
    if not sys.stderr.isatty():
        yield Steps()
        return
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, MofNCompleteColumn, Progress, TextColumn

    bar = Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        *([DownloadColumn()] if unit == "bytes" else [MofNCompleteColumn(), TextColumn(unit)]),
        console=Console(stderr=True),
        transient=True,
    )
    with bar:
        bar.add_task("", total=total)
        yield Steps(bar)


@contextmanager
def leaving_a_stuck_terminal(stop: threading.Event, done: Callable[[], object]) -> Iterator[None]:
    """Around a full-screen program, which should end once `stop` is set and `done` returns.

    It restores the terminal by writing to it. If the terminal takes no output or is closed, that
    would wait indefinitely, so the process ends without it.
    """
    # Textual writes in a thread of its own, and joins it. No exception reaches a thread that waits
    # in a system call, and Python itself waits for it at the end. So only `os._exit` is left; all
    # that has to be stored is stored when `done` returns.
    restored = threading.Event()

    def end_if_stuck() -> None:
        stop.wait()
        done()
        if not restored.wait(_RESTORE_S):
            os._exit(0)

    threading.Thread(target=end_if_stuck, daemon=True).start()
    try:
        yield
    finally:
        restored.set()
