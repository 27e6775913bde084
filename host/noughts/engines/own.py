"""Engines of your own: a file, a package's, or any program, each in a process of its own.

All of them are asked one line at a time: the nine characters of a position, and the player to move
(`X...O.... X`). A program answers with a line: a cell from 0 to 8, or several with blanks between
them. A file or a package has a function `choose(board)`, which `own_process` calls.

What an engine answers may differ from call to call, which `may_vary` says.
"""

from __future__ import annotations

import contextlib
import io
import os
import queue
import shlex
import shutil
import subprocess
import sys
import threading
import weakref
from collections.abc import Sequence
from pathlib import Path
from typing import IO

from noughts.engines.own_process import (
    ENDED,
    GROUP,
    WRONG,
    WrongError,
    end_all,
    python_command,
    start_python,
)
from noughts.errors import OwnEngineError, printable
from noughts.game.engine import Reply
from noughts.game.positions import Position
from noughts.invocation import quoted

LIMIT_S = 20.0
"""For each answer: for a plain minimax in Python, the empty board takes several seconds."""
_START_S = 120.0
"""For Python itself to start: that is not the engine's fault, however busy the computer is."""
_SHUTDOWN_TIMEOUT_S = 1.0
"""For its last messages: where a process can outlive the leash, it may keep their pipe open."""
_MAX_LINE = 10_000
_MAX_UNREAD = 100
"""Lines; a program that says more has to wait."""


class OwnEngine:
    """A function `choose` in a process of its own, or a program."""

    perfect = False
    may_vary = True

    def __init__(
        self, name: str, about: str, words: list[str], limit_s: float, has_choose: bool
    ) -> None:
        self.name, self.about = printable(name), about
        self._words, self._limit_s, self._has_choose = words, limit_s, has_choose
        self._process: LineProcess | None = None

    def reply(self, position: Position) -> Reply:
        """Its moves. Raises `OwnEngineError`, which names the position."""
        where = ""
        try:
            if self._process is None or self._process.ended:
                self._process = self._started()
            where = f", in {position}"
            line = self._process.ask(f"{position} {'XO'[position.ply % 2]}", self._limit_s)
            return Reply(_cells(line, position))
        except TimeoutError:
            loop = "look for a loop that does not end" if self._has_choose else "flush its output"
            what = f"did not answer within {self._limit_s:g} s"
            advice = f"{loop}, or give it more time with --limit"
        except WrongError as error:
            what, advice = error.args
        raise OwnEngineError(printable(f"{self.name}: {what}{where}; {advice}"))

    def _started(self) -> LineProcess:
        process = LineProcess(self._words, self.name)
        if self._has_choose:
            process.read(_START_S)  # Python is there
            process.read(self._limit_s)  # the file is read
        return process


def _cells(line: str, position: Position) -> tuple[int, ...]:
    """The free cells that an answer names."""
    try:
        cells = tuple(map(int, line.split()))
    except ValueError:
        cells = ()
    if not cells:
        advice = "answer with a cell, a number from 0 to 8, or with several"
        raise WrongError(f"said {line[:20]!r}", advice)
    for cell in cells:
        if not 0 <= cell <= 8:
            raise WrongError(f"chose {cell}", "cells are 0 to 8, in reading order")
        if cell not in position.free:
            free = ", ".join(map(str, position.free))
            raise WrongError(f"chose {cell}, which is taken", f"free are {free} (counted from 0)")
        if cells.count(cell) > 1:
            raise WrongError(f"chose {cell} twice", "say each cell once")
    return cells


