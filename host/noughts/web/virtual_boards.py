"""The virtual boards of the page: V2 and V1 by turns, started beside everything else."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from functools import partial

from noughts.errors import BoardError, NoughtsError, in_words
from noughts.hardware.ports import Port
from noughts.virtual.board import VirtualBoard
from noughts.virtual.program import BOARDS, program

_AT_ONCE = 2
"""Boards that start at the same time: each keeps a processor busy for a second."""
_KINDS = BOARDS[::-1]
_CLOSE_S = 0.5


class VirtualBoards:
    """Boards `virtual-1`, `virtual-2` and so on, until `close()`.

    changed: called with a board's name, in any thread, when it runs or cannot be started.
    """

    def __init__(self, count: int, changed: Callable[[str], object]) -> None:
        self.kinds = {
            f"virtual-{number + 1}": _KINDS[number % len(_KINDS)] for number in range(count)
        }
        """The kind of each, `V1` or `V2`."""
        self.running: dict[str, VirtualBoard] = {}
        self.names: dict[str, str] = {}
        """By port."""
        self.trouble: dict[str, str] = {}
        """Why a board could not be started."""
        self._changed = changed
        self._closed = False
        self._lock = threading.Lock()
        self._wanted: queue.SimpleQueue[str] = queue.SimpleQueue()

    def start(self) -> None:
        """Begin to start them all."""
        for name in self.kinds:
            self._wanted.put(name)
        for _ in range(min(_AT_ONCE, len(self.kinds))):
            threading.Thread(target=self._start, name="start boards", daemon=True).start()

    def again(self, name: str) -> None:
        """Start a board anew that does not run any more."""
        with self._lock:
            old = self.running.pop(name, None)
        if old is not None:
            old.close()
        self._wanted.put(name)

    def _start(self) -> None:
        while True:
            name = self._wanted.get()
            try:
                board = VirtualBoard(partial(program, self.kinds[name]))
            except (NoughtsError, OSError) as error:
                self.trouble[name] = in_words(error)
            else:
                with self._lock:
                    if self._closed:
                        board.close()
                        return
                    self.trouble.pop(name, None)
                    self.running[name] = board
                    self.names[board.port] = name
            self._changed(name)

    def ports(self) -> list[Port]:
        """The ports of those that run."""
        with self._lock:
            return [Port(board.port, None) for board in self.running.values()]

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
