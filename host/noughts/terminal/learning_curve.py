"""How an engine learns, drawn in text: after how many games it wins, draws and loses how often.

100% |          ....
     |   .::::::::::
     |..:::#########
  0% |##############
     +--------------
      0        500 games
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from noughts.protocol.describe import counted

_WIDTH, _HEIGHT = 60, 10
_SIGNS = "█▒·"
"""Won, drawn, lost, from the bottom up; in ASCII others."""
_PLAIN = "#:."


class Learned(NamedTuple):
    """How likely an engine wins, draws and loses after so many games."""

    games: int
    won: float
    drawn: float
    lost: float


def drawn(curve: Sequence[Learned], plain: bool) -> str:
    """The curve as lines of at most 80 columns, and what its signs mean; plain: in ASCII."""
    signs = _PLAIN if plain else _SIGNS
    columns = [_column(_nearest(curve, at), signs) for at in range(_WIDTH)]
    labels = {_HEIGHT - 1: "100%", 0: "0%"}
    lines = [
        f"{labels.get(row, ''):>4} |" + "".join(column[row] for column in columns)
        for row in reversed(range(_HEIGHT))
    ]
    first, last = f"{curve[0].games:,}", counted(curve[-1].games, "game")
    lines.append("     +" + "-" * _WIDTH)
    lines.append(f"      {first}{last:>{_WIDTH - len(first)}}")
    meanings = zip(signs, ("wins", "draws", "loses"), strict=True)
    lines.append("      " + "   ".join(f"{sign} {meaning}" for sign, meaning in meanings))
    return "\n".join(lines)


def _nearest(curve: Sequence[Learned], column: int) -> Learned:
    return curve[round(column * (len(curve) - 1) / (_WIDTH - 1))]


def _column(learned: Learned, signs: str) -> str:
    """From the bottom up."""
    won = round(learned.won * _HEIGHT)
    drawn = round((learned.won + learned.drawn) * _HEIGHT) - won
    return (signs[0] * won + signs[1] * drawn).ljust(_HEIGHT, signs[2])
