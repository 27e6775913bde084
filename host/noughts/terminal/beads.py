"""A box of MENACE in text: the position on it, and its beads where they play."""

from __future__ import annotations

import textwrap

from noughts.engines.menace import Menace, alike
from noughts.game.positions import Position
from noughts.protocol.describe import counted
from noughts.terminal.layout import board

_DRAWN = 5
"""Beads; of more, the number says how many."""
_WIDTH = 80
_UNBROKEN = "\N{NO-BREAK SPACE}"


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
    return f"{board(position, labels)}\n\n{textwrap.fill(said, _WIDTH).replace(_UNBROKEN, ' ')}"


def _label(count: int, plain: bool) -> str:
    sign = "o" if plain else "●"
    return f"{count:,} {sign * min(count, _DRAWN)}{'+' * (count > _DRAWN)}".rstrip()
