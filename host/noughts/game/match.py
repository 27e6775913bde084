"""Engines playing each other: single games, and matches from both seats with their uncertainty."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from random import Random

from noughts.game.engine import Engine, Remembering, may_vary
from noughts.game.positions import EMPTY, WON, Position

Z_95 = 1.959963985
"""Standard deviations to either side that hold 95 % of a normal distribution."""


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
        self._engine = engine if learns or may_vary(engine) else Remembering(engine)

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

    If the position is not over, whoever is to move has resigned.
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
