"""Tic-tac-toe solved: the value of every position, and the moves that hard may play.

value          1 if the player to move wins with best play, 0 for a draw, -1 for a loss
hard           keeps the value; among such moves, wins most often against random play
random play    every free cell equally likely
wins           how many of the random opponent's `replies` lead hard to a win

Chances are exact: with f cells free and hard to move, its opponent has (f-1)(f-3)... equally
likely ways to reply until the board is full, whether or not the game ends before.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from noughts.game.positions import EMPTY, FULL, WON, Position, canonical


@cache
def _value(position: Position) -> int:
    if WON[position.other]:
        return -1
    if position.mover | position.other == FULL:
        return 0
    return max(-value(position.play(cell)) for cell in position.free)


def value(position: Position) -> int:
    """What the position is worth to the player to move: 1, 0 or -1."""
    return _value(canonical(position))


@cache
def _replies(free: int) -> int:
    return (free - 1) * _replies(free - 2) if free > 2 else 1


@cache
def _wins(position: Position) -> int:
    """Of the replies to hard, which is to move, those that it wins."""
    return max(_wins_after(position, cell) for cell in value_preserving_moves(position))


def _wins_after(position: Position, cell: int) -> int:
    """The same once hard has played a cell."""
    after = position.play(cell)
    if WON[after.other]:
        return _replies(len(position.free))
    total = 0
    for reply in after.free:
        before = after.play(reply)
        if not before.over:
            total += _wins(canonical(before))
    return total


def value_preserving_moves(position: Position) -> list[int]:
    """The moves that keep the position's value."""
    worth = value(position)
    return [cell for cell in position.free if -value(position.play(cell)) == worth]


def hard_moves(position: Position) -> list[int]:
    """The moves that hard may play, in reading order; the position must not be over."""
    chances = {cell: _wins_after(position, cell) for cell in value_preserving_moves(position)}
    best = max(chances.values())
    return [cell for cell, chance in chances.items() if chance == best]


def win_chance(moves_first: bool) -> Fraction:
    """How likely hard is to win from the empty board against random play."""
    if moves_first:
        return win_chance_from(EMPTY)
    # The random player's first move is one of nine; then eight cells are free.
    return Fraction(sum(_wins(canonical(EMPTY.play(cell))) for cell in range(9)), 9 * _replies(8))


def win_chance_from(position: Position) -> Fraction:
    """How likely hard, which is to move, is to win from a position against random play.

    0 if the game is over.
    """
    if position.over:
        return Fraction(0)
    return Fraction(_wins(canonical(position)), _replies(len(position.free)))
