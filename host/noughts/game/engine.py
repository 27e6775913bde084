"""What an engine is: something that answers a position with a move, and says what that cost."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from random import Random
from typing import Protocol

from noughts.game.positions import Position


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
    """A sentence that it says about the game to whoever plays it, if it has something to say."""

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


class Remembering:
    """An engine with its replies remembered, for one that does not change."""

    def __init__(self, engine: Engine) -> None:
        self.name, self.about, self.perfect = engine.name, engine.about, engine.perfect
        self._reply: Callable[[Position], Reply] = cache(engine.reply)

    def reply(self, position: Position) -> Reply:
        """The engine's answer, found once."""
        return self._reply(position)


def may_vary(engine: Engine) -> bool:
    """Whether an engine of somebody else's may answer a position differently from call to call."""
    return getattr(engine, "may_vary", False)
