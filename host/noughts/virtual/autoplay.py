"""A virtual board that plays by itself: at random, but by its buttons, as a person would."""

import threading
from random import Random

from noughts.errors import BoardGoneError
from noughts.virtual.board import VirtualBoard

_STARTED_US = 2_000_000
"""Long enough for a board to be in its menu."""
_LOOK_S = 0.1
_PAUSE_S = (0.25, 1.0)
_KINDS_OF_GAME = 4


def autoplay(board: VirtualBoard, seed: int, stop: threading.Event) -> None:
    """Play on a board until `stop` is set or the board ends.

    seed: of all random choices. Boards with consecutive seeds begin with different opponents.
    """
    random = Random(seed)
    try:
        while board.clock_us() < _STARTED_US:
            if stop.wait(_LOOK_S):
                return
        for button in ["A"] * (seed % _KINDS_OF_GAME) + ["B"]:
            board.tap(button)
            stop.wait(_PAUSE_S[1])
        while not stop.wait(random.uniform(*_PAUSE_S)):
            board.tap(random.choice("AB"))
    except BoardGoneError:
        return
