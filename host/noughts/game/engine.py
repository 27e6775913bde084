"""Engines, and the games that they play with each other.

An engine answers a position with a move, and reports the cost; one that resigns has lost. In a
match, each engine moves first in half of the games. Its shares have confidence intervals.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from random import Random
from statistics import NormalDist
from typing import Protocol

from noughts.game.positions import EMPTY, WON, Position

_Z_95 = NormalDist().inv_cdf(0.975)
"""In standard deviations: 95% of a normal distribution lie this far or less from its mean."""


@dataclass(frozen=True)
class Reply:
    """An engine's answer to a position.

    >>> Reply((0, 8), weights=(3, 1)).chances()
    [(0, Fraction(3, 4)), (8, Fraction(1, 4))]
    """

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
        """Each of the cells, with its weight."""
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
    """How it plays, in a few words."""
    seat: str = ""
    """The letter of its seat in stored games; empty if it is not built in."""
    perfect: bool = False
    """Whether it claims never to lose."""
    may_vary: bool = False
    """Whether it may answer a position differently each time, as engines that are not ours may."""

    def reply(self, position: Position) -> Reply:
        """Its answer to an unfinished position."""


Replies = Callable[[Position], Reply]


def cached_replies(engine: Engine) -> Replies:
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
        """All games together."""
        return self.won + self.drawn + self.lost

    def add(self, result: int) -> None:
        """Count a game that was won (1), drawn (0) or lost (-1)."""
        self.won += result == 1
        self.drawn += result == 0
        self.lost += result == -1

    def __add__(self, other: Tally) -> Tally:
        return Tally(self.won + other.won, self.drawn + other.drawn, self.lost + other.lost)


def interval(count: int, games: int) -> tuple[float, float]:
    """A 95% confidence interval of a share, after Wilson (1927); also valid for none and for all.

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


def play(mine: Replies, theirs: Replies, first: bool, random: Random) -> tuple[list[int], int]:
    """Play a game until it is over or an engine resigns: its cells, and 1, 0 or -1 for `mine`.

    first: whether `mine` moves first.
    """
    position, cells = EMPTY, []
    while not position.over:
        mover = mine if (position.ply % 2 == 0) == first else theirs
        cell = mover(position).choose(random)
        if cell is None:
            break
        cells.append(cell)
        position = position.play(cell)
    return cells, winner(position) * (1 if first else -1)


def match(
    engine: Engine,
    opponent: Engine,
    games: int,
    random: Random,
    on_game: Callable[[int], None] = lambda number: None,
) -> tuple[Tally, Tally]:
    """Let two engines play; the tallies are of games in which `engine` moved first, and second.

    on_game: called after each game, with its number.
    """
    tallies = Tally(), Tally()
    mine, theirs = cached_replies(engine), cached_replies(opponent)
    for number in range(games):
        seat = number % 2
        tallies[seat].add(play(mine, theirs, seat == 0, random)[1])
        on_game(number + 1)
    return tallies
