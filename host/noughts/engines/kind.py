"""Playing to lose: against random play, no way to play loses more often.

Hard is measured against an opponent who plays every free cell with equal chances, and so is this.
Of moves that lose equally often it plays one that wins least often: a draw is kinder than a win.

Where nothing can lose the game any more, it says that it cannot be helped.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from typing import NamedTuple

from noughts.game.engine import Reply
from noughts.game.positions import WON, Position, canonical


class _Prospect(NamedTuple):
    """How likely it loses and draws if it plays on like this; the greater, the better for it."""

    loss: Fraction
    draw: Fraction


_LOST = _Prospect(Fraction(1), Fraction(0))
_DRAWN = _Prospect(Fraction(0), Fraction(1))
_WON = _Prospect(Fraction(0), Fraction(0))


@cache
def _to_move(position: Position) -> _Prospect:
    """When it is to move in a canonical position."""
    if position.over:
        return _LOST if WON[position.other] else _DRAWN
    return max(_moved(canonical(position.play(cell))) for cell in position.free)


@cache
def _moved(position: Position) -> _Prospect:
    """When it has moved, and the other plays any free cell."""
    if position.over:
        return _WON if WON[position.other] else _DRAWN
    after = [_to_move(canonical(position.play(cell))) for cell in position.free]
    return _Prospect(*(sum(shares) / len(after) for shares in zip(*after, strict=True)))


class Kind:
    """Plays to lose."""

    name = "kind"
    about = "plays to lose"
    perfect = False

    def reply(self, position: Position) -> Reply:
        """The first of the moves that lose most often."""
        prospects = {cell: _moved(canonical(position.play(cell))) for cell in position.free}
        cell = max(prospects, key=lambda cell: prospects[cell])
        helped = prospects[cell].loss > 0
        other = "OX"[position.ply % 2]
        remark = "" if helped else f"It cannot be helped: nothing lets {other} win now."
        return Reply((cell,), remark=remark)
