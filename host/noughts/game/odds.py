"""Exact values of all games that two players may play: chances, counts, lines of moves.

Backward induction goes through these games without sampling. It works backwards from the ends,
visits each position once, and takes the view of one player, "me". The caller decides what it
computes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from functools import cache
from math import lcm
from typing import NamedTuple, TypeVar, cast

from noughts.game.engine import Replies
from noughts.game.positions import EMPTY, WON, Position

Value = TypeVar("Value")
Chance = float | Fraction
"""A `Fraction` where it has to be exact."""
Number = TypeVar("Number", bound=Chance)

Moves = Callable[[Position], Iterable[tuple[int, float]]]
"""The cells that a player may play, each with a weight; none if the player resigns."""

MoveValues = Sequence[tuple[int, float, Value]]
"""Of each move from a position: its cell, its weight, and the value after it."""


def random_play(position: Position) -> list[tuple[int, float]]:
    """The moves of a player who plays every free cell equally often."""
    return [(cell, 1) for cell in position.free]


def backward_induction(
    mine: Moves,
    theirs: Moves,
    end: Callable[[int, Position], Value],
    join: Callable[[bool, MoveValues[Value]], Value],
    representative: Callable[[Position], Position] = lambda position: position,
) -> Callable[[Position, bool], Value]:
    """A function that gives the value of a position, for my turn or my opponent's.

    end: the value of a finished game, from its result (1, 0 or -1 for me) and its last position.
    join: the value of a position, from whether it is my turn, and from its moves. representative:
    gives the position that stands for another, such as `canonical`; the function then takes only
    these.
    """

    @cache
    def value_of(position: Position, my_turn: bool) -> Value:
        moves = () if position.over else (mine if my_turn else theirs)(position)
        move_values = [
            (cell, weight, value_of(representative(position.play(cell)), not my_turn))
            for cell, weight in moves
        ]
        if move_values:
            return join(my_turn, move_values)
        is_draw = position.over and not WON[position.other]
        return end(0 if is_draw else -1 if my_turn else 1, position)

    return value_of


def mean(_my_turn: bool, move_values: MoveValues[Number]) -> Number:
    """The mean of the values of moves, by their weights; those of fractions are whole numbers."""
    total = sum(weight for _, weight, _ in move_values)
    *_, value = move_values[0]
    if isinstance(value, Fraction):
        return cast("Number", _mean_fraction(cast("MoveValues[Fraction]", move_values), int(total)))
    return cast("Number", sum(value * weight for _, weight, value in move_values) / total)


def _mean_fraction(move_values: MoveValues[Fraction], total: int) -> Fraction:
    """The same for fractions, which are slow to add: each sum is reduced."""
    common = lcm(*(value.denominator for *_, value in move_values))
    parts = (
        int(weight) * value.numerator * (common // value.denominator)
        for _, weight, value in move_values
    )
    return Fraction(sum(parts), common * total)


def best_or_mean(my_turn: bool, move_values: MoveValues[Number]) -> Number:
    """The greatest value of my moves, but the mean of my opponent's."""
    return max(value for *_, value in move_values) if my_turn else mean(my_turn, move_values)


class Odds(NamedTuple):
    """The chances that a player wins, draws and loses; their sum is 1."""

    won: Chance
    drawn: Chance
    lost: Chance


def mean_odds(my_turn: bool, move_values: MoveValues[Odds]) -> Odds:
    """The mean of the odds after moves, by their weights."""
    parts = (
        [(cell, weight, odds[part]) for cell, weight, odds in move_values] for part in range(3)
    )
    return Odds(*(mean(my_turn, part) for part in parts))


def end_odds(number: Callable[[bool], Chance]) -> Callable[[int, Position], Odds]:
    """The odds at the end of a game, as numbers of this type, `float` or `Fraction`."""
    return lambda result, _: Odds(*(number(result == outcome) for outcome in (1, 0, -1)))


def odds(
    mine: Replies, theirs: Replies, first: bool = True, number: Callable[[bool], Chance] = float
) -> Odds:
    """The odds of a game between two engines' replies, for `mine`, which moves first or second.

    number: `Fraction` for exact odds. The engines only see positions that they reach.

    >>> from noughts.engines.levels import Random
    >>> round(odds(Random().reply, Random().reply).won, 4)
    0.5849
    """
    return backward_induction(
        lambda position: mine(position).weighted(),
        lambda position: theirs(position).weighted(),
        end_odds(number),
        mean_odds,
    )(EMPTY, first)
