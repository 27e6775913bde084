"""A virtual board that plays by itself: at random, but with the buttons, as a person would."""

import threading
from random import Random

from noughts.errors import BoardGoneError
from noughts.virtual.board import VirtualBoard

_STARTED_US = 2_000_000
"""Long enough for a board to be in its menu."""
_LOOK_S = 0.1
_PAUSE_S = (0.25, 1.0)
_KINDS_OF_GAME = 4


class Autoplay:
    """Plays on a board in a thread until `stop()`, or until the board has ended."""

    def __init__(self, board: VirtualBoard, seed: int) -> None:
        self._board = board
        self._stopped = threading.Event()
        self._random = Random(seed)
        # Each board begins with another opponent.
        self._opponent = seed % _KINDS_OF_GAME
        self._thread = threading.Thread(target=self._play, name="autoplay", daemon=True)
        self._thread.start()

    def _play(self) -> None:
        try:
            while self._board.clock_us() < _STARTED_US:
                if self._stopped.wait(_LOOK_S):
                    return
            for button in ["A"] * self._opponent + ["B"]:
                self._board.tap(button)
                self._stopped.wait(_PAUSE_S[1])
            while not self._stopped.wait(self._random.uniform(*_PAUSE_S)):
                self._board.tap(self._random.choice("AB"))
        except BoardGoneError:
            return

    def stop(self) -> None:
        """Stop playing; the board runs on."""
        self._stopped.set()
        self._thread.join()
