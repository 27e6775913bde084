"""Which preferences did not fit into a learned table's book."""

from __future__ import annotations

from dataclasses import dataclass

from noughts.brain import Table, choose
from noughts.game.positions import Position
from noughts.game.solver import value_preserving_moves
from noughts.learning.chances import Chances, by_table
from noughts.learning.fit import LEAST_GAIN
from noughts.learning.habits import Habits


@dataclass(frozen=True)
class LeftOut:
    """A position in which another cell, which gives nothing away either, would win more often."""

    position: Position
    """Canonical; the chip is to move."""
    played: tuple[int, ...]
    better: int
    gain: float
    """How much of the chance to win a game it would be worth."""


def left_out(table: Table, habits: Habits) -> list[LeftOut]:
    """All that would be worth an entry, the one that would gain most first.

    The book is full, or an entry would also change positions of the same fingerprint.
    """
    chances = Chances(by_table(table), habits)
    found = []
    for position, reach in chances.reach().items():
        wins = {cell: chances.mean(position, [cell]) for cell in value_preserving_moves(position)}
        better = max(wins, key=wins.__getitem__)
        gain = reach * (wins[better] - chances.to_move(position))
        if gain > LEAST_GAIN:
            found.append(LeftOut(position, choose(position, table).cells, better, gain))
    return sorted(found, key=lambda each: (-each.gain, each.position))
