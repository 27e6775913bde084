"""A board to play on: positions with their rules checked.

Cells are numbered 0 to 8 in reading order. X is the side that moved first. docs/python-api.md has
the examples that are not here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction

from noughts.errors import IllegalMoveError
from noughts.game import solver
from noughts.game.positions import LINES, WON, Position, canonical, parse
from noughts.markup import board_svg

_CELLS = {str(cell): cell for cell in range(9)}


@dataclass(frozen=True, init=False)
class Board:
    """An immutable board. Boards are equal, and hash alike, when their marks are the same.

    >>> board = Board().play(4)
    >>> print(board)
    . . .
    . X .
    . . .
    >>> board.turn, board.value(), board == Board.after("4")
    ('O', 0, True)
    """

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

        >>> Board.after("40").turn
        'X'
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
        """`X` or `O`; None if nobody has won.

        >>> Board("XXX.OO...").winner
        'X'
        """
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

        cell: from 0 to 8. Raises `IllegalMoveError` for a taken cell, for one off the board, and
        after the end.

        >>> Board("X........").play(4)
        Board('X...O....')
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

        >>> Board("XX.OO....").value()
        1
        """
        return solver.value(self.position)

    def best_moves(self) -> tuple[int, ...]:
        """The moves of the micro:bit at its hard level.

        Among the moves that keep the value, these win most often against random play. None when the
        game is over.

        >>> Board("X...O...X").best_moves()
        (1, 3, 5, 7)
        """
        return () if self.is_over else tuple(solver.hard_moves(self.position))

    def win_chance(self) -> Fraction:
        """The chance that the player to move wins by `best_moves` against random play.

        >>> Board().win_chance()
        Fraction(191, 192)
        """
        return solver.win_chance(self.position)

    def canonical(self) -> Board:
        """The board that stands for this one and its turned and mirrored images.

        >>> Board("..X......").canonical()
        Board('X........')
        """
        return Board.of(canonical(self.position))

    def svg(self, labels: Mapping[int, object] | None = None) -> str:
        """A picture as an SVG document: the marks, and the winning line if there is one.

        labels: texts for free cells, such as their values.

        >>> Board("X........").svg({4: "draw"}).count("draw")
        1
        """
        return board_svg(str(self.position), self.winning_line or (), labels)

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
