"""Where a learned table plays differently, and which mistakes it waits for there."""

from __future__ import annotations

from dataclasses import dataclass

from noughts.brain import Table, choose, classes
from noughts.game.positions import Position
from noughts.game.solver import value
from noughts.learning.chances import Chances, by_table
from noughts.learning.habits import Habits


@dataclass(frozen=True)
class Change:
    """A position in which the chip plays other cells than before."""

    position: Position
    """Canonical; the chip is to move."""
    before: tuple[int, ...]
    after: tuple[int, ...]
    reach: float
    """In which share of all games it comes up."""
    gain: float
    """How much of the chance to win a game it is worth."""
    mistakes: tuple[tuple[int, float], ...]
    """The replies to the first of the new cells that lose, and how likely people are to play them;
    the likeliest first."""


def changes(before: Table, after: Table, habits: Habits) -> list[Change]:
    """All that come up in play, the one that gains most first."""
    chances = Chances(by_table(after), habits)
    reached = chances.reach()
    found = []
    for position in classes():
        old, new = (choose(position, table).cells for table in (before, after))
        reach = reached.get(position, 0.0)
        if old != new and reach:
            gain = reach * (chances.mean(position, new) - chances.mean(position, old))
            mistakes = _mistakes(position.play(new[0]), habits)
            found.append(Change(position, old, new, reach, gain, mistakes))
    return sorted(found, key=lambda change: (-change.gain, change.position))


def _mistakes(position: Position, habits: Habits) -> tuple[tuple[int, float], ...]:
    """In a position in which a person is to move, and has not lost yet."""
    if position.over or value(position) < 0:
        return ()
    losing = [
        (cell, chance)
        for cell, chance in habits.anywhere(position).items()
        if value(position.play(cell)) > 0
    ]
    return tuple(sorted(losing, key=lambda each: -each[1]))
