"""What play comes to: one walk through all the games that two players may play.

A walk is seen by one player, "me". It goes from the ends of games back to any position, and finds
each position once. What it finds is the caller's: a chance, a count, a line of moves. Nothing is
sampled. Whoever resigns has lost.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from typing import Any, NamedTuple, TypeVar

from noughts.game.engine import Engine
from noughts.game.positions import EMPTY, WON, Position

Value = TypeVar("Value")

Moves = Callable[[Position], Iterable[tuple[int, float]]]
"""The cells that a player may play, and how likely each is in proportion; none: resigns."""

After = list[tuple[int, Any, Value]]
"""Each move from a position: its cell, its weight, and what it comes to."""


def any_cell(position: Position) -> list[tuple[int, float]]:
    """The moves of random play."""
    return [(cell, 1) for cell in position.free]


def walk(
    mine: Moves,
    theirs: Moves,
    end: Callable[[int, Position], Value],
    join: Callable[[bool, After[Value]], Value],
    same: Callable[[Position], Position] | None = None,
) -> Callable[[Position, bool], Value]:
    """What each position comes to, asked with whether it is my turn there.

    end: of a game, from its result (1, 0 or -1 for me) and its last position. join: of a position,
    from whether it is my turn, and each move. same: the position to look at instead, such as
    `canonical`; then only such positions are asked about.
    """

    @cache
    def found(position: Position, my_turn: bool) -> Value:
        moves = () if position.over else (mine if my_turn else theirs)(position)
        after = []
        for cell, weight in moves:
            following = position.play(cell)
            value = found(same(following) if same else following, not my_turn)
            after.append((cell, weight, value))
        if after:
            return join(my_turn, after)
        drawn = position.over and not WON[position.other]
        return end(0 if drawn else -1 if my_turn else 1, position)

    return found


def times(weight: Any, value: Any) -> Any:
    """The product, which takes long for fractions: most weights are 1."""
    return value if weight == 1 else value * weight


def mean(after: After[Any]) -> Any:
    """The mean of the numbers that moves come to, by their weights."""
    total = sum(weight for _, weight, _ in after)
    return sum(times(weight, value) for _, weight, value in after) / total


class Odds(NamedTuple):
    """How likely a player wins, draws and loses; together 1."""

    won: Any
    drawn: Any
    lost: Any


def mean_odds(_my_turn: bool, after: After[Odds]) -> Odds:
    """The mean of the odds that moves come to, for either player."""
    won = drawn = lost = total = 0
    for _, weight, odds in after:
        total += weight
        won += odds.won * weight
        drawn += odds.drawn * weight
        lost += odds.lost * weight
    return Odds(won / total, drawn / total, lost / total)


def end_odds(number: Callable[[bool], Any]) -> Callable[[int, Position], Odds]:
    """The odds at the end of a game, as numbers of this type: `float`, or `Fraction` if exact."""
    ends = {each: Odds(*(number(each == result) for result in (1, 0, -1))) for each in (1, 0, -1)}
    return lambda result, _: ends[result]


def odds(
    mine: Engine,
    theirs: Engine,
    first: bool = True,
    number: Callable[[bool], Any] = float,
) -> Odds:
    """What comes of a game between two engines, for `mine`, which moves first or second.

    number: `Fraction` for exact odds. Only the positions that they reach are asked about.

    >>> from noughts.engines.levels import Random
    >>> round(odds(Random(), Random()).won, 4)
    0.5849
    """
    return walk(
        lambda position: mine.reply(position).weighted(),
        lambda position: theirs.reply(position).weighted(),
        end_odds(number),
        mean_odds,
    )(EMPTY, first)
