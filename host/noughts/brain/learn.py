"""People's habits, and the table that wins most often against them, and never loses.

A habit is how likely people are to play each cell. It is learned from their games, on two levels:

anywhere       each kind of cell (it completes a row, it is a corner, ...) has an attraction, and a
               cell is played with its share of the attraction of all free cells (the choice rule of
               Luce, Individual Choice Behavior, 1959, fitted as in Hunter, MM algorithms for
               generalized Bradley-Terry models, 2004)
in a position  what they did there; symmetric positions, and symmetric cells, count as one

Both are smoothed, so that a few games change little: every kind of cell gets `PRIOR` extra moves
of random play, and every position `PRIOR` extra moves of what people do anywhere.

The weights stay. The book gets the entries that win most against these people, as far as there is
room. An entry names a position by its fingerprint, which other positions may share. So a choice
holds for all positions of a fingerprint, and is only made if each of them keeps its value. The
search is greedy: the change that wins most per entry comes first, and each change is measured with
the whole table so far.

The gain is estimated on games that were not learned from. The games are dealt into `FOLDS` parts.
For each part, a table is learned from the others, and measured against the part's habits, which are
hardly smoothed. The interval is that of Student's t over the parts (cross-validation: Stone,
Cross-validatory choice and assessment of statistical predictions, 1974).
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from math import sqrt
from statistics import fmean, stdev
from typing import NamedTuple

from noughts import brain
from noughts.brain import WEIGHTS, Table
from noughts.game.engine import After, best_or_mean, mean, walk
from noughts.game.positions import EMPTY, Position, alike, canonical
from noughts.game.solver import value, value_preserving_moves

PRIOR = 4.0
_ROUNDS = 100
"""Of the fit, which converges long before."""

KINDS = (
    "complete a row or column", "complete a diagonal", "block a row or column",
    "block a diagonal", "take the centre", "take a corner", "take an edge",
)  # fmt: skip
"""A cell's kind is the first of these that fits."""

MAX_BYTES = 36
"""Another entry takes four bytes of a V1's heap; with these, some 2,900 bytes of it stay free."""
MAX_BOOK = (MAX_BYTES - len(WEIGHTS)) // 2
LEAST_GAIN = 0.0005
"""In the chance of winning a game; less is not worth an entry."""
FOLDS = 10
_PART_PRIOR = 0.05
"""A part is small: with more smoothing, its habits and so the gain would come out too weak."""
_T = 2.262
"""Student's t for a 95 % interval and nine degrees of freedom."""

Cells = Sequence[int]
Policy = Callable[[Position], Cells]
"""The cells that are played in a canonical position, with equal chances."""


class PeopleGame(NamedTuple):
    moves: tuple[int, ...]
    """Cells, 0 to 8."""
    people: tuple[bool, bool]
    """Whether a person moved first, and whether a person moved second."""


def met(games: Iterable[PeopleGame]) -> dict[Position, Counter[int]]:
    """How often people played each cell, by canonical position; symmetric cells count as one."""
    counts: Counter[tuple[int, int, int]] = Counter()
    """By both masks of a position, and the cell; there are few of these in many games."""
    for game in games:
        mover = other = 0
        for ply, cell in enumerate(game.moves):
            if game.people[ply % 2]:
                counts[mover, other, cell] += 1
            mover, other = other, mover | 1 << cell
    found: defaultdict[Position, Counter[int]] = defaultdict(Counter)
    for (mover, other, cell), times in counts.items():
        position = Position(mover, other)
        found[canonical(position)][alike(position)[cell]] += times
    return found


@cache
def kinds(position: Position) -> Mapping[int, int]:
    """The kind of each free cell, as an index of `KINDS`."""
    return {cell: _kind(position, cell) for cell in position.free}


def _kind(position: Position, cell: int) -> int:
    for first, marks in (0, position.mover), (2, position.other):
        if lines := Position(0, marks | 1 << cell).won_lines:
            return first + all(line >= 6 for line in lines)
    return 4 if cell == 4 else 6 if cell % 2 else 5


@dataclass(frozen=True)
class Readiness:
    kind: str
    could: int
    """At how many moves such a cell was free."""
    did: float
    """The share of these moves at which people played one."""
    by_chance: float
    """The same share for random play."""


