"""What programs write to: standard streams, readers that may not read, progress bars, terminals."""

from __future__ import annotations

import io
import os
import select
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, TextIO

from noughts.errors import printable

if TYPE_CHECKING:
    from rich.progress import Progress

_LIMIT = 400_000
"""Characters that wait for the reader."""
_PIECE = 16_384
_SHUTDOWN_TIMEOUT_S = 2.0
"""For the last line to be printed, on a busy computer, and a reader to take it."""
_LOOK_S = 0.05
_LOOKS = 8


class _Output(io.FileIO):
    """Standard output: errors name the stream."""

    def write(self, data: bytes, /) -> int:  # type: ignore[override]
        try:
            return super().write(data)
        except OSError as error:
            error.filename = "standard output"
            raise


class _Messages(io.FileIO):
    """Standard error: if it cannot be written to, the work continues."""

    def write(self, data: bytes, /) -> int:  # type: ignore[override]
        try:
            return super().write(data)
        except OSError:
            return len(data)


def prepare() -> None:
    """Replace the streams that were closed, and those that lead to a file, a pipe or a terminal.

    Output that cannot be written then raises an `OSError` about "standard output", when it is
    written or flushed; messages that cannot be written are dropped.
    """
    if sys.stdin is None:  # closed by our parent process
        sys.stdin = open(os.devnull)  # noqa: PTH123, SIM115
    sys.stdout = _over(_Output, sys.stdout)
    sys.stderr = _over(_Messages, sys.stderr)


def abandon_output(finish: bool = True) -> None:
    """Write what is left to be written, or drop it: Python would complain of it at its exit.

    finish: False after Ctrl-C, since a reader that has stalled would hold up the end.
    """
    try:
        if not finish:
            _drop_output()
        sys.stdout.flush()
    except OSError:
        _drop_output()


def _drop_output() -> None:
    with suppress(io.UnsupportedOperation):  # a stream in memory holds nobody up
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _over(kind: type[io.FileIO], stream: TextIO | None) -> TextIO:
    if stream is None:
        # Nothing can be written to what is open for reading only, as to what is closed; but its
        # number is taken: the next file that is opened does not become standard output.
        number, encoding, each_line = os.open(os.devnull, os.O_RDONLY), "utf-8", False
    elif type(stream) is io.TextIOWrapper and type(_raw(stream)) is io.FileIO:
        stream.flush()
        # Unbuffered (-u), Python itself ignores that a disk took only a part of what it was given.
        each_line = stream.line_buffering or stream.write_through
        number, encoding = stream.fileno(), stream.encoding
    else:  # such as Windows' console
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
        return stream
    return io.TextIOWrapper(
        io.BufferedWriter(kind(number, "w", closefd=False)),
        encoding,
        # Not every terminal has every character that we or a file's name may need.
        errors="backslashreplace",
        line_buffering=each_line,
    )


def _raw(stream: io.TextIOWrapper) -> object:
    return getattr(stream.buffer, "raw", stream.buffer)


def say(line: str) -> None:
    """Print a line on standard error, which may be a pipe that nobody reads."""
    lines = Lines(sys.stderr, str, lambda: None)
    lines.put([printable(line)])
    with suppress(OSError):
        lines.close(_SHUTDOWN_TIMEOUT_S)


