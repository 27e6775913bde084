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
import reprlib
import shlex
import subprocess
import sys
import threading
import traceback
import weakref
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from types import ModuleType
from typing import IO, Any

from noughts.errors import OwnEngineError, printable
from noughts.game.board import Board
from noughts.game.engine import Engine, Reply
from noughts.game.positions import Position
from noughts.invocation import quoted
from noughts.processes import python_command, start_process

LIMIT_S = 20.0
"""For each answer: plain minimax in Python takes several seconds on the empty board."""
_START_S = 120.0
"""For the start of Python itself, which is slow on a busy computer."""
_SHUTDOWN_TIMEOUT_S = 1.0
"""For its last messages: a process that it has started may hold their pipe open."""
_MAX_LINE = 10_000
_GROUP = "noughts.engines"
"""The entry points of packages, each a function such as `choose`."""


class OwnEngine(Engine):
    """A function `choose` in its own process, or a program.

    The process ends with this object, or with Python, or when it gives no answer.
    """

    about = "an engine of your own"
    may_vary = True

    def __init__(
        self, name: str, limit_s: float, choose: str = "", program: Sequence[str] = ()
    ) -> None:
        """choose: as in `answer`; or else program: the words of a command."""
        self.name, self._limit_s = printable(name), limit_s
        self._words = program or python_command("noughts.engines.own", "answer", choose)
        self._has_choose = bool(choose)
        self._close: weakref.finalize[..., OwnEngine] | None = None

    def reply(self, position: Position) -> Reply:
        """Its moves. Raises `OwnEngineError`, which names the position."""
        self._position = position
        if not (self._close and self._close.alive):
            self._start()
        if self.has_unasked_line:
            extra = self._line(0)[:20]
            raise self._error(f"printed {extra!r} unasked; print one line per question")
        assert self._process.stdin
        with contextlib.suppress(OSError):  # it has ended, as reading will show
            os.write(self._process.stdin.fileno(), f"{position} {position.turn}\n".encode())
        return Reply(self._free_cells(self._line(self._limit_s)))

    @property
    def has_unasked_line(self) -> bool:
        """Whether it has printed a line that nobody asked for, after its first answer."""
        return not self._lines.empty()

    def _error(self, wrong: str) -> OwnEngineError:
        return OwnEngineError(printable(f"{self.name}, in {self._position}: {wrong}"))

    def _start(self) -> None:
        try:
            self._process = start_process(self._words, subprocess.PIPE)
        except OSError as error:
            how = f"cannot be started ({error.strerror})"
            raise self._error(f"{how}; check its path, and that it is a program") from None
        self._lines: queue.Queue[bytes] = queue.Queue(2)  # room for a line that nobody asked for
        arguments = (self._process.stdout, self._lines)
        threading.Thread(target=_read, args=arguments, daemon=True).start()
        messages = threading.Thread(target=_show, args=(self._process.stderr,), daemon=True)
        messages.start()
        self._close = weakref.finalize(self, _end, self._process, messages)
        if self._has_choose:
            self._line(_START_S)  # Python has started

    def _line(self, limit_s: float) -> str:
        """Its next line. Raises `OwnEngineError` if it takes too long, or ends.

        Without a line, whatever the cause, the process is ended.
        """
        assert self._close
        line = b""
        try:
            line = self._lines.get(timeout=limit_s)
        except queue.Empty:
            advice = "look for an endless loop" if self._has_choose else "make it flush its output"
            raise self._error(
                f"did not answer within {limit_s:g} s; {advice}, or give it more time with --limit"
            ) from None
        finally:
            if not line:
                self._close()
        if not line:
            status = self._process.returncode
            how = f"was killed by signal {-status}" if status < 0 else f"ended with status {status}"
            raise self._error(f"{how} before it answered; it must answer every line")
        return line.decode("utf-8", "replace").strip()

    def _free_cells(self, line: str) -> tuple[int, ...]:
        """The cells that an answer names; that of a `choose` may say instead what went wrong."""
        try:
            cells = tuple(dict.fromkeys(map(int, line.split())))
        except ValueError:
            cells = ()
        if not cells:
            wrong = f"answered {line[:20]!r}; answer with a cell, 0 to 8, or with several"
            if self._has_choose:
                wrong = f"{line}; correct it: choose(board) returns a cell, 0 to 8, or a list"
            raise self._error(wrong)
        for cell in cells:
            if cell not in self._position.free:
                free = ", ".join(map(str, self._position.free))
                raise self._error(f"chose {cell}; the free cells are {free} (counted from 0)")
        return cells


def _read(pipe: IO[bytes], lines: queue.Queue[bytes]) -> None:
    while line := pipe.readline(_MAX_LINE):
        lines.put(line)
    lines.put(b"")


