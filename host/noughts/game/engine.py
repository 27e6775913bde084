"""Engines, the games that they play with each other, and the exact odds of those games.

An engine answers a position with a move, and reports the cost; one that resigns has lost. In a
match, each engine moves first in half of the games. Its shares have confidence intervals.

A walk goes through all games that two players may play, without sampling. It works backwards from
the ends, visits each position once, and takes the view of one player, "me". The caller decides what
it computes: a chance, a count, a line of moves.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from random import Random
from typing import Any, NamedTuple, Protocol, TypeVar

from noughts.game.positions import EMPTY, WON, Position

_Z_95 = 1.959963985
"""In standard deviations: 95 % of a normal distribution lie this far or less from its mean."""

Value = TypeVar("Value")
Number = TypeVar("Number", float, Fraction)

Moves = Callable[[Position], Iterable[tuple[int, float]]]
"""The cells that a player may play, each with a weight; none if the player resigns."""

After = list[tuple[int, Any, Value]]
"""Of each move from a position: its cell, its weight, and the value after it."""


@dataclass(frozen=True)
class Reply:
    cells: tuple[int, ...]
    """The moves that it might play, in the order in which it found them; none if it resigns."""
    nodes: int = 0
    """Positions that it visited, including the given one; 0 if it does not search."""
    cut: int = 0
    """Moves that it did not search, because their outcome could not matter."""
    score: int | None = None
    """The position's score to the mover, from a search: 10 less the plies until the win, 0 for a
    draw, the plies until the loss less 10."""
    weights: tuple[int, ...] | None = None
    """Of the cells; None if all are played equally often."""

    def weighted(self) -> list[tuple[int, int]]:
        return list(zip(self.cells, self.weights or (1,) * len(self.cells), strict=True))

    def chances(self) -> list[tuple[int, Fraction]]:
        """Each of the cells, with its chance to be played."""
        total = sum(weight for _, weight in self.weighted())
        return [(cell, Fraction(weight, total)) for cell, weight in self.weighted()]

    def choose(self, random: Random) -> int | None:
        """One of the cells, drawn with its chance; None if the engine resigns."""
        if len(self.cells) <= 1:
            return self.cells[0] if self.cells else None
        if self.weights is None:
            return random.choice(self.cells)
        return random.choices(self.cells, self.weights)[0]


class Engine(Protocol):
    """A way to play. Only the choice among a reply's cells is random, unless it `may_vary`."""

    name: str
    about: str
    perfect: bool = False
    """Whether it claims never to lose."""
    may_vary: bool = False
    """Whether it may answer a position differently each time, as engines that are not ours may."""

    def reply(self, position: Position) -> Reply:
        """Its answer to an unfinished position."""


Replies = Callable[[Position], Reply]


def remembered(engine: Engine) -> Replies:
    """An engine's replies, with a cache unless they may vary."""
    return engine.reply if engine.may_vary else cache(engine.reply)


@dataclass
class Tally:
    """How many games the first engine of a match won, drew and lost."""

    won: int = 0
    drawn: int = 0
    lost: int = 0

    @property
    def games(self) -> int:
        return self.won + self.drawn + self.lost

    def add(self, result: int) -> None:
        """Count a game that was won (1), drawn (0) or lost (-1)."""
        self.won += result == 1
        self.drawn += result == 0
        self.lost += result == -1

    def __add__(self, other: Tally) -> Tally:
        return Tally(self.won + other.won, self.drawn + other.drawn, self.lost + other.lost)


def interval(count: int, games: int) -> tuple[float, float]:
    """A 95 % confidence interval of a share, after Wilson (1927); also valid for none and for all.

    >>> interval(0, 100)[0]
    0.0
    """
    share = count / games
    scale = 1 + _Z_95**2 / games
    middle = (share + _Z_95**2 / (2 * games)) / scale
    half = _Z_95 * math.sqrt(share * (1 - share) / games + _Z_95**2 / (4 * games**2)) / scale
    low = 0.0 if count == 0 else middle - half
    high = 1.0 if count == games else middle + half
    return low, high