class Lines:
    """Prints lines in the background; beyond a limit they are dropped, and counted.

    It writes past the stream's own buffer, which would hold up the end of the program. `failed` is
    called, in the thread, when nothing can be written any more; `close` then raises the `OSError`.
    """

    def __init__(
        self, stream: TextIO, dropped: Callable[[int], str], failed: Callable[[], None]
    ) -> None:
        """dropped: makes the line that reports how many lines were not printed."""
        self._stream = stream
        self._dropped = dropped
        self._failed = failed
        self._failure: OSError | None = None
        self._waiting: list[str] = []
        self._size = 0
        self._missed = 0
        self._printing = 0  # lines that the thread has taken, and not printed yet
        self._changed = threading.Condition()
        self._closing = False
        stream.flush()
        self._thread = threading.Thread(target=self._print, name="print lines", daemon=True)
        self._thread.start()

    def put(self, lines: Sequence[str]) -> None:
        """Queue these lines to be printed; when there is no room, count them as missed."""
        if not lines:
            return
        with self._changed:
            if self._missed or self._size >= _LIMIT:
                self._missed += len(lines)
                return
            self._waiting += lines
            self._size += sum(map(len, lines))
            self._changed.notify_all()

    def close(self, within_s: float | None = None) -> int:
        """Wait until all is printed, at most so long; gives how many lines are not.

        Raises `OSError` when they could not be written.
        """
        end_s = None if within_s is None else time.monotonic() + within_s
        with self._changed:
            self._closing = True
            self._changed.notify_all()
        while self._thread.is_alive() and (end_s is None or time.monotonic() < end_s):
            self._thread.join(0.05)
        if self._failure is not None:
            raise self._failure
        with self._changed:
            return len(self._waiting) + self._missed + self._printing

    def _print(self) -> None:
        try:
            while self._take():
                pass
        except OSError as error:
            is_output = self._stream is sys.stdout
            error.filename = "standard output" if is_output else "standard error"
            self._failure = error
            self._failed()

    def _take(self) -> bool:
        with self._changed:
            while not (self._waiting or self._missed or self._closing):
                self._changed.wait()
            lines, self._waiting = self._waiting, []
            if self._missed:
                lines.append(self._dropped(self._missed))
            self._size = self._missed = 0
            self._printing = len(lines)
        if not lines:
            return False
        self._write("".join(f"{line}\n" for line in lines))
        return True

    def _write(self, text: str) -> None:
        try:
            number = self._stream.fileno()
        except (OSError, ValueError, AttributeError):  # it stands for a stream, as in a test
            self._stream.write(text)
            self._stream.flush()
            self._printing = 0
            return
        encoded = text.replace("\n", os.linesep).encode(self._stream.encoding, "backslashreplace")
        data = memoryview(encoded)
        # A console of Windows takes text, which only a file object of its own knows.
        with open(number, "wb", buffering=0, closefd=False) as file:
            while data:
                written = file.write(data[:_PIECE])
                if written is None:  # somebody has made it one that does not wait
                    time.sleep(0.02)
                    continue
                self._printing -= bytes(data[:written]).count(b"\n")
                data = data[written:]


class Steps:
    """The progress of a long task; without a bar, only the lines are shown.

    Names of files may be part of that: nothing in it acts on the terminal.
    """

    def __init__(self, bar: Progress | None = None) -> None:
        self._bar = bar

    def doing(self, what: str) -> None:
        """Name the step that begins."""
        if self._bar:
            self._bar.update(self._bar.task_ids[0], description=printable(what))

    def advance(self, amount: int) -> None:
        """Add to what is done, in the unit of the total."""
        if self._bar:
            self._bar.advance(self._bar.task_ids[0], amount)

    def say(self, line: str) -> None:
        """Print a line above the bar, on standard output."""
        if self._bar:
            self._bar.console.print(printable(line), markup=False, highlight=False)
            return
        # The task must come to its end, even if nobody reads our output or its disk is full.
        with suppress(OSError):
            print(printable(line), flush=True)


@contextmanager
def progress(total: int, unit: str = "bytes") -> Iterator[Steps]:
    """A bar from 0 to the total, which goes away at the end; only in a terminal."""
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
    """While a program has the terminal, which should end once `stop` is set and `done` returns.

    It writes to the terminal to restore it, and would wait indefinitely for one that takes nothing
    or is closed: then the process ends without that. On POSIX only, where a terminal can be asked.
    """
    if os.name != "posix":
        yield
        return
    import termios

    screen = sys.stdout.fileno()
    modes = termios.tcgetattr(screen)
    returned = threading.Event()

    def look() -> None:
        stop.wait()
        done()
        stuck = 0
        while stuck < _LOOKS:
            if returned.wait(_LOOK_S):
                return
            _, ready, _ = select.select([], [screen], [], 0)
            stuck = 0 if ready and os.isatty(screen) else stuck + 1  # one that is closed takes all
        with suppress(termios.error):
            termios.tcsetattr(screen, termios.TCSANOW, modes)
        os._exit(0)

    threading.Thread(target=look, name="look at the terminal", daemon=True).start()
    try:
        yield
    finally:
        returned.set()
