"""Tic-tac-toe solved: the value of every position, the moves that hard may play, and puzzles.

value          1 if the player to move wins with best play, 0 for a draw, -1 for a loss
score          10 less the plies until the win, 0 for a draw, the plies until the loss less 10
hard           keeps the value; among such moves, wins most often against random play
random play    every free cell equally likely; chances against it are exact
puzzle         a position in which exactly one free cell keeps the value, a win or a draw; turned or
               mirrored ones count as one
depth          of a puzzle: how many plies to look ahead, until the win, or until the latest of the
               losses after a wrong move
level          of a puzzle, 1 to 3: by the share of people who went wrong there, if enough are
               known, else by the depth
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache, partial
from random import Random

from noughts.game.engine import any_cell, best_or_mean, walk
from noughts.game.positions import (
    EMPTY,
    FULL,
    SYMMETRIES,
    WON,
    Position,
    canonical,
    reachable,
    turned,
)

WIN = 10
LEVELS = (1, 2, 3)
_DEPTHS = (2, 3)
"""The greatest depth of level 1, and of level 2."""
_SHARES = (0.1, 0.3)
"""The least share of people who went wrong, for level 2 and for level 3."""
_ENOUGH = 5
"""The least number of people who had to move there."""


Met = Mapping[Position, tuple[int, int]]
"""By canonical position: how many times people moved there, and how many times they went wrong."""


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
    after = -score(position.play(cell))
    return after - (after > 0) + (after < 0)  # the end is one ply further away


def value(position: Position) -> int:
    """The position's value to the player to move: 1, 0 or -1."""
    found = score(position)
    return (found > 0) - (found < 0)


def variation(position: Position) -> list[int]:
    """The principal variation: the best moves of both sides, to the end."""
    cells = []
    while not position.over:
        cells.append(max(position.free, key=partial(score_of_move, position)))
        position = position.play(cells[-1])
    return cells


def value_preserving_moves(position: Position) -> list[int]:
    before = value(position)
    return [cell for cell in position.free if -value(position.play(cell)) == before]


_wins = walk(
    lambda position: [(cell, 1) for cell in value_preserving_moves(position)],
    any_cell,
    lambda result, _: Fraction(result > 0),
    best_or_mean,
    canonical,
)


def win_chance(position: Position = EMPTY, hard_to_move: bool = True) -> Fraction:
    """The chance that hard wins from a position against random play."""
    return _wins(canonical(position), hard_to_move)


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


@dataclass(frozen=True)
class Puzzle:
    position: Position
    """In any of its symmetries."""
    right: int
    wins: bool
    """Whether the right move wins; otherwise it draws."""
    depth: int


def puzzle_of(position: Position) -> Puzzle | None:
    if position.over or len(position.free) < 2:
        return None
    right = value_preserving_moves(position)
    if len(right) != 1:
        return None
    wins = value(position) > 0
    looked = right if wins else [cell for cell in position.free if cell not in right]
    depth = max(WIN - abs(score_of_move(position, cell)) for cell in looked)
    return Puzzle(position, right[0], wins, depth)


@cache
def puzzles() -> tuple[Puzzle, ...]:
    different = sorted({canonical(each) for each in reachable()})
    return tuple(found for each in different if (found := puzzle_of(each)))


def level(puzzle: Puzzle, met: Met) -> int:
    moved, wrong = met.get(canonical(puzzle.position), (0, 0))
    if moved >= _ENOUGH:
        return 1 + sum(wrong / moved >= share for share in _SHARES)
    return 1 + sum(puzzle.depth > depth for depth in _DEPTHS)


def draw(random: Random, fits: Callable[[Puzzle], bool], after: Position = EMPTY) -> Puzzle:
    """A fitting puzzle, turned and mirrored at random, but not the one of `after`.

    If no other fits, any other. `after` may be turned and mirrored too.
    """
    others = [each for each in puzzles() if each.position != canonical(after)]
    chosen = random.choice([each for each in others if fits(each)] or others)
    to = random.choice(SYMMETRIES)
    return replace(chosen, position=turned(chosen.position, to), right=to[chosen.right])