def _show(pipe: IO[bytes]) -> None:
    with contextlib.suppress(OSError, ValueError), io.TextIOWrapper(pipe, errors="replace") as text:
        while line := text.readline(_MAX_LINE):
            sys.stderr.write(printable(line.removesuffix("\n")) + "\n")


def _end(process: subprocess.Popen[bytes], messages: threading.Thread) -> None:
    _end_all(process.pid)
    process.wait()
    messages.join(_SHUTDOWN_TIMEOUT_S)


def _end_all(pid: int) -> None:
    import psutil  # only here, because it is slow

    with contextlib.suppress(psutil.Error):
        process = psutil.Process(pid)
        for own_process in (*process.children(recursive=True), process):
            with contextlib.suppress(psutil.Error):
                own_process.kill()


def answer(name: str) -> None:
    """Answer questions by a `choose`, in its process; name: a file's whole path, or an entry's."""
    # `input` and `print` cannot reach the questions and answers.
    questions = os.fdopen(os.dup(0), encoding="utf-8")
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8", errors="replace")
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    sys.stdout = sys.stderr  # which does not buffer lines
    questions_asked: queue.SimpleQueue[str] = queue.SimpleQueue()

    def listen() -> None:
        for line in questions:
            questions_asked.put(line)
        _end_all(os.getpid())  # our owner has ended, or was killed

    threading.Thread(target=listen, daemon=True).start()
    choose, line = None, "ready"
    while True:
        print(line, file=answers, flush=True)
        board = Board(questions_asked.get().split()[0])
        try:
            choose = choose or _load_choose(name)
            line = _cells_as_text(choose(board))
        except BaseException as error:
            code = getattr(choose, "__code__", None)
            file = Path(code.co_filename if code else name).absolute()
            line = _error_text(error, file.parent)


def _load_choose(name: str) -> Callable[[Board], object]:
    if Path(name).is_absolute():
        return _module(Path(name)).choose  # type: ignore[no-any-return]
    from importlib.metadata import entry_points  # only here, because it is slow

    (entry, *_) = entry_points(group=_GROUP, name=name)
    loaded = entry.load()
    return getattr(loaded, "choose", loaded)  # type: ignore[no-any-return]


def _module(path: Path) -> ModuleType:
    module = ModuleType(path.stem)
    module.__file__ = str(path)
    sys.modules[path.stem] = module  # dataclasses look there
    sys.path.insert(0, str(path.parent))
    os.chdir(path.parent)
    exec(compile(path.read_bytes(), str(path), "exec"), module.__dict__)
    return module


def _cells_as_text(answer: object) -> str:
    """The cells that `choose` returned; any type of whole number will do, such as numpy's."""
    with contextlib.suppress(TypeError):
        cells: list[Any] = [*answer] if isinstance(answer, Iterable) else [answer]
        # A bool is not cell 0 or 1, and a dictionary of scores is not a list of cells.
        if cells and bool not in map(type, cells) and not isinstance(answer, bytes | dict):
            return " ".join(map(str, sorted(map(operator.index, cells))))
    raise TypeError(f"choose returned {reprlib.repr(answer)}")


def _error_text(error: BaseException, folder: Path) -> str:
    """`ZeroDivisionError: division by zero (mine.py, line 7)`, as Python writes syntax errors.

    The line is the innermost one in a file of this folder.
    """
    place = ""
    for frame in traceback.extract_tb(error.__traceback__):
        path = Path(frame.filename)
        if path.parent == folder:
            place = f" ({path.name}, line {frame.lineno})"
    what = " ".join(f"{type(error).__name__}: {error}".split())
    return what[:200].removesuffix(":") + place


def from_file(path: str, limit_s: float) -> OwnEngine:
    """The engine in a Python file. Raises `OwnEngineError` if it is not there."""
    if not Path(path).is_file():
        raise OwnEngineError(
            f"{path} is not a file; `noughts new engine {quoted(path)}` writes a template"
        )
    return OwnEngine(Path(path).name, limit_s, choose=str(Path(path).resolve()))


def packaged() -> list[str]:
    """The names of all engines in installed packages."""
    from importlib.metadata import entry_points  # only here, because it is slow

    return sorted({entry.name for entry in entry_points(group=_GROUP)})


def from_program(command: str, limit_s: float) -> OwnEngine:
    """The engine that a command starts. Raises `OwnEngineError` if it is not a command."""
    try:
        words = shlex.split(command, posix=os.name == "posix")
        name = Path(words[0]).name
    except (ValueError, IndexError):
        raise OwnEngineError(f"{command!r} is not a command; check its quotes") from None
    return OwnEngine(name, limit_s, program=words)
