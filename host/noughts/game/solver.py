"""Tic-tac-toe solved: the value of every position, and the moves that hard may play.

value          1 if the player to move wins with best play, 0 for a draw, -1 for a loss
score          10 less the plies until the win, 0 for a draw, the plies until the loss less 10
hard           keeps the value; among such moves, wins most often against random play
random play    every free cell equally likely; chances against it are exact
"""

from fractions import Fraction
from functools import cache, partial

from noughts.game.odds import backward_induction, best_or_mean, random_play
from noughts.game.positions import EMPTY, FULL, WON, Position, canonical

WIN = 10


@cache
def score(position: Position) -> int:
    """The position's score for the player to move."""
    if WON[position.other]:
        return -WIN
    if position.mover | position.other == FULL:
        return 0
    return max(score_of_move(position, cell) for cell in position.free)


def score_of_move(position: Position, cell: int) -> int:
    """The score of a move for the player who makes it."""
    score_after = -score(position.play(cell))
    return score_after - (score_after > 0) + (score_after < 0)  # the end is one ply further away


def value(position: Position) -> int:
    """The position's value to the player to move: 1, 0 or -1."""
    exact_score = score(position)
    return (exact_score > 0) - (exact_score < 0)


def variation(position: Position) -> list[int]:
    """The principal variation: the best moves of both sides, to the end."""
    cells = []
    while not position.over:
        cells.append(max(position.free, key=partial(score_of_move, position)))
        position = position.play(cells[-1])
    return cells


def value_preserving_moves(position: Position) -> list[int]:
    """The moves after which the mover still has the position's value, in reading order."""
    value_before = value(position)
    return [cell for cell in position.free if -value(position.play(cell)) == value_before]


_win_chance = backward_induction(
    lambda position: [(cell, 1) for cell in value_preserving_moves(position)],
    random_play,
    lambda result, _: Fraction(result > 0),
    best_or_mean,
    canonical,
)


def win_chance(position: Position = EMPTY, hard_to_move: bool = True) -> Fraction:
    """The chance that hard wins from a position against random play."""
    return _win_chance(canonical(position), hard_to_move)


def win_chance_after(position: Position, cell: int) -> Fraction:
    """The chance that the mover wins with this move, and hard play afterwards, against random play.

    >>> win_chance_after(EMPTY, 0), win_chance_after(EMPTY, 4)
    (Fraction(191, 192), Fraction(95, 96))
    """
    return win_chance(position.play(cell), False)


def hard_moves(position: Position) -> list[int]:
    """The moves that hard may play in an unfinished position, in reading order."""
    chances = {cell: win_chance_after(position, cell) for cell in value_preserving_moves(position)}
    best = max(chances.values())
    return [cell for cell, chance in chances.items() if chance == best]
