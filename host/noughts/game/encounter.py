"""What two engines come to against each other, exactly: nothing is sampled."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cache

from noughts.game.engine import Engine
from noughts.game.positions import EMPTY, WON, Position


@dataclass(frozen=True)
class Chances:
    """How likely an engine wins, draws and loses; together they are 1."""

    won: Fraction
    drawn: Fraction
    lost: Fraction


def encounter(one: Engine, other: Engine) -> tuple[Chances, Chances]:
    """What `one` comes to against `other`, moving first and moving second.

    Who resigns has lost. Only the positions that they reach are asked about.
    """
    replies = {mine: cache(engine.reply) for mine, engine in ((True, one), (False, other))}

    @cache
    def chances(position: Position, mine: bool) -> Chances:
        if WON[position.other]:
            return Chances(Fraction(not mine), Fraction(0), Fraction(mine))
        if position.over:
            return Chances(Fraction(0), Fraction(1), Fraction(0))
        played = replies[mine](position).chances()
        if not played:
            return Chances(Fraction(not mine), Fraction(0), Fraction(mine))
        after = [(chance, chances(position.play(cell), not mine)) for cell, chance in played]
        return Chances(
            *(
                sum((chance * getattr(each, kind) for chance, each in after), Fraction(0))
                for kind in ("won", "drawn", "lost")
            )
        )

    return chances(EMPTY, True), chances(EMPTY, False)
