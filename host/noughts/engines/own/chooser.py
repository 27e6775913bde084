"""The process in which somebody's `choose(board)` is called.

It gets a line for each question, the nine characters of a position and who is to move, and answers
each with a line of JSON: `{"cells": [4]}`, or `{"wrong": "…"}` with what is wrong and where. Before
that it says `{}` when Python is there, and again when the file is read. What the file prints goes
to standard error, and it gets no input: nothing comes between the answers.
"""

from __future__ import annotations

import builtins
import importlib.metadata
import importlib.util
import json
import operator
import os
import sys
import traceback
from collections.abc import Callable, Iterable
from itertools import islice
from pathlib import Path
from types import ModuleType
from typing import Any, NoReturn

from noughts.engines.own import GROUP
from noughts.game.board import Board

_TOO_MANY = 10
"""Cells, and one of them is said twice."""
_TOO_LARGE = 10_000
"""For a cell, whose number is quoted; Python prints no number of thousands of digits."""


class _WrongError(Exception):
    """What is wrong with the file, in words; where it stands is part of them."""


def main(kind: str, name: str) -> None:
    """Answer until nobody asks any more; kind: `file`, whose path follows, or `entry`."""
    questions, answers = _apart()

    def say(**facts: object) -> None:
        answers.write(json.dumps(facts) + "\n")
        answers.flush()

    say()
    try:
        choose = _from_file(Path(name).resolve()) if kind == "file" else _from_package(name)
    except _WrongError as error:
        say(wrong=str(error))
        return
    say()
    for line in questions:
        try:
            say(cells=_cells(choose, Board(line.split()[0])))
        except _WrongError as error:
            say(wrong=str(error))


def _apart() -> tuple[Any, Any]:
    """The questions and the answers, out of reach of `input` and `print`."""
    questions = os.fdopen(os.dup(0), encoding="utf-8")
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    sys.stdout = sys.stderr  # where lines come out as they are printed
    builtins.input = _refuse_input
    return questions, answers


def _refuse_input(prompt: object = "") -> NoReturn:
    raise EOFError("input() has nobody to answer it here")


def _from_file(path: Path) -> Callable[[Board], object]:
    module = ModuleType(path.stem)
    module.__file__ = str(path)
    sys.modules[path.stem] = module  # dataclasses look there
    sys.path.insert(0, str(path.parent))
    try:
        exec(compile(path.read_bytes(), str(path), "exec"), module.__dict__)
    except BaseException as error:
        raise _WrongError(_where_and_what(error, str(path))) from error
    choose = getattr(module, "choose", None)
    if not callable(choose):
        raise _WrongError("has no function choose(board); `noughts new engine FILE` shows one")
    return choose  # type: ignore[no-any-return]


def _from_package(name: str) -> Callable[[Board], object]:
    (entry, *_) = importlib.metadata.entry_points(group=GROUP, name=name)
    file = ""
    try:
        spec = importlib.util.find_spec(entry.module)
        file = (spec and spec.origin) or ""
        found = entry.load()
    except BaseException as error:
        raise _WrongError(_where_and_what(error, file)) from error
    choose = getattr(found, "choose", found)
    if not callable(choose):
        raise _WrongError(f"is {entry.value}, which is not a function choose(board); correct it")
    return choose  # type: ignore[no-any-return]


def _cells(choose: Callable[[Board], object], board: Board) -> list[int]:
    try:
        answer = choose(board)
        several: Iterable[object] = [answer]
        if isinstance(answer, Iterable) and not isinstance(answer, bytes | dict):
            several = islice(answer, _TOO_MANY)  # it may go on for ever
        cells = [_index(cell) for cell in several]
        shown = _shortened(repr(answer), 40)
    except BaseException as error:
        code = getattr(choose, "__code__", None)
        file, line = (code.co_filename, code.co_firstlineno) if code else ("", 0)
        raise _WrongError(_where_and_what(error, file, line)) from error
    if answer is None:
        raise _WrongError("choose returned nothing (None); let every way through it return a cell")
    if not cells:
        raise _WrongError(f"choose returned {shown}, with no cell in it; return at least one")
    found = [cell for cell in cells if cell is not None]
    if len(found) < len(cells):
        raise _WrongError(
            f"choose returned {shown}; return a cell, a whole number from 0 to 8, or several in "
            "a list"
        )
    return sorted(found)


def _index(cell: Any) -> int | None:
    """A whole number of any kind, such as numpy's; None for what is not one."""
    if isinstance(cell, bool) or not hasattr(cell, "__index__"):
        return None
    index = operator.index(cell)
    return index if abs(index) < _TOO_LARGE else None


def _where_and_what(error: BaseException, file: str, line: int = 0) -> str:
    """`line 7, in choose: ZeroDivisionError: division by zero`; line: if nothing else is known.

    It is the innermost place in the file, or in another of its folder; file: empty if unknown.
    """
    what = f"{type(error).__name__}: {_text(error)}"
    place = f"line {line}, in choose" if line else ""
    if isinstance(error, SyntaxError) and error.lineno:
        what = f"{type(error).__name__}: {error.msg}"
        place = _place(error.filename or file, error.lineno, "", file)
    else:
        for frame in traceback.extract_tb(error.__traceback__):
            if file and Path(frame.filename).parent == Path(file).parent:
                place = _place(frame.filename, frame.lineno or 0, frame.name, file)
    what = _shortened(" ".join(what.split()).removesuffix(":"), 200)
    return f"{place}: {what}; correct it there" if place else f"{what}; correct it"


def _text(error: BaseException) -> str:
    try:
        return str(error)
    except Exception:  # that is written by whoever wrote the file
        return ""


def _shortened(text: str, length: int) -> str:
    return text if len(text) <= length else f"{text[: length - 1]}…"


def _place(file: str, line: int, function: str, ours: str) -> str:
    where = f"line {line}" if file == ours else f"{Path(file).name}, line {line}"
    return where if function in ("", "<module>") else f"{where}, in {function}"
