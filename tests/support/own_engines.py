"""Users' own engines in tests: their games, and whether their processes end."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress

import psutil

from noughts import Board

Choose = Callable[[Board], Iterable[int]]
_START = Board()
FIRST_FREE = "def choose(board):\n    return board.legal_moves[0]\n"


def outcomes(choose: Choose, first: bool, board: Board = _START) -> Iterator[Board]:
    """The end of every possible game of a function against any opponent."""
    if board.is_over:
        yield board
        return
    mine = (board.turn == "X") == first
    for cell in choose(board) if mine else board.legal_moves:
        yield from outcomes(choose, first, board.play(cell))


def is_gone(pid: int) -> bool:
    """Wait until a process is gone: one that was killed takes a moment to end."""
    with suppress(psutil.NoSuchProcess):
        process = psutil.Process(pid)
        # In a container, there may be nobody to reap it.
        while process.status() != psutil.STATUS_ZOMBIE:
            with suppress(psutil.TimeoutExpired):
                process.wait(timeout=0.1)
                break
    return True
