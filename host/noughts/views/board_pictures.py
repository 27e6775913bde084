"""Boards as pages, reports and screens show them: marks, and words for screen readers."""

from dataclasses import dataclass

from noughts.game.board import Board
from noughts.game.positions import Position
from noughts.protocol.describe import CELLS

_SWAPPED = str.maketrans("XO", "OX")


@dataclass(frozen=True)
class Picture:
    """A small board, drawn."""

    marks: str
    """X, O and `.`."""
    title: str
    """The board in words, for screen readers."""
    labels: tuple[str, ...] = ("",) * 9
    """The text in each free cell."""
    grounds: tuple[str, ...] = ("",) * 9
    """Each cell's CSS class: `line`, `win`, `draw`, `loss`, `heat0` to `heat4`, or none."""


def names_from(first: str) -> str:
    """Both marks, first that of the side which began."""
    return "XO" if first == "X" else "OX"


def turn_of(board: Board, names: str) -> str | None:
    """Whose turn it is, by name; None when the game is over."""
    return names["XO".index(board.turn)] if board.turn else None


def marks_for(position: Position, names: str) -> str:
    """A position with X for the side in `names` that is X or A; names: first who moved first."""
    marks = str(position)
    return marks if names[0] in "XA" else swapped(marks)


def swapped(marks: str) -> str:
    """Marks with X for O, and O for X."""
    return marks.upper().translate(_SWAPPED)


def cell_names(marks: str) -> list[str]:
    """Each cell's name for screen readers."""
    return [
        f"{cell + 1}, {CELLS[cell]}, {'free' if mark == '.' else mark}"
        for cell, mark in enumerate(marks)
    ]


def board_text(marks: str, players: str = "XO") -> str:
    """Nine marks in words, for screen readers."""
    cells = {who: [str(n) for n, mark in enumerate(marks, 1) if mark == who] for who in players}
    return "; ".join(f"{who} has {', '.join(own) or 'no cell'}" for who, own in cells.items())
