"""What an engine is: something that answers a position with a move, and says what that cost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from noughts.game.positions import Position


@dataclass(frozen=True)
class Reply:
    """An engine's answer to a position."""

    cells: tuple[int, ...]
    """The moves, one or more, that it plays with equal chances; in the order that it found them."""
    nodes: int = 0
    """Positions that it visited, the one asked about included; 0 if it does not search."""
    cut: int = 0
    """Moves that it never looked at, because their outcome could not matter any more."""
    score: int | None = None
    """What a searching engine holds the position to be worth to the mover: 10 less the plies until
    the win, 0 for a draw, the plies until the loss less 10."""


class Engine(Protocol):
    """A way to play. It is deterministic: chance is in choosing one of a reply's cells."""

    name: str
    about: str
    """In a few words, for people."""
    perfect: bool
    """Whether it claims never to lose."""

    def reply(self, position: Position) -> Reply:
        """Its answer to a position in which somebody has to move."""
