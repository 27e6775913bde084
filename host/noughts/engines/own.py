"""Your own engines: a file, a package's, or any program, each in its own process.

Each question is a line: the nine characters of a position, and the player to move (`X...O.... X`).
The answer is a line too: a cell from 0 to 8, or several with blanks between them. A file or a
package has a function `choose(board)`, which Python in that process calls (`answer`). What the file
prints goes to standard error, and it gets no input, so nothing comes between the answers.

An engine's answers may differ from call to call, so it has `may_vary`.
"""

import contextlib
import io
import operator
import os
import queue
import shlex
import shutil
import subprocess
import sys
import threading
import traceback
import weakref
from collections.abc import Callable, Iterable
from pathlib import Path
from types import ModuleType
from typing import IO, Any

from noughts.errors import NoughtsError, OwnEngineError, printable
from noughts.game.board import Board
from noughts.game.engine import Reply
from noughts.game.positions import Position
from noughts.invocation import quoted

LIMIT_S = 20.0
"""For each answer: plain minimax in Python takes several seconds on the empty board."""
_START_S = 120.0
"""For the start of Python itself, which is slow on a busy computer."""
_SHUTDOWN_TIMEOUT_S = 1.0
"""For its last messages: a process that it has started may hold their pipe open."""
_MAX_LINE = 10_000
_MAX_UNREAD = 100
"""Lines; a program that prints more has to wait."""
_GROUP = "noughts.engines"
"""The entry points of packages, each a function such as `choose`."""
_READY, _WRONG = "\0ready", "\0wrong"
"""These begin our own lines; a NUL separates what is wrong from what to do."""


class WrongError(Exception):
    """What is wrong with an engine, and what to do: `args` are both."""


class OwnEngine:
    """A function `choose` in its own process, or a program.

    The process ends with this object, or with Python.
    """

    perfect = False
    may_vary = True

    def __init__(
        self, name: str, about: str, words: list[str], limit_s: float, has_choose: bool
    ) -> None:
        self.name, self.about = printable(name), about
        self._words, self._limit_s, self._has_choose = words, limit_s, has_choose
        self._close: weakref.finalize[..., OwnEngine] | None = None

    def reply(self, position: Position) -> Reply:
        """Its moves. Raises `OwnEngineError`, which names the position."""
        try:
            if not (self._close and self._close.alive):
                self._start()
            return Reply(_free_cells(self._ask(position), position))
        except queue.Empty:
            loop = "look for a loop that does not end" if self._has_choose else "flush its output"
            what = f"did not answer within {self._limit_s:g} s"
            advice = f"{loop}, or give it more time with --limit"
        except WrongError as error:
            what, advice = error.args
        raise OwnEngineError(printable(f"{self.name}: {what}, in {position}; {advice}"))

    def _start(self) -> None:
        self._process = start_process(self._words, self.name, OwnEngineError, subprocess.PIPE)
        assert self._process.stdout and self._process.stderr
        self._lines: queue.Queue[str | None] = queue.Queue(_MAX_UNREAD)
        arguments = (self._process.stdout, self._lines)
        threading.Thread(target=_read, args=arguments, daemon=True).start()
        messages = threading.Thread(target=_show, args=(self._process.stderr,), daemon=True)
        messages.start()
        self._close = weakref.finalize(self, _end, self._process, messages)
        if self._has_choose:
            self._line(_START_S)  # Python has started

    def _ask(self, position: Position) -> str:
        if not self._lines.empty():
            printed = self._line(0)[:20]
            raise WrongError(
                f"printed {printed!r} without being asked",
                "print one line for each line that it reads",
            )
        assert self._process.stdin
        with contextlib.suppress(OSError):  # it has ended, as reading will show
            self._process.stdin.write(f"{position} {position.turn}\n".encode())
            self._process.stdin.flush()
        return self._line(self._limit_s)

    def _line(self, limit_s: float) -> str:
        """Its next line. Raises `queue.Empty`, and `WrongError` if it has ended or reports one."""
        assert self._close
        try:
            line = self._lines.get(timeout=limit_s)
        except queue.Empty:
            self._close()
            raise
        if line is None:
            self._close()
            status = self._process.returncode
            how = f"has ended with status {status}"
            if status < 0:
                how = f"was ended by signal {-status}"
            advice = "it has to run for as long as it is asked"
            raise WrongError(f"{how}, and did not answer", advice)
        if line.startswith(_WRONG):
            what, _, advice = line.strip().removeprefix(_WRONG).partition("\0")
            raise WrongError(what, advice)
        return line.strip()


