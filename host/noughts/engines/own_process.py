"""The processes of engines of your own: the leash, and the Python that calls `choose(board)`.

The leash stands between us and a program of somebody else's, so that it ends when we do. It hands
on the lines that it gets, and ends the program, and all that it has started, when there are no
more: then its owner has closed them, has ended, or was killed. What the program says goes to the
owner straight away. The leash itself says `READY` first, and in the end `WRONG` with why it cannot
start the program, or `ENDED` with the status with which that has ended.

On Linux the leash also adopts processes whose parents have ended (it is a "child subreaper"), so it
ends daemons too. Other systems have nothing like it: there a process outlives the leash if its
parent has ended and, except on Windows, it has left the leash's process group.

The Python on that leash gets a line for each question, the nine characters of a position and who is
to move. It answers each with a line: the cells, or `WRONG`, what is wrong and where.
Before that it says `READY` when Python is there, and again when the file is read. What the file
prints goes to standard error, and it gets no input: nothing comes between the answers.
"""

from __future__ import annotations

import builtins
import contextlib
import operator
import os
import signal
import subprocess
import sys
import threading
import traceback
from collections.abc import Callable, Iterable
from itertools import islice
from pathlib import Path
from types import ModuleType
from typing import IO, TYPE_CHECKING, Any, NoReturn

from noughts.errors import NoughtsError

if TYPE_CHECKING:
    from noughts.game.board import Board


class WrongError(Exception):
    """What is wrong with an engine, and what to do: `args` are both."""


GROUP = "noughts.engines"
"""Of the entry points that packages may have, each a function such as `choose`."""
READY, WRONG, ENDED = "\0ready", "\0wrong", "\0ended"
"""These begin a line of ours, whose parts have a NUL between them; a program's line has none."""

# It imports what this process would, and leaves Ctrl-C to it.
_RUN = (
    "import signal, sys; signal.signal(signal.SIGINT, signal.SIG_IGN); "
    "count = int(sys.argv[1]); words = sys.argv[2 + count:]; sys.path[:] = sys.argv[2:2 + count]; "
    "from {module} import {function}; {function}(*words)"
)
_PR_SET_CHILD_SUBREAPER = 36  # linux/prctl.h
_TOO_MANY = 10
"""Cells, and one of them is named twice."""


def python_command(module: str, function: str, *words: str) -> list[str]:
    """The command that calls a function of ours in another process, for `start_python`."""
    run = _RUN.format(module=module, function=function)
    return [sys.executable, "-I", "-c", run, str(len(sys.path)), *map(str, sys.path), *words]


def start_python(
    words: list[str],
    purpose: str,
    failing: type[NoughtsError] = NoughtsError,
    stderr: int | None = None,
) -> subprocess.Popen[bytes]:
    """Start a `python_command`, which is spoken to by pipes. Raises `failing` where that fails.

    stderr: ours, or `subprocess.PIPE`.
    """
    try:
        return subprocess.Popen(
            words,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=stderr,
            start_new_session=True,  # no signal of the terminal is meant for it
        )
    except OSError as error:
        raise failing(
            f"cannot start Python for {purpose} ({error.strerror}); close some programs"
        ) from error


def leash(*words: str) -> None:
    """Run a program for the process that started this one."""
    out = sys.stdout.buffer
    _say(out, READY)
    if sys.platform == "linux":
        import ctypes  # only here: no other process needs it

        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    try:
        program = subprocess.Popen(words, stdin=subprocess.PIPE)
    except OSError as error:
        advice = "check that it is a program; a script begins with #!/bin/sh or the like"
        _say(out, WRONG, f"cannot be run ({error.strerror})", advice)
        return
    assert program.stdin is not None
    threading.Thread(target=_hand_on, args=(program.stdin,)).start()
    _say(out, ENDED, str(_status(program)))
    end_all(os.getpid())


def _status(program: subprocess.Popen[bytes]) -> int:
    """Its exit status; adopted processes that end first do not stay as zombies."""
    if sys.platform == "win32":
        return program.wait()
    ended = status = 0
    while ended != program.pid:
        ended, status = os.wait()
    return os.waitstatus_to_exitcode(status)


def end_all(leash: int) -> None:
    """End a leash, by its process id, its program, and what the program has started."""
    import psutil

    with contextlib.suppress(psutil.Error):
        for child in psutil.Process(leash).children(recursive=True):
            with contextlib.suppress(psutil.Error):
                child.kill()
    with contextlib.suppress(OSError):
        if sys.platform == "win32":
            os.kill(leash, signal.SIGTERM)
        else:
            os.killpg(leash, signal.SIGKILL)  # it leads a group, for whose parents have ended


def _hand_on(program: IO[bytes]) -> None:
    listening = True
    for line in sys.stdin.buffer:
        try:
            if listening:
                program.write(line)
                program.flush()
        except OSError:
            listening = False  # its owner waits no longer than the limit
    end_all(os.getpid())


