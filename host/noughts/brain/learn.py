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
from noughts.game.odds import MoveValues, backward_induction, best_or_mean, mean
from noughts.game.people import PeopleGame
from noughts.game.positions import EMPTY, MARKS, Position, alike, canonical, from_marks
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
"""Student's t for a 95% interval and nine degrees of freedom."""

Cells = Sequence[int]
Policy = Callable[[Position], Cells]
"""The cells that are played in a canonical position, with equal chances."""


def people_moves(games: Iterable[PeopleGame]) -> dict[Position, Counter[int]]:
    """How often people played each cell, by canonical position; symmetric cells count as one."""
    counts: defaultdict[int, list[int]] = defaultdict(lambda: [0] * 9)
    """How often, by the marks before the move and by cell; there are few marks in many games."""
    for cells, people in games:
        marks = 0
        for ply, cell in enumerate(cells):
            if people[ply & 1]:
                counts[marks][cell] += 1
            marks |= MARKS[ply & 1][cell]
    moves_in: defaultdict[Position, Counter[int]] = defaultdict(Counter)
    for marks, counts_by_cell in counts.items():
        position = from_marks(marks)
        for cell, count in enumerate(counts_by_cell):
            if count:
                moves_in[canonical(position)][alike(position)[cell]] += count
    return moves_in


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
    """How readily people play a kind of cell."""

    kind: str
    opportunities: int
    """At how many moves such a cell was free."""
    played_share: float
    """The share of these moves at which people played one."""
    by_chance: float
    """The same share for random play."""


class Habits:
    """How likely people are to play each cell, learned from their games."""

    def __init__(self, games: Sequence[PeopleGame], prior: float = PRIOR) -> None:
        self.games = len(games)
        self._prior = prior
        self._people_moves = people_moves(games)
        self._played_kinds: Counter[int] = Counter()
        """How often people played each kind of cell."""
        for position, moves in self._people_moves.items():
            for cell, count in moves.items():
                self._played_kinds[kinds(position)[cell]] += count
        self.moves = self._played_kinds.total()
        self._attractions = self._fitted()
        self.chances = cache(self._chances)

    def _fitted(self) -> list[float]:
        attractions = [1.0] * len(KINDS)
        played = [self._prior + self._played_kinds[kind] for kind in range(len(KINDS))]
        for _ in range(_ROUNDS):
            expected = [self._prior] * len(KINDS)
            for position, moves in self._people_moves.items():
                free_kinds = kinds(position).values()
                share = moves.total() / sum(attractions[kind] for kind in free_kinds)
                for kind in free_kinds:
                    expected[kind] += share
            attractions = [
                count / by_chance for count, by_chance in zip(played, expected, strict=True)
            ]
        return attractions

    def readiness(self) -> list[Readiness]:
        """How readily people play each kind of cell that they could play."""
        opportunities, by_chance = ([0.0] * len(KINDS) for _ in range(2))
        for position, moves in self._people_moves.items():
            free_kinds = list(kinds(position).values())
            for kind in set(free_kinds):
                opportunities[kind] += moves.total()
                by_chance[kind] += moves.total() * free_kinds.count(kind) / len(free_kinds)
        return [
            Readiness(
                kind,
                int(opportunities[at]),
                self._played_kinds[at] / opportunities[at],
                by_chance[at] / opportunities[at],
            )
            for at, kind in enumerate(KINDS)
            if opportunities[at]
        ]

    def anywhere(self, position: Position) -> Mapping[int, float]:
        """The chance of each free cell of any position."""
        chances = self.chances(canonical(position))
        return {cell: chances[slot] for cell, slot in alike(position).items()}

    def _chances(self, position: Position) -> Mapping[int, float]:
        """The chance of each free cell of a canonical position."""
        attraction = {cell: self._attractions[kind] for cell, kind in kinds(position).items()}
        whole = sum(attraction.values())
        moves = self._people_moves.get(position, Counter())
        total = self._prior + moves.total()
        slots = alike(position)
        shared = Counter(slots.values())
        return {
            cell: (moves[slots[cell]] / shared[slots[cell]] + self._prior * own / whole) / total
            for cell, own in attraction.items()
        }


