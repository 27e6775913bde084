"""A board to play on: positions with their rules checked, drawn as text and as a picture.

Cells are numbered 0 to 8 in reading order. X is the side that moved first. docs/python-api.md has
the examples that are not here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from html import escape

from noughts.errors import IllegalMoveError
from noughts.game import solver
from noughts.game.positions import LINES, WON, Position, canonical, parse

_CELLS = {str(cell): cell for cell in range(9)}

_CELL = 60
SIZE = 3 * _CELL
"""Of a picture, in pixels each way."""
X_COLOUR, O_COLOUR = "#c2410c", "#1d4ed8"
"""On white; the page has the same in `web/static/style.css`."""
_WIN = "#facc15"
_GRID = '<path d="M60 0V180M0 60H180M120 0V180M0 120H180" stroke="#64748b" stroke-width="2"/>'
_MARKS = {
    "X": '<path d="M{x} {y}m-18 -18l36 36m0 -36l-36 36" '
    f'stroke="{X_COLOUR}" stroke-width="6"/>',
    "O": f'<circle cx="{{x}}" cy="{{y}}" r="18" stroke="{O_COLOUR}" stroke-width="6" fill="none"/>',
}
_LABEL = (
    '<text x="{x}" y="{y}" fill="#475569" font-family="sans-serif" font-size="14" '
    'text-anchor="middle" dominant-baseline="central">{text}</text>'
)


@dataclass(frozen=True, init=False)
class Board:
    """An immutable board. Boards are equal, and hash alike, when their marks are the same."""

    position: Position
    """The marks as two masks, for fast code."""

    def __init__(self, marks: str = "." * 9) -> None:
        """Read a board from nine characters X, O and . in reading order.

        Line breaks and blanks between them are ignored. Raises `IllegalPositionError` for a
        position that no game can reach.

        >>> Board('''X . .
        ...          . O .
        ...          . . .''').legal_moves
        (1, 2, 3, 5, 6, 7, 8)
        """
        object.__setattr__(self, "position", parse("".join(marks.split())))

    @classmethod
    def of(cls, position: Position) -> Board:
        """The board of a position."""
        board = cls.__new__(cls)
        object.__setattr__(board, "position", position)
        return board

    @classmethod
    def after(cls, moves: Iterable[int | str]) -> Board:
        """The board after moves from the empty one, such as `[4, 0]` or `"40"`.

        Raises `IllegalMoveError`, which says which move it was.
        """
        board = cls()
        for number, cell in enumerate(moves, 1):
            try:
                board = board.play(as_cell(cell))
            except IllegalMoveError as error:
                raise IllegalMoveError(f"move {number}: {error}") from None
        return board

    @property
    def turn(self) -> str | None:
        """`X` or `O`, whose turn it is; None when the game is over."""
        return None if self.is_over else self.position.turn

    @property
    def other(self) -> str | None:
        """`X` or `O`, who moves after `turn`; None when the game is over."""
        return None if self.is_over else "OX"[self.position.ply % 2]

    @property
    def legal_moves(self) -> tuple[int, ...]:
        """The free cells in reading order; none when the game is over."""
        return () if self.is_over else self.position.free

    @property
    def is_over(self) -> bool:
        """Whether a side has won, or the board is full."""
        return self.position.over

    @property
    def winner(self) -> str | None:
        """`X` or `O`; None if nobody has won."""
        return "OX"[self.position.ply % 2] if WON[self.position.other] else None

    @property
    def winning_line(self) -> tuple[int, int, int] | None:
        """The cells of the winning line; of two, the first in the order of the score array."""
        won = self.position.won_lines
        return LINES[won[0]] if won else None

    @property
    def score_array(self) -> list[int]:
        """The micro:bit's eight sums of three columns, three rows, and two diagonals.

        X counts +1 and O -1. At 3, X has won; at -3, O.
        """
        sign = -1 if self.position.ply % 2 else 1
        return [sign * score for score in self.position.scores()]

    def completing(self, mark: str | None) -> tuple[int, ...]:
        """The free cells that complete a line of a mark, `X` or `O`; none when the game is over.

        >>> board = Board("XX.OO....")
        >>> board.completing(board.turn), board.completing(board.other)
        ((2,), (5,))
        """
        marks = {self.turn: self.position.mover, self.other: self.position.other}.get(mark, 0)
        return tuple(cell for cell in self.legal_moves if WON[marks | 1 << cell])

    def play(self, cell: int) -> Board:
        """The board after a move.

        Raises `IllegalMoveError` for a taken cell, for one off the board, and after the end.
        """
        cell = as_cell(cell)
        if self.is_over:
            raise IllegalMoveError("the game is over; begin a new one with Board()")
        if cell not in self.position.free:
            free = ", ".join(map(str, self.legal_moves))
            raise IllegalMoveError(f"cell {cell} is taken by {self[cell]}; choose one of {free}")
        return Board.of(self.position.play(cell))

    def __getitem__(self, cell: int) -> str:
        """The content of a cell: `X`, `O` or `.`.

        >>> Board("X...O....")[4]
        'O'
        """
        return str(self.position)[cell]

    def value(self) -> int:
        """The board's value to the player to move, with best play by both sides.

        1 is a win, 0 a draw, -1 a loss. After the end, it is the result.
        """
        return solver.value(self.position)

    def best_moves(self) -> tuple[int, ...]:
        """The moves of the micro:bit at its hard level.

        Among the moves that keep the value, these win most often against random play.
        """
        return () if self.is_over else tuple(solver.hard_moves(self.position))

    def win_chance(self) -> Fraction:
        """The chance that the player to move wins by `best_moves` against random play."""
        return solver.win_chance(self.position)

    def canonical(self) -> Board:
        """The board that stands for this one and its turned and mirrored images."""
        return Board.of(canonical(self.position))

    def svg(self, labels: Mapping[int, object] | None = None) -> str:
        """A picture as an SVG document: the marks, and the winning line if there is one.

        labels: texts for free cells, such as their values.
        """
        title = escape(" / ".join(str(self).replace(" ", "").split("\n")))
        size = f'width="{SIZE}" height="{SIZE}"'
        head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} viewBox="0 0 {SIZE} {SIZE}"'
        parts = [f'{head} role="img">', f"<title>{title}</title>", *elements(self, labels or {})]
        return "\n".join([*parts, "</svg>\n"])

    _repr_svg_ = svg  # for a notebook

    def __str__(self) -> str:
        marks = str(self.position)
        return "\n".join(" ".join(marks[row : row + 3]) for row in (0, 3, 6))

    def __repr__(self) -> str:
        return f"Board({str(self.position)!r})"


def as_cell(cell: int | str) -> int:
    """A cell, given as a number or a digit."""
    try:
        return _CELLS[str(cell)]
    except KeyError:
        raise IllegalMoveError(f"{cell!r} is not a cell; choose one of 0 to 8") from None


def elements(
    board: Board, labels: Mapping[int, object], grounds: Mapping[int, str] | None = None
) -> list[str]:
    """The elements of a board's picture; grounds: colours of cells.

    The background is white, so that it can be read on a dark page too.
    """
    parts = [f'<rect width="{SIZE}" height="{SIZE}" fill="white"/>']
    won = dict.fromkeys(board.winning_line or (), _WIN)
    for cell, colour in {**(grounds or {}), **won}.items():
        x, y = cell % 3 * _CELL, cell // 3 * _CELL
        parts.append(f'<rect x="{x}" y="{y}" width="{_CELL}" height="{_CELL}" fill="{colour}"/>')
    parts.append(_GRID)
    for cell, mark in enumerate(str(board.position)):
        x, y = cell % 3 * _CELL + _CELL // 2, cell // 3 * _CELL + _CELL // 2
        if mark in _MARKS or cell in labels:
            text = escape(str(labels.get(cell, "")))
            parts.append(_MARKS.get(mark, _LABEL).format(x=x, y=y, text=text))
    return parts


def table_html(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """An HTML table for a notebook.

    >>> table_html(["engine"], [["hard"]])
    '<table><tr><th>engine</th></tr><tr><td>hard</td></tr></table>'
    """
    lines = [("th", head), *(("td", row) for row in rows)]
    cells = ["".join(f"<{tag}>{escape(str(cell))}</{tag}>" for cell in row) for tag, row in lines]
    return f"<table>{''.join(f'<tr>{row}</tr>' for row in cells)}</table>"
