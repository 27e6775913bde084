"""Text laid out: rows in columns, and a board as a grid."""

from __future__ import annotations

from collections.abc import Container, Sequence
from itertools import zip_longest

from noughts.game.positions import Position


def columns(rows: Sequence[Sequence[str]], right: Container[int] = ()) -> list[str]:
    """A line for each row, its cells two blanks apart; `right` says which columns align right.

    >>> columns([("engine", "games"), ("hard", "1,000")], right=[1])
    ['engine  games', 'hard    1,000']
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(
            cell.rjust(width) if index in right else cell.ljust(width)
            for index, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]


def grid(labels: Sequence[str], marked: int | None = None) -> str:
    """Nine labels, one for each cell in reading order, in three columns of equal width.

    One of the cells may be marked: its label stands in square brackets.
    """
    width = max(1, *map(len, labels)) + 2
    cells = [
        (f"[{label}]" if cell == marked else label).center(width)
        for cell, label in enumerate(labels)
    ]
    rule = "\n" + "+".join(["-" * width] * 3) + "\n"
    return rule.join("|".join(cells[at : at + 3]).rstrip() for at in (0, 3, 6))


def beside(blocks: Sequence[str], gap: int = 4) -> str:
    r"""Blocks of lines, each beside the one before.

    >>> print(beside(["a\nbb", "c"], gap=2))
    a   c
    bb
    """
    lines = [block.split("\n") for block in blocks]
    widths = [max(map(len, block)) + gap for block in lines]
    rows = zip_longest(*lines, fillvalue="")
    return "\n".join(
        "".join(part.ljust(width) for part, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    )


def board(position: Position, free: dict[int, str], last: int | None = None) -> str:
    """A position's marks, a label in each free cell that has one, and the last move marked."""
    marks = str(position)
    labels = [free.get(cell, "") if marks[cell] == "." else marks[cell] for cell in range(9)]
    return grid(labels, last)
