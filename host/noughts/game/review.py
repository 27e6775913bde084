"""A review of a game: the value of each move, and the best one.

A mistake is a move that lowers the position's value to the player who makes it: it gives away a
win, or loses a draw. Verdicts have the marks that chess players know:

best   keeps the value, and among such moves wins most often against random play
       (nothing)  keeps the value, and nearly the same chance
?!     keeps the value, but costs 10 percentage points or more of the chance to beat random play
?      turns a win into a draw, or a draw into a loss
??     turns a win into a loss

A tenth separates the moves well: of those that keep the value but are not best, a seventh lose
less, mostly 1 to 8%, and the others mostly a third or more.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from functools import cache, lru_cache

from noughts.game.positions import EMPTY, MARKS, Position, reachable
from noughts.game.solver import hard_moves, value, win_chance_after


class Verdict(Enum):
    """A move's verdict; its value is the mark, which may be empty."""

    BEST = "best"
    GOOD = ""
    INACCURACY = "?!"
    MISTAKE = "?"
    BLUNDER = "??"


@dataclass(frozen=True)
class Reviewed:
    """One move of a game."""

    position: Position
    """Before the move."""
    cell: int
    value_before: int
    """The position's value to the mover before the move: 1 a win, 0 a draw, -1 a loss."""
    value_after: int
    """Its value to the same player after the move."""
    best: tuple[int, ...]
    """The cells that hard chooses from, see `solver`."""

    @property
    def mistake(self) -> bool:
        """Whether it gives value away."""
        return self.value_after < self.value_before


def review(moves: Sequence[int], start: Position = EMPTY) -> list[Reviewed]:
    """Judge each move of a legal game, finished or not; cells 0 to 8 in the order played."""
    position = start
    reviewed = []
    for cell in moves:
        position_after = position.play(cell)
        reviewed.append(
            Reviewed(
                position, cell, value(position), -value(position_after), tuple(hard_moves(position))
            )
        )
        position = position_after
    return reviewed


def verdict(move: Reviewed) -> Verdict:
    """The verdict on a move.

    >>> [verdict(move).name for move in review([4, 1, 3, 6, 5])]
    ['GOOD', 'MISTAKE', 'BEST', 'INACCURACY', 'BEST']
    """
    if move.value_before - move.value_after == 2:
        return Verdict.BLUNDER
    if move.mistake:
        return Verdict.MISTAKE
    if move.cell in move.best:
        return Verdict.BEST
    best_chance, chance = (
        win_chance_after(move.position, cell) for cell in (move.best[0], move.cell)
    )
    return Verdict.INACCURACY if best_chance - chance >= Fraction(1, 10) else Verdict.GOOD


@lru_cache(1)  # an export asks about both players
def mistakes(moves: str) -> tuple[int, int]:
    """How many mistakes the player who began a legal game has made, and the other one.

    Fast, for many games.

    >>> mistakes("41365")
    (0, 1)
    """
    values = _values()
    counts = [0, 0]
    marks = value_before = 0
    for ply, cell in enumerate(moves):
        marks |= _BITS[ply & 1][cell]
        if values[marks] != value_before:
            counts[ply & 1] += 1
            value_before = values[marks]
    return counts[0], counts[1]


_BITS = tuple({str(cell): bit for cell, bit in enumerate(bits)} for bits in MARKS)
"""`MARKS`, by digit."""


@cache
def _values() -> list[int]:
    """By its marks, the value of every reachable position to the player who began.

    Faster than `value`.
    """
    values = [0] * (1 << 18)
    for position in reachable():
        values[position.marks] = value(position) if position.turn == "X" else -value(position)
    return values
