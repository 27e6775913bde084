"""Puzzles: positions in which exactly one free cell keeps the value, a win or a draw.

Those that are the same but turned or mirrored count as one.

depth   how many plies to look ahead: until the win, or until the latest of the losses after a wrong
        move
level   1 to 3: by the share of people who went wrong there, if enough people moved there, else by
        the depth
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from random import Random

from noughts.game.positions import EMPTY, SYMMETRIES, Position, canonical, reachable, turned
from noughts.game.solver import WIN, score_of_move, value, value_preserving_moves

LEVELS = (1, 2, 3)
_DEPTHS = (2, 3)
"""The greatest depth of level 1, and of level 2."""
_SHARES = (0.1, 0.3)
"""The least share of people who went wrong, for level 2 and for level 3."""
_ENOUGH = 5
"""The least number of people who had to move there."""

PeopleMoves = Mapping[Position, tuple[int, int]]
"""By canonical position: how many times people moved there, and how many times they went wrong."""


@dataclass(frozen=True)
class Puzzle:
    """A puzzle, and its answer."""

    position: Position
    """In any of its symmetries."""
    right: int
    """The cell of the only right move."""
    wins: bool
    """Whether the right move wins; otherwise it draws."""
    depth: int


def puzzle_of(position: Position) -> Puzzle | None:
    """The puzzle in a position; None if that has more than one right move, or no choice."""
    if position.over or len(position.free) < 2:
        return None
    right = value_preserving_moves(position)
    if len(right) != 1:
        return None
    wins = value(position) > 0
    moves_to_see = right if wins else [cell for cell in position.free if cell not in right]
    depth = max(WIN - abs(score_of_move(position, cell)) for cell in moves_to_see)
    return Puzzle(position, right[0], wins, depth)


@cache
def puzzles() -> tuple[Puzzle, ...]:
    """All puzzles, each in its canonical position."""
    positions = sorted({canonical(position) for position in reachable()})
    return tuple(puzzle for position in positions if (puzzle := puzzle_of(position)))


def puzzle_level(puzzle: Puzzle, people_moves: PeopleMoves) -> int:
    """How hard a puzzle is, one of `LEVELS`."""
    moved, wrong = people_moves.get(canonical(puzzle.position), (0, 0))
    if moved >= _ENOUGH:
        return 1 + sum(wrong / moved >= share for share in _SHARES)
    return 1 + sum(puzzle.depth > depth for depth in _DEPTHS)


def random_puzzle(
    random: Random, fits: Callable[[Puzzle], bool], previous: Position = EMPTY
) -> Puzzle:
    """A fitting puzzle, turned and mirrored at random, but not the one of `previous`.

    If no other fits, any other. `previous` may be turned and mirrored too.
    """
    others = [puzzle for puzzle in puzzles() if puzzle.position != canonical(previous)]
    puzzle = random.choice([puzzle for puzzle in others if fits(puzzle)] or others)
    symmetry = random.choice(SYMMETRIES)
    return replace(puzzle, position=turned(puzzle.position, symmetry), right=symmetry[puzzle.right])
