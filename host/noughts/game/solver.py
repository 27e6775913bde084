"""Tic-tac-toe solved: the value of every position, and the moves that hard may play.

value          1 if the player to move wins with best play, 0 for a draw, -1 for a loss
hard           keeps the value; among such moves, wins most often against random play
random play    every free cell equally likely; chances against it are exact
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from noughts.game.evaluator import After, any_cell, mean, walk
from noughts.game.positions import EMPTY, FULL, WON, Position, canonical


@cache
def _value(position: Position) -> int:
    if WON[position.other]:
        return -1
    if position.mover | position.other == FULL:
        return 0
    return max(-value(position.play(cell)) for cell in position.free)


def value(position: Position) -> int:
    """The position's value to the player to move: 1, 0 or -1."""
    return _value(canonical(position))


def value_preserving_moves(position: Position) -> list[int]:
    """The moves that keep the position's value."""
    before = value(position)
    return [cell for cell in position.free if -value(position.play(cell)) == before]


def _best_or_mean(hard_to_move: bool, after: After[Fraction]) -> Fraction:
    return max(chance for _, _, chance in after) if hard_to_move else mean(after)


_wins = walk(
    lambda position: [(cell, 1) for cell in value_preserving_moves(position)],
    any_cell,
    lambda result, _: Fraction(result > 0),
    _best_or_mean,
    canonical,
)


def win_chance(moves_first: bool) -> Fraction:
    """How likely hard is to win from the empty board against random play."""
    return _wins(EMPTY, moves_first)


def win_chance_from(position: Position) -> Fraction:
    """How likely hard, which is to move, is to win from a position against random play.

    0 if the game is over.
    """
    return Fraction(0) if position.over else _wins(canonical(position), True)


def win_chance_after(position: Position, cell: int) -> Fraction:
    """How likely the mover wins with this move against random play, as hard from then on.

    >>> win_chance_after(EMPTY, 0), win_chance_after(EMPTY, 4)
    (Fraction(191, 192), Fraction(95, 96))
    """
    return _wins(canonical(position.play(cell)), False)


def hard_moves(position: Position) -> list[int]:
    """The moves that hard may play, in reading order; the position must not be over."""
    chances = {cell: win_chance_after(position, cell) for cell in value_preserving_moves(position)}
    best = max(chances.values())
    return [cell for cell, chance in chances.items() if chance == best]
