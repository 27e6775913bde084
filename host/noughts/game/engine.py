"""Engines, and the games that they play with each other.

An engine answers a position with a move, and says what that cost. A match is played from both
seats, and its shares have their uncertainty.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from random import Random
from typing import Protocol

from noughts.game.positions import EMPTY, WON, Position

Z_95 = 1.959963985
"""Standard deviations to either side that hold 95 % of a normal distribution."""


@dataclass(frozen=True)
class Reply:
    """An engine's answer to a position."""

    cells: tuple[int, ...]
    """The moves that it might play, in the order that it found them; none if it resigns."""
    nodes: int = 0
    """Positions that it visited, the one asked about included; 0 if it does not search."""
    cut: int = 0
    """Moves that it never looked at, because their outcome could not matter any more."""
    score: int | None = None
    """What a searching engine holds the position to be worth to the mover: 10 less the plies until
    the win, 0 for a draw, the plies until the loss less 10."""
    weights: tuple[int, ...] | None = None
    """For each of the cells, how often it is played in proportion; None: all equally often."""
    remark: str = ""
    """A sentence that it says about the game to its opponent, if it has one."""

    def weighted(self) -> list[tuple[int, int]]:
        """Each of the cells, and how often it is played in proportion."""
        return list(zip(self.cells, self.weights or (1,) * len(self.cells), strict=True))

    def chances(self) -> list[tuple[int, Fraction]]:
        """Each of the cells, and how likely it is played."""
        total = sum(weight for _, weight in self.weighted())
        return [(cell, Fraction(weight, total)) for cell, weight in self.weighted()]

    def choose(self, random: Random) -> int | None:
        """One of the cells, drawn by its chances; None if the engine resigns."""
        if len(self.cells) <= 1:
            return self.cells[0] if self.cells else None
        if self.weights is None:
            return random.choice(self.cells)
        return random.choices(self.cells, self.weights)[0]


class Engine(Protocol):
    """A way to play: chance is in choosing one of a reply's cells, except where it `may_vary`."""

    name: str
    about: str
    """In a few words, for people."""
    perfect: bool
    """Whether it claims never to lose."""

    def reply(self, position: Position) -> Reply:
        """Its answer to a position in which somebody has to move."""


def may_vary(engine: Engine) -> bool:
    """Whether an engine of somebody else's may answer a position differently from call to call."""
    return getattr(engine, "may_vary", False)


class _Remembering:
    def __init__(self, engine: Engine) -> None:
        self.name, self.about, self.perfect = engine.name, engine.about, engine.perfect
        self.reply: Callable[[Position], Reply] = cache(engine.reply)


def remembering(engine: Engine) -> Engine:
    """The engine with its replies remembered, unless they may vary."""
    return engine if may_vary(engine) else _Remembering(engine)


@dataclass
class Tally:
    """How often the first engine of a match won, drew and lost."""

    won: int = 0
    drawn: int = 0
    lost: int = 0

    @property
    def games(self) -> int:
        """How many were played."""
        return self.won + self.drawn + self.lost

    def __add__(self, other: Tally) -> Tally:
        return Tally(self.won + other.won, self.drawn + other.drawn, self.lost + other.lost)


def interval(count: int, games: int) -> tuple[float, float]:
    """A 95 % confidence interval of a share, after Wilson (1927); it holds for 0 and for all, too.

    >>> interval(0, 100)[0]
    0.0
    """
    if not games:
        return 0.0, 1.0
    share = count / games
    scale = 1 + Z_95**2 / games
    middle = (share + Z_95**2 / (2 * games)) / scale
    half = Z_95 * math.sqrt(share * (1 - share) / games + Z_95**2 / (4 * games**2)) / scale
    low = 0.0 if count == 0 else middle - half
    high = 1.0 if count == games else middle + half
    return low, high


class Player:
    """An engine with its own random numbers; its replies are remembered, unless they may vary."""

    def __init__(self, engine: Engine, random: Random, learns: bool = False) -> None:
        self.name = engine.name
        self._random = random
        self._engine = engine if learns else remembering(engine)

    def choose(self, position: Position) -> int | None:
        """One of the engine's cells for a position, drawn at random; None if it resigns."""
        return self._engine.reply(position).choose(self._random)


def play(first: Player, second: Player) -> Iterator[tuple[int, Position]]:
    """Play a game until it is over or given up; yields each cell, and the position after it."""
    position = EMPTY
    mover, waiting = first, second
    while not position.over:
        cell = mover.choose(position)
        if cell is None:
            return
        position = position.play(cell)
        yield cell, position
        mover, waiting = waiting, mover


def winner(position: Position) -> int:
    """Who has won a game: 1 the side that moved first, -1 the other, 0 nobody.

    If the position is not over, the player to move has resigned.
    """
    if position.over and not WON[position.other]:
        return 0
    return 1 if position.ply % 2 else -1


def match(one: Player, other: Player, games: int) -> Iterator[tuple[bool, int]]:
    """Games in turn from either seat: whether `one` moved first, and 1, 0 or -1 for it."""
    for number in range(games):
        first = number % 2 == 0
        seats = (one, other) if first else (other, one)
        end = EMPTY
        for _, after in play(*seats):
            end = after
        yield first, winner(end) * (1 if first else -1)