class LineProcess:
    """A program on a leash, which is asked line by line, with a limit for each answer.

    name: for messages. Its standard error is shown on ours, with control characters replaced by
    spaces. It ends with this object, or with Python. Raises `NoughtsError` if no process can be
    started.
    """

    def __init__(self, words: Sequence[str], name: str) -> None:
        leash = python_command("noughts.engines.own_process", "leash", *words)
        process = start_python(leash, name, stderr=subprocess.PIPE)
        assert process.stdin and process.stdout and process.stderr
        self._to: IO[bytes] = process.stdin
        self._lines: queue.Queue[str | None] = queue.Queue(_MAX_UNREAD)
        arguments = (process.stdout, self._lines)
        threading.Thread(target=_read, args=arguments, daemon=True).start()
        messages = threading.Thread(target=_show, args=(process.stderr,), daemon=True)
        messages.start()
        self._close = weakref.finalize(self, _end, process, messages)
        self.read(_START_S)

    @property
    def ended(self) -> bool:
        """Whether it has ended, or was ended because it did not answer."""
        return not self._close.alive

    @property
    def has_spoken(self) -> bool:
        """Whether there is a line that was not asked for."""
        return not self._lines.empty()

    def ask(self, line: str, limit_s: float) -> str:
        """Its answer to a line. Raises as `read` does, and if it has spoken without being asked."""
        if self.has_spoken:
            printed = self.read(0)[:20]
            raise WrongError(
                f"said {printed!r} without being asked", "say one line for each that it reads"
            )
        with contextlib.suppress(OSError):  # it has ended, which reading will find
            self._to.write(f"{line}\n".encode())
            self._to.flush()
        return self.read(limit_s)

    def read(self, limit_s: float) -> str:
        """Its next line, without white space around it.

        Raises `TimeoutError`, and `WrongError` when it has ended, or says what is wrong with it.
        """
        try:
            line = self._lines.get(timeout=limit_s)
        except queue.Empty:
            self._close()
            raise TimeoutError from None
        line = ENDED if line is None else line.strip()
        if line.startswith(WRONG):
            what, _, advice = line.removeprefix(f"{WRONG}\0").partition("\0")
            raise WrongError(what, advice)
        if line.startswith(ENDED):
            self._close()
            status = line.removeprefix(ENDED).strip("\0")
            how = f"has ended with status {status}" if status else "has ended"
            if status.startswith("-"):
                how = f"was ended by signal {status[1:]}"
            advice = "it has to run for as long as it is asked"
            raise WrongError(f"{how}, and did not answer", advice)
        return line


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


def from_file(path: str, limit_s: float) -> OwnEngine:
    """The engine in a Python file. Raises `OwnEngineError` if it is not there."""
    if not Path(path).is_file():
        raise OwnEngineError(
            f"{path} is not a file; `noughts new engine {quoted(path)}` writes a start"
        )
    return _with_choose(Path(path).name, "an engine of your own", limit_s, "file", path)


def packaged() -> list[str]:
    """The names of the engines that installed packages bring."""
    import importlib.metadata  # only here: it takes long

    found = importlib.metadata.entry_points(group=GROUP)
    return sorted({entry.name for entry in found if entry.name.isprintable()})


def from_package(name: str, limit_s: float) -> OwnEngine:
    """An engine that an installed package brings, one of `packaged`."""
    return _with_choose(name, "a package's engine", limit_s, "entry", name)


def _with_choose(name: str, about: str, limit_s: float, *where: str) -> OwnEngine:
    words = python_command("noughts.engines.own_process", "answer", *where)
    return OwnEngine(name, about, words, limit_s, True)


def from_program(command: str, limit_s: float) -> OwnEngine:
    """The engine that a command starts. Raises `OwnEngineError` if there is no such program."""
    try:
        words = shlex.split(command, posix=os.name == "posix")
    except ValueError as error:
        raise OwnEngineError(f"{command!r} is not a command ({error}); check its quotes") from None
    if not words or shutil.which(words[0]) is None:
        raise OwnEngineError(
            f"{words[0] if words else command!r} is not a program here; "
            "check its path, and that it may be executed"
        )
    return OwnEngine(Path(words[0]).name, "a program of your own", words, limit_s, False)
