"""A program that is asked line by line, with a limit for each answer; it always ends with us."""

from __future__ import annotations

import contextlib
import io
import queue
import subprocess
import sys
import threading
import weakref
from collections.abc import Sequence
from typing import IO

from noughts import python_process
from noughts.engines.own.leash import MARK, end_all
from noughts.errors import printable

_START_S = 120.0
"""For Python itself to start: that is not the program's fault, however busy the computer is."""
_SHUTDOWN_TIMEOUT_S = 1.0
"""For its last messages: where a process can outlive the leash, it may keep their pipe open."""
_MAX_LINE = 10_000
_MAX_UNREAD = 100
"""Lines; a program that says more without being asked has to wait."""


class SilenceError(Exception):
    """The program did not answer in time; it was ended."""


class EndedError(Exception):
    """The program ended by itself: how, in words."""

    def __init__(self, line: str | None) -> None:
        what, _, detail = (line or f"{MARK}ended").strip(f"{MARK}\n").partition(" ")
        self.advice = "it has to run for as long as it is asked"
        if what == "cannot":
            self.advice = "check that it is a program; a script begins with #!/bin/sh or the like"
            super().__init__(f"cannot be run ({detail})")
        elif detail.startswith("-"):
            super().__init__(f"was ended by signal {detail[1:]}, and did not answer")
        else:
            status = f" with status {detail}" if detail else ""
            super().__init__(f"has ended{status}, and did not answer")


class LineProcess:
    """A running program, by the name that messages give it.

    Its standard error is shown on ours, with control characters replaced by spaces.
    Raises `NoughtsError` if no process can be started.
    """

    def __init__(self, words: Sequence[str], name: str) -> None:
        leash = python_process.command("noughts.engines.own.leash", *words)
        process = python_process.start(leash, name, stderr=subprocess.PIPE)
        assert process.stdin and process.stdout and process.stderr
        self._to: IO[bytes] = process.stdin
        self._lines: queue.Queue[str | None] = queue.Queue(_MAX_UNREAD)
        arguments = (process.stdout, self._lines)
        threading.Thread(target=_read, args=arguments, daemon=True).start()
        messages = threading.Thread(target=_show, args=(process.stderr,), daemon=True)
        messages.start()
        self.close = weakref.finalize(self, _end, process, messages)
        """Ends it; so does the end of this object, or of Python."""
        self.read(_START_S)

    @property
    def has_spoken(self) -> bool:
        """Whether there is a line that was not asked for."""
        return not self._lines.empty()

    def ask(self, line: str, limit_s: float) -> str:
        """Its answer to a line. Raises `SilenceError` and `EndedError`."""
        with contextlib.suppress(OSError):  # it has ended, which reading will find
            self._to.write(f"{line}\n".encode())
            self._to.flush()
        return self.read(limit_s)

    def read(self, limit_s: float) -> str:
        """Its next line, without white space around it. Raises as `ask` does."""
        try:
            line = self._lines.get(timeout=limit_s)
        except queue.Empty:
            self.close()
            raise SilenceError from None
        if line is None or line.startswith(MARK):
            self.close()
            raise EndedError(line)
        return line.strip()


def _read(pipe: IO[bytes], lines: queue.Queue[str | None]) -> None:
    with contextlib.suppress(OSError, ValueError):
        while line := pipe.readline(_MAX_LINE):
            lines.put(line.decode("utf-8", "replace"))
    lines.put(None)


def _show(pipe: IO[bytes]) -> None:
    with contextlib.suppress(OSError, ValueError), io.TextIOWrapper(pipe, errors="replace") as text:
        while line := text.readline(_MAX_LINE):
            sys.stderr.write(printable(line.removesuffix("\n")) + "\n")


def _end(process: subprocess.Popen[bytes], messages: threading.Thread) -> None:
    # Nobody has waited for the leash, so its number, which is its group's, is still its own.
    end_all(process.pid)
    process.wait()
    messages.join(_SHUTDOWN_TIMEOUT_S)
    assert process.stdin is not None
    with contextlib.suppress(OSError):
        process.stdin.close()