class Habits:
    def __init__(self, games: Sequence[PeopleGame], prior: float = PRIOR) -> None:
        self.games = len(games)
        self._prior = prior
        self._met = met(games)
        self._chosen: Counter[int] = Counter()
        """How often people played each kind of cell."""
        for position, moves in self._met.items():
            for cell, count in moves.items():
                self._chosen[kinds(position)[cell]] += count
        self.moves = self._chosen.total()
        self._attractions = self._fitted()
        self.chances = cache(self._chances)

    def _fitted(self) -> list[float]:
        attractions = [1.0] * len(KINDS)
        chosen = [self._prior + self._chosen[kind] for kind in range(len(KINDS))]
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
        could, by_chance = ([0.0] * len(KINDS) for _ in range(2))
        for position, moves in self._met.items():
            there = list(kinds(position).values())
            for kind in set(there):
                could[kind] += moves.total()
                by_chance[kind] += moves.total() * there.count(kind) / len(there)
        return [
            Readiness(kind, int(could[at]), self._chosen[at] / could[at], by_chance[at] / could[at])
            for at, kind in enumerate(KINDS)
            if could[at]
        ]

    def anywhere(self, position: Position) -> Mapping[int, float]:
        chances = self.chances(canonical(position))
        return {cell: chances[slot] for cell, slot in alike(position).items()}

    def _chances(self, position: Position) -> Mapping[int, float]:
        """The chance of each free cell of a canonical position."""
        attraction = {cell: self._attractions[kind] for cell, kind in kinds(position).items()}
        whole = sum(attraction.values())
        seen = self._met.get(position, Counter())
        times = self._prior + seen.total()
        slots = alike(position)
        shared = Counter(slots.values())
        return {
            cell: (seen[slots[cell]] / shared[slots[cell]] + self._prior * own / whole) / times
            for cell, own in attraction.items()
        }


class Chances:
    """How often a player with a policy wins against people with these habits, exactly.

    Each side begins half of the games. join: see `walk`. All positions are canonical.
    """

    def __init__(
        self, policy: Policy, habits: Habits, join: Callable[[bool, After[float]], float] = mean
    ) -> None:
        self._policy, self.habits = policy, habits
        self._wins = walk(
            lambda position: [(cell, 1) for cell in policy(position)],
            lambda position: habits.chances(position).items(),
            lambda result, _: float(result > 0),
            join,
            canonical,
        )

    @property
    def win(self) -> float:
        return (self._wins(EMPTY, True) + self._wins(EMPTY, False)) / 2

    def after(self, position: Position, cells: Sequence[int]) -> float:
        """The chance of winning after playing one of these cells."""
        return sum(self._wins(canonical(position.play(cell)), False) for cell in cells) / len(cells)

    def reach(self) -> Mapping[Position, float]:
        """The chance that a game comes to each canonical position in which it is to move."""
        reached = {}
        now = {(EMPTY, True): 0.5, (EMPTY, False): 0.5}
        while now:
            following: defaultdict[tuple[Position, bool], float] = defaultdict(float)
            for (position, my_turn), chance in now.items():
                shares = self.habits.chances(position)
                if my_turn:
                    reached[position] = chance
                    cells = self._policy(position)
                    shares = dict.fromkeys(cells, 1 / len(cells))
                for cell, share in shares.items():
                    after = canonical(position.play(cell))
                    if share and not after.over:
                        following[after, not my_turn] += chance * share
            now = following
        return reached


def by_table(table: Table) -> Policy:
    """The chip's policy at the level hard, with this table."""
    return lambda position: brain.choose(position, table).cells


def best(habits: Habits) -> float:
    """The best chance of winning without giving value away, if a table could hold anything."""
    return Chances(value_preserving_moves, habits, best_or_mean).win


class _Way(NamedTuple):
    """No entry for a fingerprint, or one, and the cells then played in its positions."""

    fingerprint: int
    entries: tuple[int, ...]
    cells: Mapping[Position, Cells]


@cache
def _ways() -> list[_Way]:
    """All ways that give no value away."""
    named: defaultdict[int, list[Position]] = defaultdict(list)
    for position in brain.classes():
        named[brain.fingerprint(brain.values(position, WEIGHTS))].append(position)
    found = []
    for fingerprint, positions in sorted(named.items()):
        worth = {value for each in positions for value in brain.values(each, WEIGHTS).values()}
        # The way without an entry comes first, so it is taken if others gain as much.
        for book in [(), *((entry,) for entry in brain.entries_of(fingerprint, worth))]:
            policy = by_table(Table(WEIGHTS, book))
            cells = {position: policy(position) for position in positions}
            if all({*cells[each]} <= {*value_preserving_moves(each)} for each in positions):
                found.append(_Way(fingerprint, book, cells))
    return found


