"""Boards that play by themselves: at random, but with the buttons, as a person would."""

from __future__ import annotations

import threading
from random import Random

from noughts.boards.base import Board, Button
from noughts.boards.hands import Hands

_STARTED_S = 2.0
_PAUSE_S = (0.25, 1.0)
_KINDS_OF_GAME = 4


class Demonstration:
    """Plays on a board in a thread until `stop()`, or until the board is gone."""

    def __init__(self, board: Board, seed: int) -> None:
        self._stopped = threading.Event()
        self._hands = Hands(board, lambda gone: self._stopped.set())
        self._random = Random(seed)
        # Each board begins with another opponent.
        self._opponent = seed % _KINDS_OF_GAME
        self._thread = threading.Thread(target=self._play, name="demonstration", daemon=True)
        self._thread.start()

    def _play(self) -> None:
        if self._stopped.wait(_STARTED_S):
            return
        for button in [Button.A] * self._opponent + [Button.B]:
            self._hands.tap(button)
            self._stopped.wait(_PAUSE_S[1])
        while not self._stopped.wait(self._random.uniform(*_PAUSE_S)):
            self._hands.tap(self._random.choice((Button.A, Button.B)))

    def stop(self) -> None:
        """Let go of the board."""
        self._stopped.set()
        self._thread.join()
        self._hands.stop()
