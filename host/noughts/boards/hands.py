"""Hands on a board: what presses buttons and tilts for as long as a person would."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable

from noughts.boards.base import Board, Button
from noughts.errors import BoardGone

PRESS_S = 0.06
REST_S = 0.05
TILT_S = 0.3
TILT_MG = 400
MAX_WAITING = 2
"""Keys that repeat faster than a hand can press are dropped beyond these."""


class Hands:
    """Does one thing after another in a thread of its own; `on_gone` hears of a dead board."""

    def __init__(self, board: Board, on_gone: Callable[[BoardGone], None]) -> None:
        self._board = board
        self._on_gone = on_gone
        self._waiting: queue.Queue[Callable[[], None]] = queue.Queue(MAX_WAITING)
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._work, name="hands", daemon=True)
        self._thread.start()

    def tap(self, *buttons: Button) -> None:
        """Press buttons together, briefly."""
        self._do(lambda: self._tap(buttons))

    def nudge(self, x: int, y: int) -> None:
        """Tilt by a sign along x and y, and back to level."""
        self._do(lambda: self._nudge(x, y))

    def stop(self) -> None:
        """Let go."""
        self._stopped.set()
        self._thread.join()

    def _do(self, action: Callable[[], None]) -> None:
        if self._waiting.qsize() < MAX_WAITING:
            self._waiting.put(action)

    def _work(self) -> None:
        while not self._stopped.is_set():
            try:
                action = self._waiting.get(timeout=0.1)
                action()
            except queue.Empty:
                continue
            except BoardGone as gone:
                self._on_gone(gone)
                return

    def _tap(self, buttons: tuple[Button, ...]) -> None:
        for button in buttons:
            self._board.press(button)
        self._stopped.wait(PRESS_S)
        for button in buttons:
            self._board.release(button)
        self._stopped.wait(REST_S)

    def _nudge(self, x: int, y: int) -> None:
        self._board.tilt(x * TILT_MG, y * TILT_MG)
        self._stopped.wait(TILT_S)
        self._board.tilt(0, 0)
        self._stopped.wait(REST_S)
