"""Several virtual boards: V2 and V1 by turns, started in the background."""

import threading
from collections.abc import Callable
from functools import partial

import serial

from noughts.errors import BoardError, NoughtsError, error_message
from noughts.recording.port_monitor import close_all
from noughts.virtual.board import VirtualBoard
from noughts.virtual.program import BOARDS, program

_AT_ONCE = 2
"""How many boards start at the same time: each needs a processor for a second."""
_KINDS = BOARDS[::-1]
_CLOSE_S = 0.5


class VirtualBoards:
    """Boards `virtual-1`, `virtual-2` and so on, until `close()`.

    follow: called with a board's name, its port's name, and that port, open and unread. changed:
    called with its name when it runs or cannot be started. Both are called in any thread.
    """

    def __init__(
        self,
        count: int,
        follow: Callable[[str, str, serial.SerialBase], object],
        changed: Callable[[str], object],
    ) -> None:
        self.kinds = {
            f"virtual-{number + 1}": _KINDS[number % len(_KINDS)] for number in range(count)
        }
        """By name, `V1` or `V2`."""
        self.running: dict[str, VirtualBoard] = {}
        self.errors: dict[str, str] = {}
        """Why a board could not be started."""
        self._follow, self._changed = follow, changed
        self._closed = False
        self._lock = threading.Lock()
        self._starting = threading.Semaphore(_AT_ONCE)

    def start(self, *names: str) -> None:
        """Start these boards, or all, in the background."""
        for name in names or self.kinds:
            threading.Thread(
                target=self._start, args=[name], name="start a board", daemon=True
            ).start()

    def again(self, name: str) -> None:
        """Restart a board that no longer runs."""
        with self._lock:
            if name not in self.errors:
                return  # another browser was first
            # In this order: a user of the old board would note its error again.
            old = self.running.pop(name, None)
            del self.errors[name]
        if old is not None:
            old.close()
        self.start(name)

    def _start(self, name: str) -> None:
        with self._starting:
            if self._closed:
                return
            try:
                board = VirtualBoard(partial(program, self.kinds[name]))
            except (NoughtsError, OSError) as error:
                self.errors[name] = error_message(error)
            else:
                with self._lock:
                    if self._closed:
                        board.close()
                        return
                    self.running[name] = board
                self._follow(name, board.port, board.serial)
            self._changed(name)

    @property
    def names(self) -> dict[str, str]:
        """The names of the running boards, by port."""
        with self._lock:
            running = self.running.items()
            return {board.port: name for name, board in running if name not in self.errors}

    def board(self, name: str) -> VirtualBoard:
        """A running board. Raises `BoardError`."""
        board = self.running.get(name)
        if board is None:
            raise BoardError(f"{name[:60]!r} is not a running virtual board; choose another one")
        return board

    def close(self) -> None:
        """End all boards. One that is just starting ends with this process."""
        with self._lock:
            self._closed = True
            boards = list(self.running.values())
        close_all([board.close for board in boards], _CLOSE_S)