def winner(position: Position) -> int:
    """Who has won a game: 1 the side that moved first, -1 the other, 0 nobody.

    In an unfinished position, the player to move has resigned.
    """
    if position.over and not WON[position.other]:
        return 0
    return 1 if position.ply % 2 else -1


def play(one: Replies, other: Replies, first: bool, random: Random) -> tuple[list[int], int]:
    """Play a game until it is over or an engine resigns: its cells, and 1, 0 or -1 for `one`.

    first: whether `one` moves first.
    """
    position, cells = EMPTY, []
    while not position.over:
        mover = one if (position.ply % 2 == 0) == first else other
        cell = mover(position).choose(random)
        if cell is None:
            break
        cells.append(cell)
        position = position.play(cell)
    return cells, winner(position) * (1 if first else -1)


def match(
    one: Engine,
    other: Engine,
    games: int,
    random: Random,
    played: Callable[[int], None] = lambda number: None,
) -> tuple[Tally, Tally]:
    """Let two engines play; the tallies are of games in which `one` moved first, and second.

    played: called after each game, with its number.
    """
    tallies = Tally(), Tally()
    mine, theirs = remembered(one), remembered(other)
    for number in range(games):
        seat = number % 2
        tallies[seat].add(play(mine, theirs, seat == 0, random)[1])
        played(number + 1)
    return tallies


def any_cell(position: Position) -> list[tuple[int, float]]:
    return [(cell, 1) for cell in position.free]


def walk(
    mine: Moves,
    theirs: Moves,
    end: Callable[[int, Position], Value],
    join: Callable[[bool, After[Value]], Value],
    same: Callable[[Position], Position] = lambda position: position,
) -> Callable[[Position, bool], Value]:
    """A function that gives the value of a position, for my turn or my opponent's.

    end: the value of a finished game, from its result (1, 0 or -1 for me) and its last position.
    join: the value of a position, from whether it is my turn, and from its moves. same: gives the
    position that stands for another, such as `canonical`; the function then takes only these.
    """

    @cache
    def found(position: Position, my_turn: bool) -> Value:
        moves = () if position.over else (mine if my_turn else theirs)(position)
        after = [
            (cell, weight, found(same(position.play(cell)), not my_turn)) for cell, weight in moves
        ]
        if after:
            return join(my_turn, after)
        drawn = position.over and not WON[position.other]
        return end(0 if drawn else -1 if my_turn else 1, position)

    return found


def mean(_my_turn: bool, after: After[Any]) -> Any:
    """The mean of the values of moves, by their weights."""
    total = sum(weight for _, weight, _ in after)
    # Multiplying fractions is slow, and most weights are 1.
    return sum(value if weight == 1 else value * weight for _, weight, value in after) / total


def best_or_mean(my_turn: bool, after: After[Number]) -> Number:
    """The greatest value of my moves, but the mean of my opponent's."""
    return max(value for *_, value in after) if my_turn else mean(my_turn, after)


class Odds(NamedTuple):
    """The chances that a player wins, draws and loses; their sum is 1."""

    won: Any
    drawn: Any
    lost: Any


def mean_odds(my_turn: bool, after: After[Odds]) -> Odds:
    parts = ([(cell, weight, odds[part]) for cell, weight, odds in after] for part in range(3))
    return Odds(*(mean(my_turn, part) for part in parts))


def end_odds(number: Callable[[bool], Any]) -> Callable[[int, Position], Odds]:
    """The odds at the end of a game, as numbers of this type, `float` or `Fraction`."""
    return lambda result, _: Odds(*(number(result == each) for each in (1, 0, -1)))


def odds(
    mine: Replies, theirs: Replies, first: bool = True, number: Callable[[bool], Any] = float
) -> Odds:
    """The odds of a game between two engines' replies, for `mine`, which moves first or second.

    number: `Fraction` for exact odds. The engines only see positions that they reach.

    >>> from noughts.engines.levels import Random
    >>> round(odds(Random().reply, Random().reply).won, 4)
    0.5849
    """
    return walk(
        lambda position: mine(position).weighted(),
        lambda position: theirs(position).weighted(),
        end_odds(number),
        mean_odds,
    )(EMPTY, first)
