"""What an engine's play comes to, exactly: against every sequence of its opponent's moves.

Nothing is sampled. A game is a sequence of moves; where an engine plays any of several cells, each
of them is followed. Chances are exact, and the engine's own choices have the chances that it gives
them. An engine that resigns has lost.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache
from typing import NamedTuple

from noughts.game import solver
from noughts.game.engine import Engine
from noughts.game.match import winner
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
    """Against an opponent who plays every free cell with equal chances."""
    loss_chance: Fraction
    """Against the same opponent."""
    greatest_loss_chance: Fraction
    """Against an opponent who knows all chances of the engine, and plays to win."""
    likeliest_loss: tuple[int, ...] | None
    """The cells of the game by which that opponent wins most often, if it ever does."""
    likeliest_loss_chance: Fraction
    """In how many of its games with that opponent this is the one."""
    losing_line: tuple[int, ...] | None
    """The cells of a shortest game that the engine loses, if there is one; it may end with its
    resignation."""

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
    win: Fraction = Fraction(0)
    loss: Fraction = Fraction(0)
    greatest_loss: Fraction = Fraction(0)
    likeliest_loss: tuple[Fraction, tuple[int, ...]] = (Fraction(0), ())
    """Among the games of that opponent: its chance, and its cells."""
    losing_line: tuple[int, ...] | None = None

    def add(self, cell: int, after: _Outcome, chance: Fraction) -> None:
        self.games.update(after.games)
        self.win += chance * after.win
        self.loss += chance * after.loss
        line = after.losing_line
        if line is not None and (self.losing_line is None or len(line) + 1 < len(self.losing_line)):
            self.losing_line = (cell, *line)


def prove(engine: Engine) -> Proof:
    """Play an engine against everything, from both seats, and ask it in every position."""
    replies = {position: engine.reply(position) for position in unfinished()}
    value_losing_positions = sum(
        not reply.cells or not set(reply.cells) <= set(solver.value_preserving_moves(position))
        for position, reply in replies.items()
    )

    @cache
    def outcome(position: Position, engine_moves: bool) -> _Outcome:
        found = _Outcome()
        if WON[position.other] or (
            engine_moves and not position.over and not replies[position].cells
        ):
            # Who is to move has lost.
            found.games[(LOST if engine_moves else WON_BY_ENGINE, position.ply)] = 1
            found.win = Fraction(not engine_moves)
            found.loss = found.greatest_loss = Fraction(engine_moves)
            found.likeliest_loss = Fraction(engine_moves), ()
            found.losing_line = () if engine_moves else None
        elif position.over:
            found.games[(DRAWN, position.ply)] = 1
        elif engine_moves:
            for cell, chance in replies[position].chances():
                after = outcome(position.play(cell), False)
                found.add(cell, after, chance)
                found.greatest_loss += chance * after.greatest_loss
                likely, line = after.likeliest_loss
                if chance * likely > found.likeliest_loss[0]:
                    found.likeliest_loss = chance * likely, (cell, *line)
        else:
            for cell in position.free:
                after = outcome(position.play(cell), True)
                found.add(cell, after, Fraction(1, len(position.free)))
                likely, line = after.likeliest_loss
                if (after.greatest_loss, likely) > (found.greatest_loss, found.likeliest_loss[0]):
                    found.greatest_loss = after.greatest_loss
                    found.likeliest_loss = likely, (cell, *line)
        return found

    def seat(first: bool) -> Seat:
        found = outcome(EMPTY, first)
        return Seat(
            first,
            found.games,
            found.win,
            found.loss,
            found.greatest_loss,
            found.likeliest_loss[1] if found.greatest_loss else None,
            found.likeliest_loss[0],
            found.losing_line,
        )

    return Proof((seat(True), seat(False)), value_losing_positions)


class Odds(NamedTuple):
    """How likely a game ends how, for the engine that moves first; together 1."""

    won: float
    drawn: float
    lost: float


def odds(first: Engine, second: Engine) -> Odds:
    """What comes of a game between two engines: over all games that they may play, not a sample.

    >>> from noughts.engines.random_engine import Random
    >>> round(odds(Random(), Random()).won, 4)
    0.5849
    """

    @cache
    def outcome(position: Position) -> Odds:
        reply = None if position.over else (first, second)[position.ply % 2].reply(position)
        if reply is None or not reply.cells:
            result = winner(position)
            return Odds(result > 0, result == 0, result < 0)
        weights = reply.weights or (1,) * len(reply.cells)
        won = drawn = lost = 0.0
        for cell, weight in zip(reply.cells, weights, strict=True):
            after = outcome(position.play(cell))
            won += weight * after.won
            drawn += weight * after.drawn
            lost += weight * after.lost
        total = sum(weights)
        return Odds(won / total, drawn / total, lost / total)

    return outcome(EMPTY)