def fit(habits: Habits) -> Table:
    """The table for people with these habits: hard's, improved step by step."""
    table = brain.make()
    chances = Chances(by_table(table), habits)
    while steps := list(_steps(table, chances)):
        _, better = max(steps, key=lambda step: step[0])
        after = Chances(by_table(better), habits)
        if after.win <= chances.win:
            break
        table, chances = better, after
    return table


def _steps(table: Table, chances: Chances) -> Iterator[tuple[float, Table]]:
    """What each possible step would gain by itself, per entry that it needs."""
    reach = chances.reach()
    now = {position: brain.choose(position, table).cells for position in reach}
    for way in _ways():
        others = [entry for entry in table.book if entry // 32 != way.fingerprint]
        book = tuple(sorted([*others, *way.entries]))
        more = max(len(book) - len(table.book), 1)
        gain = sum(
            reach[position]
            * (chances.after(position, cells) - chances.after(position, now[position]))
            for position, cells in way.cells.items()
            if position in reach and cells != now[position]
        )
        if len(book) <= MAX_BOOK and gain > LEAST_GAIN * more:
            yield gain / more, Table(WEIGHTS, book)


@dataclass(frozen=True)
class Change:
    """A position in which the chip plays other cells than before, or could win more with others."""

    position: Position
    """Canonical; the chip is to move."""
    before: Cells
    after: Cells
    reach: float
    """The share of all games in which it comes up."""
    gain: float
    """In the chance of winning a game."""
    mistakes: tuple[tuple[int, float], ...]
    """The losing replies to the first of the new cells, with their chances; the likeliest first."""


def changes(before: Table, after: Table, habits: Habits) -> list[Change]:
    """All changes that come up in play, the greatest gain first."""
    return _changes(Chances(by_table(after), habits), by_table(before), by_table(after))


def left_out(table: Table, habits: Habits) -> list[Change]:
    """All changes that would be worth an entry, but did not fit; the greatest gain first.

    The book is full, or the entry would also change other positions of the same fingerprint.
    """
    chances = Chances(by_table(table), habits)

    def best_cell(position: Position) -> Cells:
        cells = value_preserving_moves(position)
        return (max(cells, key=lambda cell: chances.after(position, [cell])),)

    found = _changes(chances, by_table(table), best_cell)
    return [change for change in found if change.gain > LEAST_GAIN]


def _changes(chances: Chances, before: Policy, after: Policy) -> list[Change]:
    found = []
    for position, reach in chances.reach().items():
        old, new = before(position), after(position)
        if old != new:
            gain = reach * (chances.after(position, new) - chances.after(position, old))
            mistakes = _mistakes(position.play(new[0]), chances.habits)
            found.append(Change(position, old, new, reach, gain, mistakes))
    return sorted(found, key=lambda change: (-change.gain, change.position))


def _mistakes(position: Position, habits: Habits) -> tuple[tuple[int, float], ...]:
    """The losing moves of a person, with their chances; none if the position is lost anyway."""
    if position.over or value(position) < 0:
        return ()
    chances = habits.anywhere(position).items()
    losing = [(cell, chance) for cell, chance in chances if value(position.play(cell)) > 0]
    return tuple(sorted(losing, key=lambda each: -each[1]))


@dataclass(frozen=True)
class Estimate:
    """The chance of winning a game with the table before, and with a learned one."""

    before: float
    after: float
    gain: tuple[float, float]
    """A 95 % interval of the difference."""


def estimate(games: Sequence[PeopleGame], before: Table) -> Estimate | None:
    """Cross-validate; None if there are fewer games than parts."""
    if len(games) < FOLDS:
        return None
    pairs = []
    for part in range(FOLDS):
        habits = Habits(games[part::FOLDS], _PART_PRIOR)
        learned = fit(Habits([game for at, game in enumerate(games) if at % FOLDS != part]))
        pairs.append([Chances(by_table(table), habits).win for table in (before, learned)])
    gains = [after - once for once, after in pairs]
    gain, spread = fmean(gains), _T * stdev(gains) / sqrt(FOLDS)
    old, new = map(fmean, zip(*pairs, strict=True))
    return Estimate(old, new, (gain - spread, gain + spread))
