"""A board as text: nine labels in a grid."""

from __future__ import annotations

from collections.abc import Sequence

from noughts.game.positions import Position


def grid(labels: Sequence[str]) -> str:
    """Nine labels, one for each cell in reading order, in three columns of equal width."""
    width = max(1, *map(len, labels)) + 2
    rows = ["|".join(label.center(width) for label in labels[at : at + 3]) for at in (0, 3, 6)]
    rule = "\n" + "+".join(["-" * width] * 3) + "\n"
    return rule.join(row.rstrip() for row in rows)


def board(position: Position, free: dict[int, str]) -> str:
    """A position's marks, and a label in each free cell that has one."""
    marks = str(position)
    return grid([free.get(cell, "") if marks[cell] == "." else marks[cell] for cell in range(9)])
