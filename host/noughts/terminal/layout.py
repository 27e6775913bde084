"""Text laid out: the players' colours, rows in columns, a board as a grid, a replay's step.

A is blue and B is orange, of the set that Okabe and Ito chose for all kinds of colour vision:
https://jfly.uni-koeln.de/color/. Wherever they stand, a letter or a sign says the same.
"""

import os
import sys
from collections.abc import Container, Mapping, Sequence
from itertools import zip_longest

from rich.text import Text

from noughts.game.positions import LINES, Position
from noughts.store.stored_game import StoredGame
from noughts.views.replay import ReplayStep
from noughts.views.table import Table

_FALLING, _RISING = 6, 7
"""The diagonals among the eight lines."""
PLAYERS = {"A": "bold #56b4e9", "B": "bold #e69f00"}


def is_plain() -> bool:
    """Whether the terminal takes ASCII only.

    Python itself writes UTF-8 in the locale C, where terminals need not know it.
    """
    locale = os.environ.get("LC_ALL") or os.environ.get("LC_CTYPE") or os.environ.get("LANG", "")
    return locale in ("C", "POSIX") or "utf" not in (sys.stdout.encoding or "").lower()


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


def table(found: Table, without: Container[str] = ()) -> list[str]:
    """The titles and rows of a table in columns; without: the keys of columns to leave out."""
    shown = [at for at, column in enumerate(found.columns) if column.key not in without]
    titles = [column.title for column in found.columns]
    rows = [[row[at] for at in shown] for row in (titles, *found.shown("-"))]
    right = [to for to, at in enumerate(shown) if found.columns[at].type == "number"]
    return columns(rows, right)


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


def mark_rows(marks: Mapping[int, str], marked: Container[int]) -> list[Text]:
    """The marks of A and B, by cell, in three rows; those in the cells `marked` stand out."""
    cells = [Text("·", "dim") for _ in range(9)]
    for cell, player in marks.items():
        cells[cell] = Text(player, PLAYERS[player] + " reverse" * (cell in marked))
    return [Text(" ").join(cells[row : row + 3]) for row in (0, 3, 6)]


def step(shown: ReplayStep) -> Text:
    """How things stand after a move, and what to say of it."""
    made = Text(shown.made)
    for player, style in PLAYERS.items():
        made.highlight_regex(f"(?<=: ){player}", style)
    text = _board(shown).append("\n\n").append_text(made).append("\n")
    text.append(shown.verdict, "bold red" if shown.mistake else "")
    text.append(f" {shown.better}\n" if shown.better else "\n")
    return text.append(shown.ending, "bold")


def _board(shown: ReplayStep) -> Text:
    """The marks; next to them the scores of rows and diagonals, below those of columns."""
    cells = [Text(f" {cell + 1} ", "dim") for cell in range(9)]
    for cell, player in shown.players.items():
        marked = cell == shown.last or cell in shown.line
        cells[cell] = Text(f" {player} ", PLAYERS[player] + " reverse" * marked)
    rows = [Text("|").join(cells[first : first + 3]) for first in (0, 3, 6)]
    scores = [
        Text(f"{line.score:+d} " if line.score else " 0 ", "bold" if line.full else "")
        for line in shown.scores
    ]

    def named(line: int) -> Text:
        numbers = " ".join(str(cell + 1) for cell in LINES[line])
        name = "row" if line < _FALLING else "diagonal"
        return Text.assemble(scores[line], (f"  {name} {numbers}\n", "dim"))

    rule = "---+---+---\n"
    return Text.assemble(
        " " * 15, named(_RISING),
        rows[0], "    ", named(3), rule,
        rows[1], "    ", named(4), rule,
        rows[2], "    ", named(5), "\n",
        Text(" ").join(scores[:3]), "    ", named(_FALLING), ("columns", "dim"),
    )  # fmt: skip


def wait_s(game: StoredGame, plies: int, speed: float) -> float:
    """Seconds until the next move, at so many times the speed at which it was played."""
    thought_ms = game.thought_ms[plies] if plies < len(game.thought_ms) else None
    return (1000 if thought_ms is None else max(0, thought_ms)) / 1000 / speed
