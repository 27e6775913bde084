"""The game solved anew: on boards of nine characters, with no symmetry, apart from the solver."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cache
from typing import Any

WINS = ("012", "345", "678", "036", "147", "258", "048", "246")

Chances = tuple[Fraction, Fraction]
"""How likely somebody wins and loses."""


def has_won(board: str, side: str) -> bool:
    return any(all(board[int(cell)] == side for cell in line) for line in WINS)


def following(board: str) -> Iterator[tuple[int, str]]:
    """Each free cell, and the board after a mark on it."""
    side = "XO"[board.count(".") % 2 == 0]
    for cell in range(9):
        if board[cell] == ".":
            yield cell, board[:cell] + side + board[cell + 1 :]


@cache
def minimax(board: str) -> int:
    """1, 0 or -1 for the side that is to move."""
    if has_won(board, "XO"[board.count(".") % 2]):
        return -1
    return max((-minimax(after) for _, after in following(board)), default=0)


@cache
def against_random(board: str, me: str, liking: Callable[[str, Chances], Any]) -> Chances:
    """How likely somebody wins and loses against random play, by the moves that they like most."""
    for side in "XO":
        if has_won(board, side):
            return Fraction(side == me), Fraction(side != me)
    found = [(after, against_random(after, me, liking)) for _, after in following(board)]
    if not found:
        return Fraction(0), Fraction(0)
    if me == "XO"[len(found) % 2 == 0]:
        return max(found, key=lambda each: liking(*each))[1]
    won, lost = zip(*(chances for _, chances in found), strict=True)
    return sum(won, Fraction(0)) / len(found), sum(lost, Fraction(0)) / len(found)