class Chances:
    """How often a player with a policy wins against people with these habits, exactly.

    Each side begins half of the games. join: see `backward_induction`. All positions are canonical.
    """

    def __init__(
        self,
        policy: Policy,
        habits: Habits,
        join: Callable[[bool, MoveValues[float]], float] = mean,
    ) -> None:
        self._policy, self.habits = policy, habits
        self._wins = backward_induction(
            lambda position: [(cell, 1) for cell in policy(position)],
            lambda position: habits.chances(position).items(),
            lambda result, _: float(result > 0),
            join,
            canonical,
        )

    @property
    def win(self) -> float:
        """The chance of winning a game."""
        return (self._wins(EMPTY, True) + self._wins(EMPTY, False)) / 2

    def win_after(self, position: Position, cells: Sequence[int]) -> float:
        """The chance of winning after playing one of these cells."""
        return sum(self._wins(canonical(position.play(cell)), False) for cell in cells) / len(cells)

    def reach(self) -> Mapping[Position, float]:
        """The chance that a game comes to each canonical position in which it is to move."""
        reached = {}
        chance_of = {(EMPTY, True): 0.5, (EMPTY, False): 0.5}
        while chance_of:
            next_chance_of: defaultdict[tuple[Position, bool], float] = defaultdict(float)
            for (position, my_turn), chance in chance_of.items():
                shares = self.habits.chances(position)
                if my_turn:
                    reached[position] = chance
                    cells = self._policy(position)
                    shares = dict.fromkeys(cells, 1 / len(cells))
                for cell, share in shares.items():
                    next_position = canonical(position.play(cell))
                    if share and not next_position.over:
                        next_chance_of[next_position, not my_turn] += chance * share
            chance_of = next_chance_of
        return reached


def by_table(table: Table) -> Policy:
    """The chip's policy at the level hard, with this table."""
    return lambda position: brain.choose(position, table).cells


def best(habits: Habits) -> float:
    """The best chance of winning without giving value away, if a table could hold anything."""
    return Chances(value_preserving_moves, habits, best_or_mean).win


class _Option(NamedTuple):
    """No entry for a fingerprint, or one, and the cells then played in its positions."""

    fingerprint: int
    entries: tuple[int, ...]
    cells: Mapping[Position, Cells]


@cache
def _options() -> list[_Option]:
    """All ways that give no value away."""
    positions_by_fingerprint: defaultdict[int, list[Position]] = defaultdict(list)
    for position in brain.classes():
        fingerprint = brain.fingerprint(brain.cell_values(position, WEIGHTS))
        positions_by_fingerprint[fingerprint].append(position)
    options = []
    for fingerprint, positions in sorted(positions_by_fingerprint.items()):
        possible_values = {
            value
            for position in positions
            for value in brain.cell_values(position, WEIGHTS).values()
        }
        # The way without an entry comes first, so it is taken if others gain as much.
        for book in [(), *((entry,) for entry in brain.entries_of(fingerprint, possible_values))]:
            policy = by_table(Table(WEIGHTS, book))
            cells = {position: policy(position) for position in positions}
            keeps_values = (
                {*cells[position]} <= {*value_preserving_moves(position)} for position in positions
            )
            if all(keeps_values):
                options.append(_Option(fingerprint, book, cells))
    return options


def fit(habits: Habits) -> Table:
    """The table for people with these habits: hard's, improved step by step."""
    table = brain.make_table()
    chances = Chances(by_table(table), habits)
    while steps := list(_steps(table, chances)):
        _, best_table = max(steps, key=lambda step: step[0])
        next_chances = Chances(by_table(best_table), habits)
        if next_chances.win <= chances.win:
            break
        table, chances = best_table, next_chances
    return table


