"""Positions with one right move, to be found.

A puzzle is a position in which exactly one free cell keeps what the position is worth, a win or a
draw, and every other gives it away. (In a lost position nothing can be given away, and where one
cell is free nothing is to be found.) Positions that are the same turned or mirrored are one puzzle.

depth  how many plies one has to look ahead: until the win, or until the latest of the losses that
       the wrong moves lead to
level  1 to 3: by how many people went wrong there, where enough are known, else by the depth
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from random import Random

from noughts.game.positions import EMPTY, SYMMETRIES, Position, canonical, reachable, turned
from noughts.game.solver import value, value_preserving_moves

LEVELS = (1, 2, 3)
_DEPTHS = (2, 3)
"""The greatest of level 1, and of level 2."""
_SHARES = (0.1, 0.3)
"""Of people who went wrong: from here on level 2, and level 3."""
_ENOUGH = 5
"""People who had to move there."""


@dataclass(frozen=True)
class Puzzle:
    """One of the puzzles."""

    position: Position
    """Turned and mirrored in any way."""
    right: int
    """The cell."""
    wins: bool
    """Whether the right move wins; else it holds a draw."""
    depth: int


def puzzle_of(position: Position) -> Puzzle | None:
    """The puzzle that a position is, if it is one."""
    if position.over or len(position.free) < 2:
        return None
    right = value_preserving_moves(position)
    if len(right) != 1:
        return None
    wins = value(position) > 0
    looked = right if wins else [cell for cell in position.free if cell not in right]
    depth = max(1 + _plies(position.play(cell)) for cell in looked)
    return Puzzle(position, right[0], wins, depth)


@cache
def puzzles() -> tuple[Puzzle, ...]:
    """All of them, each in its canonical position."""
    different = sorted({canonical(each) for each in reachable()})
    return tuple(found for each in different if (found := puzzle_of(each)))


def level(puzzle: Puzzle, met: int = 0, wrong: int = 0) -> int:
    """How hard a puzzle is; met: how many people had to move there; wrong: who of them erred."""
    if met >= _ENOUGH:
        return 1 + sum(wrong / met >= share for share in _SHARES)
    return 1 + sum(puzzle.depth > depth for depth in _DEPTHS)


def draw(random: Random, fits: Callable[[Puzzle], bool], after: Position = EMPTY) -> Puzzle:
    """A puzzle that fits, turned and mirrored at random, and not the one that was shown before.

    Where no other fits, any other. `after` may be turned and mirrored, too.
    """
    others = [each for each in puzzles() if each.position != canonical(after)]
    chosen = random.choice([each for each in others if fits(each)] or others)
    found = puzzle_of(turned(chosen.position, random.choice(SYMMETRIES)))
    assert found is not None, "a puzzle is one in every symmetry"
    return found


@cache
def _plies(position: Position) -> int:
    """How many plies are played until the end: who wins does it soon, who loses holds out."""
    if position.over:
        return 0
    lengths = [1 + _plies(position.play(cell)) for cell in value_preserving_moves(position)]
    return min(lengths) if value(position) > 0 else max(lengths)