def _free_cells(line: str, position: Position) -> tuple[int, ...]:
    """The cells that an answer names."""
    try:
        cells = tuple(dict.fromkeys(map(int, line.split())))
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
    return cells


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
    _end_all(process.pid)
    process.wait()
    messages.join(_SHUTDOWN_TIMEOUT_S)
    assert process.stdin is not None
    with contextlib.suppress(OSError):
        process.stdin.close()


def _end_all(pid: int) -> None:
    import psutil  # only here, because it is slow

    with contextlib.suppress(psutil.Error):
        process = psutil.Process(pid)
        for each in (*process.children(recursive=True), process):
            with contextlib.suppress(psutil.Error):
                each.kill()


def python_command(module: str, function: str, *words: str) -> list[str]:
    """The command that calls one of our functions in another process."""
    run = (  # with this process's import path; Ctrl-C is for this process only
        "import signal, sys; signal.signal(signal.SIGINT, signal.SIG_IGN); "
        f"sys.path[:] = {[*map(os.path.abspath, sys.path)]!r}; "
        f"from {module} import {function}; {function}(*sys.argv[1:])"
    )
    return [sys.executable, "-I", "-c", run, *words]


def start_process(
    words: list[str], purpose: str, failing: type[NoughtsError], stderr: int | None = None
) -> subprocess.Popen[bytes]:
    """Start a process with pipes to it. Raises `failing` if that is not possible.

    stderr: by default ours, or `subprocess.PIPE`.
    """
    try:
        return subprocess.Popen(
            words,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=stderr,
            start_new_session=True,  # it should not get the terminal's signals
        )
    except OSError as error:
        raise failing(
            f"cannot start {purpose} ({error.strerror}); check that it is a program (a script "
            "begins with #!/bin/sh or the like), or close some programs"
        ) from error


def answer(kind: str, name: str) -> None:
    """Answer questions by a `choose`, in its process; kind: `file` or `entry`; name: its path."""
    # `input` and `print` cannot reach the questions and answers.
    questions = os.fdopen(os.dup(0), encoding="utf-8")
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8", errors="replace")
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    sys.stdout = sys.stderr  # which does not buffer lines
    asked: queue.SimpleQueue[str] = queue.SimpleQueue()

    def listen() -> None:
        for line in questions:
            asked.put(line)
        _end_all(os.getpid())  # our owner has ended, or was killed

    threading.Thread(target=listen, daemon=True).start()
    choose, line = None, _READY
    while True:
        print(" ".join(line.splitlines()), file=answers, flush=True)
        position = asked.get().split()[0]
        try:
            choose = choose or _found(kind, name)
            line = _chosen(choose, Board(position))
        except WrongError as error:
            line = f"{_WRONG}{error.args[0]}\0{error.args[1]}"


def _found(kind: str, name: str) -> Callable[[Board], object]:
    file = Path(name) if kind == "file" else None
    found: object
    try:
        if file:
            found = _module(file)
        else:
            from importlib.metadata import entry_points  # only here, because it is slow

            (entry, *_) = entry_points(group=_GROUP, name=name)
            found = entry.load()
    except BaseException as error:
        raise _misfired(error, file) from error
    choose = getattr(found, "choose", found)
    if not callable(choose):
        raise WrongError("has no function choose(board)", "`noughts new engine FILE` shows one")
    return choose


