"""The table that wins most often against people of given habits, and never loses.

The weights stay; what these people ask for goes into the book, as far as there is room. An entry
names a position by its fingerprint, which other positions may share: so what is chosen for each
fingerprint is chosen for all of its positions, and only where each of them keeps its value.

It is greedy: the change that wins most for each entry that it takes comes first, then the next,
each held against the whole table as it is by then. So it does not go where nothing but two changes
at once would lead: in the tests' classes those were positions that nobody had been seen in, of
which too much was hoped.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import combinations

from noughts import brain
from noughts.brain import WEIGHTS, Table
from noughts.game.positions import Position
from noughts.game.solver import value_preserving_moves
from noughts.learning.chances import Chances
from noughts.learning.habits import Habits

MAX_BYTES = 36
"""An entry more takes four bytes of a V1's heap: with these, 2,560 bytes of it stay free."""
MAX_BOOK = (MAX_BYTES - len(WEIGHTS)) // 2
LEAST_GAIN = 0.0005
"""Of the chance to win a game: what is less is not worth an entry."""

Cells = tuple[int, ...]


@dataclass(frozen=True)
class _Way:
    """What the book may have of a fingerprint, and what is played then."""

    entries: tuple[int, ...]
    cells: Mapping[Position, Cells]


@cache
def _ways() -> list[list[_Way]]:
    """For each fingerprint, all that the book may have of it and no value is given away."""
    named: defaultdict[int, list[Position]] = defaultdict(list)
    for position in brain.classes():
        named[brain.fingerprint(brain.values(position, WEIGHTS))].append(position)
    return [list(_of(fingerprint, positions)) for fingerprint, positions in sorted(named.items())]


def _of(fingerprint: int, positions: list[Position]) -> Iterator[_Way]:
    values = {position: brain.values(position, WEIGHTS) for position in positions}
    worth = sorted({value for found in values.values() for value in found.values()})
    nameable = [value for value in worth if brain.entry_of(fingerprint, value) is not None]
    for count in range(3):
        for chosen in combinations(nameable, count):
            cells = {}
            for position, found in values.items():
                named = [value for value in chosen if value in found.values()]
                played = named[0] if named else max(found.values())
                cells[position] = tuple(cell for cell in found if found[cell] == played)
                right = set(value_preserving_moves(position))
                if len(named) > 1 or not set(cells[position]) <= right:
                    break
            else:
                yield _Way(tuple(32 * fingerprint + value for value in chosen), cells)


class _Fit:
    """A table that becomes better step by step; it begins as hard's."""

    def __init__(self, habits: Habits) -> None:
        self._habits = habits
        self._ways = _ways()
        hard = brain.make()
        self._chosen = [
            next(way for way in ways if _plays_as(hard, way) and set(way.entries) <= set(hard.book))
            for ways in self._ways
        ]
        self._look()

    def _look(self) -> None:
        cells = {position: own for way in self._chosen for position, own in way.cells.items()}
        self._chances = Chances(cells.__getitem__, self._habits)
        self._reach = self._chances.reach()

    @property
    def book(self) -> tuple[int, ...]:
        return tuple(sorted(entry for way in self._chosen for entry in way.entries))

    def improve(self) -> bool:
        """Take the best step that there is; whether there was one."""
        win = self._chances.win
        for _, at, way in sorted(self._steps(), key=lambda step: step[:2], reverse=True):
            before, self._chosen[at] = self._chosen[at], way
            self._look()
            if self._chances.win > win:
                return True
            self._chosen[at] = before
        self._look()
        return False

    def _steps(self) -> Iterator[tuple[float, int, _Way]]:
        """What each step gains for each entry that it takes, as far as one step alone goes."""
        room = MAX_BOOK - len(self.book)
        for at, ways in enumerate(self._ways):
            now = self._chosen[at]
            for way in ways:
                more = len(way.entries) - len(now.entries)
                gain = sum(
                    self._reach[position]
                    * (self._chances.mean(position, cells) - self._chances.to_move(position))
                    for position, cells in way.cells.items()
                    if position in self._reach and cells != now.cells[position]
                )
                if more <= room and gain > LEAST_GAIN * max(more, 1):
                    yield gain / max(more, 1), at, way


def _plays_as(table: Table, way: _Way) -> bool:
    return all(
        brain.choose(position, table).cells == cells for position, cells in way.cells.items()
    )


def fit(habits: Habits) -> Table:
    """The table for people of these habits."""
    found = _Fit(habits)
    while found.improve():
        pass
    return Table(WEIGHTS, found.book)