def _say(to: IO[bytes], kind: str, *details: str) -> None:
    line = " ".join("\0".join((kind, *details)).splitlines())
    with contextlib.suppress(OSError):
        to.write(f"{line}\n".encode(errors="replace"))
        to.flush()


def answer(kind: str, name: str) -> None:
    """Answer with a `choose` until nobody asks; kind: `file`, whose path follows, or `entry`."""
    from noughts.game.board import Board  # only here: the leash starts without it

    questions, answers = _apart()
    _say(answers, READY)
    try:
        choose = _found(kind, name)
    except WrongError as error:
        _say(answers, WRONG, *error.args)
        return
    _say(answers, READY)
    for line in questions:
        try:
            _say(answers, _cells(choose, Board(line.split()[0])))
        except WrongError as error:
            _say(answers, WRONG, *error.args)


def _apart() -> tuple[IO[str], IO[bytes]]:
    """The questions and the answers, out of reach of `input` and `print`."""
    questions = os.fdopen(os.dup(0), encoding="utf-8")
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    sys.stdout = sys.stderr  # where lines come out as they are printed
    builtins.input = _refuse_input
    return questions, answers


def _refuse_input(prompt: object = "") -> NoReturn:
    raise EOFError("input() has nobody to answer it here")


def _found(kind: str, name: str) -> Callable[[Board], object]:
    import importlib.metadata  # only here: it takes long
    import importlib.util

    file = str(Path(name).resolve()) if kind == "file" else ""
    wrong = "has no function choose(board)", "`noughts new engine FILE` shows one"
    found: object
    try:
        if file:
            found = _module(Path(file))
        else:
            (entry, *_) = importlib.metadata.entry_points(group=GROUP, name=name)
            wrong = f"is {entry.value}, which is not a function choose(board)", "correct it"
            spec = importlib.util.find_spec(entry.module)
            file = (spec and spec.origin) or ""
            found = entry.load()
    except BaseException as error:
        raise _misfired(error, file) from error
    choose = getattr(found, "choose", found)
    if not callable(choose):
        raise WrongError(*wrong)
    return choose


def _module(path: Path) -> ModuleType:
    module = ModuleType(path.stem)
    module.__file__ = str(path)
    sys.modules[path.stem] = module  # dataclasses look there
    sys.path.insert(0, str(path.parent))
    exec(compile(path.read_bytes(), str(path), "exec"), module.__dict__)
    return module


def _cells(choose: Callable[[Board], object], board: Board) -> str:
    """The cells that it returns: whole numbers of any kind, such as numpy's."""
    try:
        answer = choose(board)
        cells: list[Any] = [answer]
        if isinstance(answer, Iterable) and not isinstance(answer, str | bytes | dict):
            cells = [*islice(answer, _TOO_MANY)]  # it may never end
        whole = all(hasattr(cell, "__index__") and not isinstance(cell, bool) for cell in cells)
        found = sorted(map(operator.index, cells)) if whole else []
        answered, shown = " ".join(map(str, found)), _shortened(repr(answer), 40)
    except BaseException as error:
        code = getattr(choose, "__code__", None)
        file, line = (code.co_filename, code.co_firstlineno) if code else ("", 0)
        raise _misfired(error, file, line) from error
    if answer is None:
        raise WrongError("choose returned nothing (None)", "let every way through it return a cell")
    if not cells:
        raise WrongError(f"choose returned {shown}, with no cell in it", "return at least one")
    if not whole:
        advice = "return a cell, a whole number from 0 to 8, or several in a list"
        raise WrongError(f"choose returned {shown}", advice)
    return answered


def _misfired(error: BaseException, file: str, line: int = 0) -> WrongError:
    """`line 7, in choose: ZeroDivisionError: division by zero`; line: if nothing else is known.

    It is the innermost place in the file, or in another of its folder; file: empty if unknown.
    """
    name, text = type(error).__name__, ""
    with contextlib.suppress(Exception):  # that is written by the file's author
        text = str(error)
    place = f"line {line}, in choose" if line else ""
    if isinstance(error, SyntaxError) and error.lineno:
        text = error.msg
        place = _place(error.filename or file, error.lineno, "", file)
    else:
        for frame in traceback.extract_tb(error.__traceback__):
            if file and Path(frame.filename).parent == Path(file).parent:
                place = _place(frame.filename, frame.lineno or 0, frame.name, file)
    what = _shortened(" ".join(f"{name}: {text}".split()).removesuffix(":"), 200)
    advice = "correct it there" if place else "correct it"
    return WrongError(f"{place}: {what}" if place else what, advice)


def _shortened(text: str, length: int) -> str:
    return text if len(text) <= length else f"{text[: length - 1]}…"


def _place(file: str, line: int, function: str, ours: str) -> str:
    where = f"line {line}" if file == ours else f"{Path(file).name}, line {line}"
    return where if function in ("", "<module>") else f"{where}, in {function}"
