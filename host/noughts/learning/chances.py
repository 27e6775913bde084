"""How often a way to play wins against people of given habits: exactly, by what can happen."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence

from noughts.brain import Table, choose, classes
from noughts.game.positions import EMPTY, WON, Position, canonical
from noughts.game.solver import value_preserving_moves
from noughts.learning.habits import Habits

Policy = Callable[[Position], tuple[int, ...]]
"""The cells, all as likely, that are played in a canonical position."""


class Chances:
    """Of whoever plays by a policy, with half of the games begun by either side."""

    def __init__(self, policy: Policy, habits: Habits) -> None:
        self._policy, self._habits = policy, habits
        self._known: dict[Position, float] = {}

    @property
    def win(self) -> float:
        """How likely it is to win a game."""
        return (self.to_move(EMPTY) + self.to_reply(EMPTY)) / 2

    def to_move(self, position: Position) -> float:
        """How likely a win is from here, where it is to move."""
        position = canonical(position)
        if position not in self._known:
            self._known[position] = self.mean(position, self._policy(position))
        return self._known[position]

    def mean(self, position: Position, cells: Sequence[int]) -> float:
        """The same once it has played one of these cells, all as likely."""
        return sum(self.to_reply(position.play(cell)) for cell in cells) / len(cells)

    def to_reply(self, position: Position) -> float:
        """How likely a win is from here, where a person is to move, if the game is not over."""
        if position.over:
            return float(WON[position.other])
        position = canonical(position)
        total = 0.0
        for cell, chance in self._habits.chances(position).items():
            following = position.play(cell)
            if chance and not following.over:
                total += chance * self.to_move(following)
        return total

    def reach(self) -> Mapping[Position, float]:
        """How likely a game is to come to each canonical position in which it is to move."""
        reached: defaultdict[Position, float] = defaultdict(float)
        reached[EMPTY] = 0.5
        self._reply(EMPTY, 0.5, reached)
        for ply in range(9):
            for position in [each for each in reached if each.ply == ply]:
                cells = self._policy(position)
                for cell in cells:
                    self._reply(position.play(cell), reached[position] / len(cells), reached)
        return reached

    def _reply(
        self, position: Position, chance: float, reached: defaultdict[Position, float]
    ) -> None:
        if position.over:
            return
        position = canonical(position)
        for cell, share in self._habits.chances(position).items():
            following = position.play(cell)
            if share and not following.over:
                reached[canonical(following)] += chance * share


def by_table(table: Table) -> Policy:
    """How the chip plays at the level hard with a table."""
    return lambda position: choose(position, table).cells


def best(habits: Habits) -> float:
    """How likely a win is at most, if no move gives value away: what no table has to hold."""
    known: dict[Position, tuple[int, ...]] = {}
    chances = Chances(known.__getitem__, habits)
    for position in sorted(classes(), key=lambda each: -each.ply):
        wins = {cell: chances.mean(position, [cell]) for cell in value_preserving_moves(position)}
        known[position] = (max(wins, key=wins.__getitem__),)
    return chances.win
