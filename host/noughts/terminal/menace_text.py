"""What `noughts train` prints of MENACE: its boxes, and how often it wins, draws and loses.

100% |          ....
     |   .::::::::::
     |..:::#########
  0% |##############
     +--------------
      0        500 games
"""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import NamedTuple

from noughts.engines.menace import Menace, alike
from noughts.game.positions import Position
from noughts.protocol.describe import counted
from noughts.terminal.layout import board

_WIDTH, _HEIGHT = 60, 10
_SIGNS = "█▒·"
"""Won, drawn, lost, from the bottom up; in ASCII others."""
_PLAIN = "#:."
_DRAWN = 5
"""Beads; of more, the number says how many."""
_COLUMNS = 80
_UNBROKEN = "\N{NO-BREAK SPACE}"


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


def box(menace: Menace, position: Position, plain: bool) -> str:
    """The box for a position, turned as the position is; plain: in ASCII."""
    mover = "XO"[position.ply % 2]
    beads = menace.beads(position)
    if beads is None:
        (cell,) = position.free
        return (
            f"{board(position, {cell: str(cell + 1)})}\n\n"
            f"There is no box for this position: {mover} has one move, cell {cell + 1}."
        )
    slots = alike(position)
    first = {slot: cell for cell, slot in reversed(list(slots.items()))}
    labels = {
        cell: _label(count, plain) if first[slots[cell]] == cell else f"as {first[slots[cell]] + 1}"
        for cell, count in beads.items()
    }
    total = sum(beads.values())
    if not total:
        said = f"This box is empty: {menace.name} resigns, as {mover}."
    else:
        chances = ", ".join(
            f"{cell + 1}{_UNBROKEN}with{_UNBROKEN}{count / total:.1%}"
            for cell, count in beads.items()
            if count
        )
        said = f"{mover} to move draws one of {counted(total, 'bead')}: it plays {chances}."
    return f"{board(position, labels)}\n\n{textwrap.fill(said, _COLUMNS).replace(_UNBROKEN, ' ')}"


def _label(count: int, plain: bool) -> str:
    sign = "o" if plain else "●"
    return f"{count:,} {sign * min(count, _DRAWN)}{'+' * (count > _DRAWN)}".rstrip()
