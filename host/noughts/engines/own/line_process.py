"""A program that is asked line by line, with a limit for each answer; it always ends with us."""

from __future__ import annotations

import contextlib
import os
import queue
import signal
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Sequence
from typing import IO

from noughts.engines.own.leash import MARK
from noughts.errors import NoughtsError

_RUN = (
    "import signal, sys; signal.signal(signal.SIGINT, signal.SIG_IGN); "
    "count = int(sys.argv[1]); words = sys.argv[2 + count:]; sys.path[:] = sys.argv[2:2 + count]; "
    "from noughts.engines.own.{module} import main; main(words)"
)
_START_S = 120.0
"""For Python itself to start: that is not the program's fault, however busy the computer is."""
_MAX_LINE = 10_000
_MAX_UNREAD = 100
"""Lines; a program that says more without being asked has to wait."""


class SilenceError(Exception):
    """The program did not answer in time; it was ended."""


class EndedError(Exception):
    """The program ended by itself: how, in words."""

    def __init__(self, line: str | None) -> None:
        what, _, detail = (line or "").strip(f"{MARK}\n").partition(" ")
        self.advice = "it has to run for as long as it is asked"
        if what == "cannot":
            self.advice = "check that it is a program; a script begins with #!/bin/sh or the like"
            super().__init__(f"cannot be run ({detail})")
        elif detail.startswith("-"):
            super().__init__(f"was ended by signal {detail[1:]}, and did not answer")
        else:
            super().__init__(f"has ended with status {detail or 0}, and did not answer")


def python(module: str, *words: str) -> list[str]:
    """The command that runs `main(words)` of a module beside this one, with our modules."""
    run = _RUN.format(module=module)
    return [sys.executable, "-I", "-c", run, str(len(sys.path)), *sys.path, *words]


class LineProcess:
    """A running program. Raises `NoughtsError` if it cannot be started."""

    def __init__(self, words: Sequence[str]) -> None:
        try:
            self._process = subprocess.Popen(
                python("leash", *words),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                start_new_session=True,  # no signal of the terminal is meant for it
            )
        except OSError as error:
            raise NoughtsError(
                f"cannot start Python for {words[0]} ({error.strerror}); close some programs"
            ) from error
        assert self._process.stdin is not None and self._process.stdout is not None
        self._to: IO[bytes] = self._process.stdin
        self._lines: queue.Queue[str | None] = queue.Queue(_MAX_UNREAD)
        arguments = (self._process.stdout, self._lines)
        threading.Thread(target=_read, args=arguments, daemon=True).start()
        self.close = weakref.finalize(self, _end, self._process)
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


def _end(process: subprocess.Popen[bytes]) -> None:
    assert process.stdin is not None
    with contextlib.suppress(OSError):
        process.stdin.close()  # on Windows this alone ends what the program has started
    # Nobody has waited for the leash, so its number, which is its group's, is still its own.
    if sys.platform != "win32":
        with contextlib.suppress(OSError):
            os.killpg(process.pid, signal.SIGKILL)
    else:
        _wait_or_kill(process)
    process.wait()


def _wait_or_kill(process: subprocess.Popen[bytes]) -> None:
    until = time.monotonic() + 10
    while process.poll() is None and time.monotonic() < until:
        time.sleep(0.01)
    process.kill()
