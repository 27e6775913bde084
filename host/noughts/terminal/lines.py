"""Lines for a reader who may not read: printed from a thread of their own."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TextIO

from noughts.errors import printable

_LIMIT = 400_000
"""Characters that wait for the reader."""
_PIECE = 16_384
_SHUTDOWN_TIMEOUT_S = 2.0
"""For the last line to be printed, on a busy computer, and a reader to take it."""


def say(line: str) -> None:
    """Print a line on standard error, which may be a pipe that nobody reads."""
    lines = Lines(sys.stderr, str, lambda: None)
    lines.put([printable(line)])
    with suppress(OSError):
        lines.close(_SHUTDOWN_TIMEOUT_S)


class Lines:
    """Prints lines, while whoever says them goes on; beyond a limit they are dropped, and counted.

    It writes past the stream's own buffer, which would hold up the end of the program. `failed` is
    called, in the thread, when nothing can be written any more; `close` then raises the `OSError`.
    """

    def __init__(
        self, stream: TextIO, dropped: Callable[[int], str], failed: Callable[[], None]
    ) -> None:
        """dropped: the line that tells of so many lines that were not printed."""
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

    def put(self, lines: Sequence[str], wait: bool = False) -> None:
        """Queue these lines to be printed; when there is no room, count them as missed.

        wait: wait for room instead; raises `OSError` if nothing can be written.
        """
        if not lines:
            return
        with self._changed:
            while wait and self._size >= _LIMIT and self._failure is None:
                self._changed.wait(0.1)  # Windows looks at Ctrl-C only between two waits
            if wait and self._failure is not None:
                raise self._failure
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
            with self._changed:
                self._failure = error
                self._changed.notify_all()
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
            self._changed.notify_all()
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
