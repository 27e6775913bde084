"""What an engine's play comes to, exactly: against every sequence of its opponent's moves.

Nothing is sampled. A game is a sequence of moves; where an engine plays any of several cells, each
of them is followed. The chance of a win is against an opponent who plays every free cell with equal
chances, and the engine's own choices have equal chances too.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache

from noughts.game import solver
from noughts.game.engine import Engine
from noughts.game.positions import EMPTY, WON, Position, unfinished

WON_BY_ENGINE, DRAWN, LOST = "won", "drawn", "lost"


@dataclass(frozen=True)
class Seat:
    """All games of an engine from one seat."""

    first: bool
    """Whether the engine moves first."""
    games: Counter[tuple[str, int]]
    """How many games there are, by result (`won`, `drawn`, `lost`) and length in plies."""
    win_chance: Fraction
    losing_line: tuple[int, ...] | None
    """The cells of a shortest game that the engine loses, if there is one."""

    def count(self, result: str) -> int:
        """How many games have this result."""
        return sum(number for (kind, _), number in self.games.items() if kind == result)

    @property
    def total(self) -> int:
        """How many games there are."""
        return self.games.total()

    @property
    def plies(self) -> tuple[int, int]:
        """The lengths of the shortest and the longest game."""
        lengths = [ply for _, ply in self.games]
        return min(lengths), max(lengths)


@dataclass(frozen=True)
class Proof:
    """What is proved of an engine by playing every game against it."""

    seats: tuple[Seat, Seat]
    """Moving first, then moving second."""
    value_losing_positions: int
    """In how many of the 4,520 unfinished positions it might play a move that gives value away."""

    @property
    def never_loses(self) -> bool:
        """Whether it loses no game, from either seat."""
        return not any(seat.count(LOST) for seat in self.seats)


@dataclass
class _Outcome:
    """What follows from a position, whoever is to move."""

    games: Counter[tuple[str, int]] = field(default_factory=Counter)
    chance: Fraction = Fraction(0)
    loss: tuple[int, ...] | None = None

    def add(self, cell: int, after: _Outcome, chance: Fraction) -> None:
        self.games.update(after.games)
        self.chance += chance * after.chance
        if after.loss is not None and (self.loss is None or len(after.loss) + 1 < len(self.loss)):
            self.loss = (cell, *after.loss)


def prove(engine: Engine) -> Proof:
    """Play an engine against everything, from both seats, and ask it in every position."""
    replies = {position: engine.reply(position).cells for position in unfinished()}
    value_losing_positions = sum(
        not set(cells) <= set(solver.value_preserving_moves(position))
        for position, cells in replies.items()
    )

    @cache
    def outcome(position: Position, engine_moves: bool) -> _Outcome:
        found = _Outcome()
        if WON[position.other]:
            # Who is to move has lost.
            found.games[(LOST if engine_moves else WON_BY_ENGINE, position.ply)] = 1
            found.chance = Fraction(not engine_moves)
            found.loss = () if engine_moves else None
        elif position.over:
            found.games[(DRAWN, position.ply)] = 1
        else:
            cells = replies[position] if engine_moves else position.free
            for cell in cells:
                after = outcome(position.play(cell), not engine_moves)
                found.add(cell, after, Fraction(1, len(cells)))
        return found

    def seat(first: bool) -> Seat:
        found = outcome(EMPTY, first)
        return Seat(first, found.games, found.chance, found.loss)

    return Proof((seat(True), seat(False)), value_losing_positions)