def _module(path: Path) -> ModuleType:
    module = ModuleType(path.stem)
    module.__file__ = str(path)
    sys.modules[path.stem] = module  # dataclasses look there
    sys.path.insert(0, str(path.parent))
    os.chdir(path.parent)
    exec(compile(path.read_bytes(), str(path), "exec"), module.__dict__)
    return module


def _chosen(choose: Callable[[Board], object], board: Board) -> str:
    """The cells that it returns; any type of whole number will do, such as numpy's."""
    try:
        answer = choose(board)
        several = isinstance(answer, Iterable) and not isinstance(answer, str | bytes | dict)
        cells: list[Any] = [*answer] if several else [answer]  # type: ignore[misc]
        if cells and all(
            hasattr(each, "__index__") and not isinstance(each, bool) for each in cells
        ):
            return " ".join(map(str, sorted(map(operator.index, cells))))
    except BaseException as error:
        code = getattr(choose, "__code__", None)
        raise _misfired(error, code and Path(code.co_filename)) from error
    advice = "return a cell, a whole number from 0 to 8, or several in a list"
    raise WrongError(f"choose returned {_shortened(repr(answer), 40)}", advice)


def _misfired(error: BaseException, file: Path | None) -> WrongError:
    """`line 7, in choose: ZeroDivisionError: division by zero`.

    The line is the innermost one in the file, or in another file of its folder.
    """
    text, place = str(error), ""
    traced = traceback.extract_tb(error.__traceback__)
    frames = [(each.filename, each.lineno, each.name) for each in traced]
    if isinstance(error, SyntaxError) and error.filename:
        text = error.msg
        frames.append((error.filename, error.lineno, ""))
    for name, line, function in frames:
        if file and Path(name).parent == file.parent:
            place = f"line {line}" if Path(name) == file else f"{Path(name).name}, line {line}"
            place += f", in {function}" if function not in ("", "<module>") else ""
    what = " ".join(f"{type(error).__name__}: {text}".split()).removesuffix(":")
    return WrongError(
        f"{place}: " * bool(place) + _shortened(what, 200), "correct it" + " there" * bool(place)
    )


def _shortened(text: str, length: int) -> str:
    return text if len(text) <= length else f"{text[: length - 1]}…"


def from_file(path: str, limit_s: float) -> OwnEngine:
    """The engine in a Python file. Raises `OwnEngineError` if it is not there."""
    if not Path(path).is_file():
        raise OwnEngineError(
            f"{path} is not a file; `noughts new engine {quoted(path)}` writes a template"
        )
    where = str(Path(path).resolve())
    return _with_choose(Path(path).name, "an engine of your own", limit_s, "file", where)


def packaged() -> list[str]:
    """The names of all engines in installed packages."""
    from importlib.metadata import entry_points  # only here, because it is slow

    return sorted({entry.name for entry in entry_points(group=_GROUP)})


def from_package(name: str, limit_s: float) -> OwnEngine:
    """An engine in an installed package, one of `packaged`."""
    return _with_choose(name, "a package's engine", limit_s, "entry", name)


def _with_choose(name: str, about: str, limit_s: float, *where: str) -> OwnEngine:
    words = python_command("noughts.engines.own", "answer", *where)
    return OwnEngine(name, about, words, limit_s, True)


def from_program(command: str, limit_s: float) -> OwnEngine:
    """The engine that a command starts. Raises `OwnEngineError` if there is no such program."""
    try:
        words = shlex.split(command, posix=os.name == "posix") or [""]
    except ValueError as error:
        raise OwnEngineError(f"{command!r} is not a command ({error}); check its quotes") from None
    if shutil.which(words[0]) is None:
        raise OwnEngineError(
            f"{words[0]!r} is not a program here; check its path, and that it may be executed"
        )
    return OwnEngine(Path(words[0]).name, "a program of your own", words, limit_s, False)
