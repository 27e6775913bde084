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
from noughts.game.engine import Engine, Reply
from noughts.game.odds import MoveValues, backward_induction, best_or_mean, mean, random_play
from noughts.game.positions import EMPTY, Position, unfinished
from noughts.markup import table_html

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
        """`first` or `second`: when the engine moves."""
        return "first" if self.first else "second"

    @property
    def total(self) -> int:
        """How many games there are."""
        return self.games.total()

    @property
    def plies(self) -> tuple[int, int]:
        """The lengths of the shortest and the longest game, in plies."""
        lengths = [ply for _, ply in self.games]
        return min(lengths), max(lengths)

    def count(self, result: str) -> int:
        """How many games end so, by one of `RESULTS`."""
        return sum(number for (outcome, _), number in self.games.items() if outcome == result)


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
        """Whether the engine loses none of these games."""
        return not any(seat.count("lost") for seat in self.seats)

    def _repr_html_(self) -> str:
        rows = [
            (f"moving {seat.order}", *(f"{seat.count(result):,}" for result in RESULTS))
            for seat in self.seats
        ]
        return table_html(("games", *RESULTS), rows)


def prove(engine: Engine, on_answer: Callable[[], object] = lambda: None) -> Proof:
    """Ask an engine in every position, and play it against everything, moving first and second.

    on_answer: called after each answer.
    """
    replies: dict[Position, Reply] = {}
    varies = None
    # An engine that varies is asked twice, first about all positions: it may change over time.
    for position in [*unfinished()] * (2 if engine.may_vary else 1):
        reply = engine.reply(position)
        on_answer()
        first_reply = replies.setdefault(position, reply)
        if set(reply.cells) != set(first_reply.cells):
            varies = varies or (position, first_reply, reply)
            replies[position] = Reply(tuple(dict.fromkeys(first_reply.cells + reply.cells)))
    value_losing_positions = sum(
        not reply.cells or not {*reply.cells} <= {*solver.value_preserving_moves(position)}
        for position, reply in replies.items()
    )
    seat_of = backward_induction(
        lambda position: replies[position].weighted(), random_play, _end, _joined
    )
    first, second = (replace(seat_of(EMPTY, first), first=first) for first in (True, False))
    return Proof((first, second), value_losing_positions, replies, varies)


def _end(result: int, position: Position) -> Seat:
    """All games from an end: this one."""
    won, lost = Fraction(result > 0), Fraction(result < 0)
    no_more_moves = () if lost else None
    return Seat(
        first=True,  # until it is known
        games=Counter([(RESULTS[1 - result], position.ply)]),
        win_chance=won,
        loss_chance=lost,
        greatest_loss_chance=lost,
        likeliest_loss=no_more_moves,
        likeliest_loss_chance=lost,
        losing_line=no_more_moves,
    )


def _joined(engine_moves: bool, move_values: MoveValues[Seat]) -> Seat:
    """All games from a position, from those after each of its moves."""

    def part(field: str) -> MoveValues[Fraction]:
        return [(cell, weight, getattr(seat, field)) for cell, weight, seat in move_values]

    games: Counter[tuple[str, int]] = Counter()
    for *_, seat in move_values:
        for ending, count in seat.games.items():
            games[ending] += count
    losing_lines = [
        (cell, *seat.losing_line) for cell, _, seat in move_values if seat.losing_line is not None
    ]
    # The engine draws its moves; an opponent who knows its chances plays only the best ones.
    greatest = best_or_mean(not engine_moves, part("greatest_loss_chance"))
    losses = [
        (int(weight) * seat.likeliest_loss_chance, (cell, *seat.likeliest_loss))
        for cell, weight, seat in move_values
        if seat.likeliest_loss is not None
        and (engine_moves or seat.greatest_loss_chance == greatest)
    ]
    share, likeliest_loss = max(losses, key=lambda loss: loss[0], default=(Fraction(0), None))
    total_weight = sum(int(weight) for _, weight, _ in move_values) if engine_moves else 1
    return Seat(
        first=True,  # until it is known
        games=games,
        win_chance=mean(engine_moves, part("win_chance")),
        loss_chance=mean(engine_moves, part("loss_chance")),
        greatest_loss_chance=greatest,
        likeliest_loss=likeliest_loss,
        likeliest_loss_chance=share / total_weight,
        losing_line=min(losing_lines, key=len, default=None),
    )
