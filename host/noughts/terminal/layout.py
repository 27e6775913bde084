"""Plain text laid out: rows in columns, a board as a grid, blocks side by side."""

from collections.abc import Container, Sequence
from dataclasses import replace
from itertools import zip_longest
from textwrap import wrap

from noughts.game.positions import Position
from noughts.terminal.ascii_text import cell_width, is_plain
from noughts.views.table import Table

_MIN_NAME = 5
"""Columns of a name that are worth showing: an ellipsis, and four that differ."""


def columns(rows: Sequence[Sequence[str]], right: Container[int] = (), gap: int = 2) -> list[str]:
    """A line for each row; right: the columns that align right; gap: the blanks between columns.

    >>> columns([("engine", "games"), ("hard", "1,000")], right=[1])
    ['engine  games', 'hard    1,000']
    """
    widths = [max(map(cell_width, column)) for column in zip(*rows, strict=True)]
    lines = []
    for row in rows:
        cells = []
        for index, (text, width) in enumerate(zip(row, widths, strict=True)):
            padding = " " * (width - cell_width(text))
            cells.append(padding + text if index in right else text + padding)
        lines.append((" " * gap).join(cells).rstrip())
    return lines


def meanings(rows: Sequence[tuple[str, str]], width: int = 78) -> str:
    """Names and their meanings for a help text, whose lines begin below each other.

    >>> print(meanings([("csv", "for spreadsheets"), ("parquet", "for pandas")], width=24))
      csv      for
               spreadsheets
      parquet  for pandas
    """
    indent = max(len(name) for name, _ in rows) + 4
    lines = []
    for name, meaning in rows:
        first, *others = wrap(meaning, width - indent)
        lines += [f"  {name}".ljust(indent) + first, *(" " * indent + line for line in others)]
    return "\n".join(lines)


def table(content: Table, without: Container[str] = ()) -> list[str]:
    """The titles and rows of a table in columns; without: the keys of columns to leave out."""
    shown = [at for at, column in enumerate(content.columns) if column.key not in without]
    titles = [column.title for column in content.columns]
    rows = [[row[at] for at in shown] for row in (titles, *content.shown("-"))]
    right = [to for to, at in enumerate(shown) if content.columns[at].type == "number"]
    return columns(rows, right)


def with_short_names(content: Table, width: int) -> Table:
    """The table with the names in its last column cut at their beginnings, to fit this width."""
    too_long = max(map(cell_width, table(content))) - width
    names = [str(row[-1]) for row in content.rows]
    name_width = max(map(cell_width, names)) - too_long
    if too_long <= 0 or name_width < _MIN_NAME:
        return content
    rows = [
        (*row[:-1], cut_start(name, name_width))
        for row, name in zip(content.rows, names, strict=True)
    ]
    return replace(content, rows=rows)


def cut(line: str, width: int) -> str:
    """The line, cut to a terminal's width; an ellipsis shows that it was longer."""
    from rich.cells import set_cell_size

    if cell_width(line) <= width:
        return line
    ellipsis = "..." if is_plain() else "…"
    return set_cell_size(line, width - len(ellipsis)) + ellipsis


def cut_start(text: str, width: int) -> str:
    """Text cut at its beginning: paths and URLs differ at their ends."""
    if cell_width(text) <= width:
        return text
    start = len(text)
    while start and cell_width(text[start - 1 :]) < width:  # the ellipsis takes one column
        start -= 1
    return f"…{text[start:]}"


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


def side_by_side(blocks: Sequence[str], gap: int = 4) -> str:
    r"""Blocks of lines, side by side.

    >>> print(side_by_side(["a\nbb", "c"], gap=2))
    a   c
    bb
    """
    rows = zip_longest(*(block.split("\n") for block in blocks), fillvalue="")
    return "\n".join(columns(list(rows), gap=gap))


def board(position: Position, free: dict[int, str], last: int | None = None) -> str:
    """A position's marks, a label in each free cell that has one, and the last move marked."""
    marks = str(position)
    labels = [free.get(cell, "") if marks[cell] == "." else marks[cell] for cell in range(9)]
    return grid(labels, last)
