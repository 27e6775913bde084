"""How likely people are to play each cell, from the games that they played.

Two things are learned. One is what they do anywhere: each kind of cell (it completes a row, it
blocks a diagonal, it is a corner, ...) has an attraction, and a cell is played with the share that
its attraction has in that of all free cells (the choice rule of Luce, Individual Choice Behavior,
1959, fitted as in Hunter, MM algorithms for generalized Bradley-Terry models, 2004). The other is
what they do in a position; positions that are the same up to symmetry count as one, and so do
their cells.

Both are smoothed toward random play, in which every free cell is as likely as any other, so that a
few games change little: every kind of cell has had `PRIOR` moves as by chance, and every position
has been met `PRIOR` times with what people do anywhere.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache

from noughts.game.positions import EMPTY, LINES, SYMMETRIES, Position, canonical, turned

PRIOR = 4.0
_ROUNDS = 100
"""Of the fit; it has come to rest long before."""

KINDS = (
    "complete a row or column", "complete a diagonal", "block a row or column",
    "block a diagonal", "take the centre", "take a corner", "take an edge",
)  # fmt: skip
"""The first that fits is a cell's kind."""


@dataclass(frozen=True)
class PeopleGame:
    """A game, and which of its moves people made."""

    moves: tuple[int, ...]
    """Cells, 0 to 8."""
    people: tuple[bool, bool]
    """Whether a person moved first, and whether a person moved second."""

    @property
    def people_moves(self) -> int:
        """How many moves people made."""
        return sum(self.people[ply % 2] for ply in range(len(self.moves)))


@cache
def kinds(position: Position) -> Mapping[int, int]:
    """The kind of each free cell, as an index of `KINDS`."""
    return {cell: _kind(position, cell) for cell in position.free}


def _kind(position: Position, cell: int) -> int:
    for first, marks in (0, position.mover), (2, position.other):
        whole = [
            line >= 6
            for line, cells in enumerate(LINES)
            if cell in cells and all(marks >> each & 1 for each in cells if each != cell)
        ]
        if whole:
            return first + all(whole)
    return 4 if cell == 4 else 6 if cell % 2 else 5


@dataclass(frozen=True)
class Readiness:
    """How readily people play a kind of cell, where there is one that is free."""

    kind: str
    could: int
    """Moves at which they could."""
    did: float
    """The share of these at which they did."""
    by_chance: float
    """The share at which people who play at random would have."""


class Habits:
    """What people do in each position."""

    def __init__(self, games: Iterable[PeopleGame], prior: float = PRIOR) -> None:
        self._prior = prior
        self._met: defaultdict[Position, Counter[int]] = defaultdict(Counter)
        self._chances: dict[Position, Mapping[int, float]] = {}
        self.games = self.moves = 0
        """What it was learned from."""
        for game in games:
            self.games += 1
            position = EMPTY
            for ply, cell in enumerate(game.moves):
                if game.people[ply % 2]:
                    self.moves += 1
                    least, to = _least(position)
                    self._met[least][to[cell]] += 1
                position = position.play(cell)
        self._attractions = self._fitted()

    def _fitted(self) -> list[float]:
        attractions = [1.0] * len(KINDS)
        chosen = [self._prior] * len(KINDS)
        for position, moves in self._met.items():
            for cell, count in moves.items():
                chosen[kinds(position)[cell]] += count
        for _ in range(_ROUNDS):
            expected = [self._prior] * len(KINDS)
            for position, moves in self._met.items():
                there = kinds(position).values()
                share = moves.total() / sum(attractions[kind] for kind in there)
                for kind in there:
                    expected[kind] += share
            attractions = [had / by_chance for had, by_chance in zip(chosen, expected, strict=True)]
        return attractions

    def readiness(self) -> list[Readiness]:
        """For each kind of cell that ever was there."""
        could, did, by_chance = ([0.0] * len(KINDS) for _ in range(3))
        for position, moves in self._met.items():
            there = list(kinds(position).values())
            for kind in set(there):
                could[kind] += moves.total()
                by_chance[kind] += moves.total() * there.count(kind) / len(there)
            for cell, count in moves.items():
                did[kinds(position)[cell]] += count
        return [
            Readiness(kind, int(could[at]), did[at] / could[at], by_chance[at] / could[at])
            for at, kind in enumerate(KINDS)
            if could[at]
        ]

    def anywhere(self, position: Position) -> Mapping[int, float]:
        """How likely each free cell of any position is."""
        least, to = _least(position)
        chances = self.chances(least)
        return {cell: chances[to[cell]] for cell in position.free}

    def chances(self, position: Position) -> Mapping[int, float]:
        """How likely each free cell of a canonical position is."""
        if position not in self._chances:
            self._chances[position] = self._smoothed(position)
        return self._chances[position]

    def _smoothed(self, position: Position) -> Mapping[int, float]:
        attraction = {cell: self._attractions[kind] for cell, kind in kinds(position).items()}
        whole = sum(attraction.values())
        seen = self._met.get(position, Counter())
        times = self._prior + seen.total()
        smoothed = {}
        for cell, own in attraction.items():
            same = _same(position, cell)
            moves = sum(seen[each] for each in same) / len(same)
            smoothed[cell] = (moves + self._prior * own / whole) / times
        return smoothed


@cache
def _same(position: Position, cell: int) -> frozenset[int]:
    """The cells of a position that are the same as this one up to symmetry."""
    return frozenset(to[cell] for to in SYMMETRIES if turned(position, to) == position)


@cache
def _least(position: Position) -> tuple[Position, tuple[int, ...]]:
    """The canonical position, and where each cell goes for it."""
    least = canonical(position)
    return least, next(to for to in SYMMETRIES if turned(position, to) == least)
