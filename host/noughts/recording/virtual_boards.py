"""Several virtual boards: V2 and V1 by turns, started in the background."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import partial

from noughts.errors import BoardError, BoardGoneError, NoughtsError, error_message
from noughts.virtual.board import VirtualBoard
from noughts.virtual.program import BOARDS, Program, program

_AT_ONCE = 2
"""Boards that start at the same time: each uses a processor for a second."""
_KINDS = BOARDS[::-1]
_CLOSE_S = 0.5
_HEARD_S = 10.0


class _Board(VirtualBoard):
    """A board whose port is known, and can be opened, before the board begins to talk."""

    def __init__(self, kind: str, plugged: Callable[[_Board], object]) -> None:
        self.heard = threading.Event()
        """Set once somebody has opened the port: what was said before is lost."""
        self._plugged = plugged
        super().__init__(partial(self._program_once_opened, kind))

    def plug(self) -> None:
        super().plug()
        self._plugged(self)

    def _program_once_opened(self, kind: str) -> Program:
        made = program(kind)
        self.heard.wait(_HEARD_S)
        return made


class VirtualBoards:
    """Boards `virtual-1`, `virtual-2` and so on, until `close()`.

    plugged: called when there is a new port. changed: called with a board's name when it runs or
    cannot be started. Both are called in any thread.
    """

    def __init__(
        self, count: int, plugged: Callable[[], object], changed: Callable[[str], object]
    ) -> None:
        self.kinds = {
            f"virtual-{number + 1}": _KINDS[number % len(_KINDS)] for number in range(count)
        }
        """The kind of each, `V1` or `V2`."""
        self.running: dict[str, VirtualBoard] = {}
        self.names: dict[str, str] = {}
        """By port."""
        self.errors: dict[str, str] = {}
        """Why a board could not be started."""
        self._boards: dict[str, _Board] = {}
        """With those that are just starting."""
        self._plugged, self._changed = plugged, changed
        self._closed = False
        self._lock = threading.Lock()
        self._starting = threading.Semaphore(_AT_ONCE)

    def start(self) -> None:
        """Begin to start them all."""
        for name in self.kinds:
            self._begin(name)

    def _begin(self, name: str) -> None:
        threading.Thread(target=self._start, args=[name], name="start a board", daemon=True).start()

    def again(self, name: str) -> None:
        """Start a board anew that does not run any more."""
        with self._lock:
            if name not in self.errors:
                return  # another browser was first
            # Only then its error, or somebody who looks at the old board notes it again.
            old = self.running.pop(name, None)
            self._boards.pop(name, None)
            del self.errors[name]
        if old is not None:
            old.close()
        self._begin(name)

    def _start(self, name: str) -> None:
        with self._starting:
            if self._closed:
                return
            try:
                board = _Board(self.kinds[name], partial(self._plug, name))
            except (NoughtsError, OSError) as error:
                with self._lock:
                    self._boards.pop(name, None)
                    self.errors[name] = error_message(error)
            else:
                with self._lock:
                    if self._closed:
                        board.close()
                        return
                    self.errors.pop(name, None)
                    self.running[name] = board
            self._changed(name)

    def _plug(self, name: str, board: _Board) -> None:
        with self._lock:
            self._boards[name] = board
            self.names[board.port] = name
        self._plugged()

    def opened(self, name: str) -> None:
        """Note that somebody listens to a board: it may begin."""
        with self._lock:
            board = self._boards.get(name)
        if board is not None:
            board.heard.set()

    def ports(self) -> list[str]:
        """The ports of those that run, or are just starting."""
        with self._lock:
            return [
                board.port
                for name, board in self._boards.items()
                if name not in self.running or _runs(board)
            ]

    def board(self, name: str) -> VirtualBoard:
        """A board that runs. Raises `BoardError`."""
        board = self.running.get(name)
        if board is None:
            raise BoardError(f"{name[:60]!r} is not a virtual board that runs; choose another one")
        return board

    def close(self) -> None:
        """End them all at once; one that is just starting ends with this process."""
        with self._lock:
            self._closed = True
            boards = list(self.running.values())
        closing = [threading.Thread(target=board.close, daemon=True) for board in boards]
        for thread in closing:
            thread.start()
        for thread in closing:
            thread.join(_CLOSE_S)


def _runs(board: VirtualBoard) -> bool:
    try:
        return board.clock_us() >= 0
    except BoardGoneError:
        return False
