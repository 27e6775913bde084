"""What a move is called afterwards, with the marks that chess players know.

best   of the moves that keep the value, one that wins most often against random play
       (nothing)  keeps the value, and nearly as good a chance
?!     keeps the value, but of the chance to win against random play it loses a tenth or more
?      turns a win into a draw, or a draw into a loss
??     turns a win into a loss

A tenth is where moves part: of those that keep the value and are not the best, a seventh lose less,
mostly 1 to 8 %, and the others mostly a third or more.
"""

from __future__ import annotations

from enum import Enum
from fractions import Fraction

from noughts.game import solver
from noughts.game.positions import WON, Position
from noughts.game.review import Reviewed

NOTICEABLE = Fraction(1, 10)
"""Of the chance to win against random play."""


class Verdict(Enum):
    """A move's; the value is its mark, `best` or empty."""

    BEST = "best"
    GOOD = ""
    INACCURACY = "?!"
    MISTAKE = "?"
    BLUNDER = "??"


def verdict(move: Reviewed) -> Verdict:
    """What a reviewed move is called."""
    if move.worth - move.kept == 2:
        return Verdict.BLUNDER
    if move.mistake:
        return Verdict.MISTAKE
    if move.cell in move.best:
        return Verdict.BEST
    return Verdict.INACCURACY if chance_lost(move) >= NOTICEABLE else Verdict.GOOD


def chance_lost(move: Reviewed) -> Fraction:
    """How much likelier the best move wins against random play than one that keeps the value."""
    return chance(move.before, move.best[0]) - chance(move.before, move.cell)


def chance(position: Position, cell: int) -> Fraction:
    """How likely the mover wins with this move against random play, playing well from then on.

    >>> from noughts.game.positions import EMPTY
    >>> chance(EMPTY, 0), chance(EMPTY, 4)
    (Fraction(191, 192), Fraction(95, 96))
    """
    after = position.play(cell)
    if WON[after.other]:
        return Fraction(1)
    if after.over:
        return Fraction(0)
    replies = [after.play(reply) for reply in after.free]
    return sum(map(solver.win_chance_from, replies), Fraction(0)) / len(replies)
