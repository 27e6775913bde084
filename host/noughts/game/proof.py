"""An engine's exact results against every sequence of its opponent's moves.

If an engine plays one of several cells, each of them is followed, with its chance.

A proof about an engine that varies holds for the answers that it has given, not for all that it
may give. So it is asked twice, and each of its answers counts as a possible one.
"""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction

from noughts.game import solver
from noughts.game.board import table_html
from noughts.game.engine import After, Engine, Reply, any_cell, best_or_mean, mean, walk
from noughts.game.positions import EMPTY, Position, unfinished

RESULTS = "won", "drawn", "lost"


@dataclass(frozen=True)
class Seat:
    """All games of an engine that moves first, or second."""

    first: bool
    games: Counter[tuple[str, int]]
    """How many games there are, by result, one of `RESULTS`, and length in plies."""
    win_chance: Fraction
    """Against random play."""
    loss_chance: Fraction
    """Against random play."""
    greatest_loss_chance: Fraction
    """Against an opponent who knows the engine's chances, and plays to win."""
    likeliest_loss: tuple[int, ...] | None
    """The cells of the game by which that opponent wins most often; None if it never wins."""
    likeliest_loss_chance: Fraction
    """The share of this game in all games with that opponent."""
    losing_line: tuple[int, ...] | None
    """The cells of a shortest game that the engine loses, perhaps by resigning; None if it never
    loses."""

    @property
    def order(self) -> str:
        return "first" if self.first else "second"

    @property
    def total(self) -> int:
        return self.games.total()

    @property
    def plies(self) -> tuple[int, int]:
        lengths = [ply for _, ply in self.games]
        return min(lengths), max(lengths)

    def count(self, result: str) -> int:
        return sum(number for (kind, _), number in self.games.items() if kind == result)


@dataclass(frozen=True)
class Proof:
    """The result of playing every game against an engine."""

    seats: tuple[Seat, Seat]
    """Moving first, then moving second."""
    value_losing_positions: int
    """In how many of the 4,520 unfinished positions it might give value away."""
    replies: Mapping[Position, Reply] = field(repr=False)
    """Its answers in these positions."""
    varies: tuple[Position, Reply, Reply] | None
    """The first position to which it gave two answers, and these."""

    @property
    def never_loses(self) -> bool:
        return not any(seat.count("lost") for seat in self.seats)

    def _repr_html_(self) -> str:
        rows = [
            (f"moving {seat.order}", *(f"{seat.count(result):,}" for result in RESULTS))
            for seat in self.seats
        ]
        return table_html(("games", *RESULTS), rows)


def prove(engine: Engine, asked: Callable[[], object] = lambda: None) -> Proof:
    """Ask an engine in every position, and play it against everything, moving first and second.

    asked: called after each answer.
    """
    replies: dict[Position, Reply] = {}
    varies = None
    for position in [*unfinished()] * (2 if engine.may_vary else 1):
        reply = engine.reply(position)
        asked()
        before = replies.setdefault(position, reply)
        if set(reply.cells) != set(before.cells):
            varies = varies or (position, before, reply)
            replies[position] = Reply(tuple(dict.fromkeys(before.cells + reply.cells)))
    value_losing_positions = sum(
        not reply.cells or not {*reply.cells} <= {*solver.value_preserving_moves(position)}
        for position, reply in replies.items()
    )
    found = walk(lambda position: replies[position].weighted(), any_cell, _end, _joined)
    first, second = (replace(found(EMPTY, first), first=first) for first in (True, False))
    return Proof((first, second), value_losing_positions, replies, varies)


def _end(result: int, at: Position) -> Seat:
    games = Counter([(RESULTS[1 - result], at.ply)])
    won, lost = Fraction(result > 0), Fraction(result < 0)
    line = () if lost else None
    return Seat(True, games, won, lost, lost, line, lost, line)


def _joined(engine_moves: bool, after: After[Seat]) -> Seat:
    def part(field: str) -> After[Fraction]:
        return [(cell, weight, getattr(each, field)) for cell, weight, each in after]

    games: Counter[tuple[str, int]] = sum((each.games for *_, each in after), Counter())
    losing = [(cell, *each.losing_line) for cell, _, each in after if each.losing_line is not None]
    greatest = best_or_mean(not engine_moves, part("greatest_loss_chance"))
    likeliest = [
        (weight * each.likeliest_loss_chance, (cell, *each.likeliest_loss))
        for cell, weight, each in after
        if each.likeliest_loss is not None
        and (engine_moves or each.greatest_loss_chance == greatest)
    ]
    likely, line = max(likeliest, key=lambda game: game[0], default=(Fraction(0), None))
    total = sum(weight for _, weight, _ in after) if engine_moves else 1
    return Seat(
        True,  # until it is known
        games,
        mean(engine_moves, part("win_chance")),
        mean(engine_moves, part("loss_chance")),
        greatest,
        line,
        likely / total,
        min(losing, key=len, default=None),
    )
