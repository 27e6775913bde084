"""An engine of one's own as all others are: a position in, moves out, or one line of what is wrong.

What it answers may differ from call to call, which `may_vary` says.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
from collections.abc import Callable
from pathlib import Path

from noughts import python_process
from noughts.engines.own import GROUP
from noughts.engines.own.line_process import EndedError, LineProcess, SilenceError
from noughts.errors import OwnEngineError, printable
from noughts.game.engine import Reply
from noughts.game.positions import Position
from noughts.invocation import quoted

_CHOOSER = "noughts.engines.own.chooser"
_START_S = 120.0
_NUMBER = re.compile("-?[0-9]{1,4}")  # Python reads no number of thousands of digits


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
        question = f"{position} {'XO'[position.ply % 2]}"
        read = self._chosen if self._has_choose else self._said
        return Reply(self._checked(read(self._asked(question, position), position), position))

    def _asked(self, question: str, position: Position) -> str:
        def ask() -> str:
            self._process = self._process or self._started()
            if self._process.has_spoken:
                raise self._error(
                    f"said {self._process.read(0)[:20]!r} without being asked",
                    "say one line for each that it reads",
                    position,
                )
            return self._process.ask(question, self._limit_s)

        return self._careful(ask, position)

    def _careful(self, ask: Callable[[], str], position: Position | None) -> str:
        try:
            return ask()
        except SilenceError:
            loop = "look for a loop that does not end" if self._has_choose else "flush its output"
            advice = f"{loop}, or give it more time with --limit"
            what = f"did not answer within {self._limit_s:g} s"
        except EndedError as error:
            what, advice = str(error), error.advice
        self._process = None  # another is started for the next question
        raise self._error(what, advice, position)

    def _started(self) -> LineProcess:
        process = LineProcess(self._words, self.name)
        if self._has_choose:
            process.read(_START_S)  # Python is there
            self._chosen(self._careful(lambda: process.read(self._limit_s), None), None)
        return process

    def _chosen(self, line: str, position: Position | None) -> list[int]:
        try:
            facts = dict(json.loads(line))
        except (TypeError, ValueError):
            raise self._error(
                f"said {line[:20]!r} between its answers", "let it only print", position
            ) from None
        if "wrong" in facts:
            what, _, advice = facts["wrong"].rpartition("; ")
            raise self._error(what, advice, position)
        return list(facts.get("cells", ()))

    def _said(self, line: str, position: Position) -> list[int]:
        words = line.split()
        if not words or not all(_NUMBER.fullmatch(word) for word in words):
            advice = "answer with a cell, a number from 0 to 8, or with several"
            raise self._error(f"said {line[:20]!r}", advice, position)
        return list(map(int, words))

    def _checked(self, cells: list[int], position: Position) -> tuple[int, ...]:
        for cell in cells:
            if not 0 <= cell <= 8:
                raise self._error(f"chose {cell}", "cells are 0 to 8, in reading order", position)
            if cell not in position.free:
                free = ", ".join(map(str, position.free))
                raise self._error(
                    f"chose {cell}, which is taken", f"free are {free} (counted from 0)", position
                )
            if cells.count(cell) > 1:
                raise self._error(f"chose {cell} twice", "say each cell once", position)
        return tuple(cells)

    def _error(self, what: str, advice: str, position: Position | None) -> OwnEngineError:
        where = f", in {position}" if position else ""
        return OwnEngineError(printable(f"{self.name}: {what}{where}; {advice}"))


def from_file(path: str, limit_s: float) -> OwnEngine:
    """The engine in a Python file. Raises `OwnEngineError` if it is not there."""
    name = Path(path).name
    if not Path(path).is_file():
        raise OwnEngineError(
            f"{path} is not a file; `noughts new engine {quoted(path)}` writes a start"
        )
    words = python_process.command(_CHOOSER, "file", path)
    return OwnEngine(name, "an engine of your own", words, limit_s, True)


def packaged() -> list[str]:
    """The names of the engines that installed packages bring."""
    import importlib.metadata  # only here: it takes long

    found = importlib.metadata.entry_points(group=GROUP)
    return sorted({entry.name for entry in found if entry.name.isprintable()})


def from_package(name: str, limit_s: float) -> OwnEngine:
    """An engine that an installed package brings, one of `packaged`."""
    words = python_process.command(_CHOOSER, "entry", name)
    return OwnEngine(name, "a package's engine", words, limit_s, True)


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