def _steps(table: Table, chances: Chances) -> Iterator[tuple[float, Table]]:
    """What each possible step would gain by itself, per entry that it needs."""
    reach = chances.reach()
    cells_now = {position: brain.choose(position, table).cells for position in reach}
    for option in _options():
        others = [entry for entry in table.book if entry // 32 != option.fingerprint]
        book = tuple(sorted([*others, *option.entries]))
        new_entries = max(len(book) - len(table.book), 1)
        gain = sum(
            reach[position]
            * (
                chances.win_after(position, cells)
                - chances.win_after(position, cells_now[position])
            )
            for position, cells in option.cells.items()
            if position in reach and cells != cells_now[position]
        )
        if len(book) <= MAX_BOOK and gain > LEAST_GAIN * new_entries:
            yield gain / new_entries, Table(WEIGHTS, book)


@dataclass(frozen=True)
class Change:
    """A position in which the chip plays other cells than before, or could win more with others."""

    position: Position
    """Canonical; the chip is to move."""
    old_cells: Cells
    new_cells: Cells
    reach: float
    """The share of all games in which it comes up."""
    gain: float
    """In the chance of winning a game."""
    mistakes: tuple[tuple[int, float], ...]
    """The losing replies to the first of the new cells, with their chances; the likeliest first."""


def changes(old_table: Table, new_table: Table, habits: Habits) -> list[Change]:
    """All changes that come up in play, the greatest gain first."""
    return _changes(Chances(by_table(new_table), habits), by_table(old_table), by_table(new_table))


def left_out(table: Table, habits: Habits) -> list[Change]:
    """All changes that would be worth an entry, but did not fit; the greatest gain first.

    The book is full, or the entry would also change other positions of the same fingerprint.
    """
    chances = Chances(by_table(table), habits)

    def best_cell(position: Position) -> Cells:
        cells = value_preserving_moves(position)
        return (max(cells, key=lambda cell: chances.win_after(position, [cell])),)

    possible_changes = _changes(chances, by_table(table), best_cell)
    return [change for change in possible_changes if change.gain > LEAST_GAIN]


def _changes(chances: Chances, old_policy: Policy, new_policy: Policy) -> list[Change]:
    changes = []
    for position, reach in chances.reach().items():
        old_cells, new_cells = old_policy(position), new_policy(position)
        if old_cells != new_cells:
            gain = reach * (
                chances.win_after(position, new_cells) - chances.win_after(position, old_cells)
            )
            mistakes = _mistakes(position.play(new_cells[0]), chances.habits)
            changes.append(Change(position, old_cells, new_cells, reach, gain, mistakes))
    return sorted(changes, key=lambda change: (-change.gain, change.position))


def _mistakes(position: Position, habits: Habits) -> tuple[tuple[int, float], ...]:
    """The losing moves of a person, with their chances; none if the position is lost anyway."""
    if position.over or value(position) < 0:
        return ()
    chances = habits.anywhere(position).items()
    losing = [(cell, chance) for cell, chance in chances if value(position.play(cell)) > 0]
    return tuple(sorted(losing, key=lambda move: -move[1]))


@dataclass(frozen=True)
class Estimate:
    """The chance of winning a game with the table before, and with a learned one."""

    chance_before: float
    chance_after: float
    gain: tuple[float, float]
    """A 95% interval of the difference."""


def estimate(games: Sequence[PeopleGame], table: Table) -> Estimate | None:
    """Cross-validate; None if there are fewer games than parts."""
    if len(games) < FOLDS:
        return None
    chances = []
    for part in range(FOLDS):
        habits = Habits(games[part::FOLDS], _PART_PRIOR)
        learned_table = fit(Habits([game for at, game in enumerate(games) if at % FOLDS != part]))
        chance = Chances(by_table(table), habits).win
        chances.append((chance, Chances(by_table(learned_table), habits).win))
    gains = [learned_chance - chance for chance, learned_chance in chances]
    gain, spread = fmean(gains), _T * stdev(gains) / sqrt(FOLDS)
    chance_before, chance_after = map(fmean, zip(*chances, strict=True))
    return Estimate(chance_before, chance_after, (gain - spread, gain + spread))
