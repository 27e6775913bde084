"""Positions of tic-tac-toe as two 9-bit masks, their moves, and their eight symmetries.

    0 1 2      Bit c of a mask is cell c, in reading order. A position is the marks of the
    3 4 5      player to move and those of the other, so it reads the same for both players.
    6 7 8

Written as text, a position is nine characters in reading order: `X` for the side that moved
first, `O` for the other, `.` for a free cell.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import NamedTuple

from noughts.errors import IllegalPositionError, NoughtsError

LINES: tuple[tuple[int, int, int], ...] = (
    (0, 3, 6), (1, 4, 7), (2, 5, 8),  # columns
    (0, 1, 2), (3, 4, 5), (6, 7, 8),  # rows
    (0, 4, 8), (2, 4, 6),  # diagonals
)  # fmt: skip
"""The cells of each line, in the order of the device's score array."""

FULL = 0b111111111

WON = tuple(
    any(all(mask >> cell & 1 for cell in line) for line in LINES) for mask in range(FULL + 1)
)
"""Whether a mask of one player's marks holds a whole line."""

CELLS = tuple(tuple(cell for cell in range(9) if mask >> cell & 1) for mask in range(FULL + 1))
"""The cells of a mask, in reading order."""

_COUNTS = tuple(
    tuple(sum(mask >> cell & 1 for cell in line) for line in LINES) for mask in range(FULL + 1)
)
"""How many of a mask's marks are in each line."""

MARKS = tuple(tuple(1 << cell + 9 * ply for cell in range(9)) for ply in (0, 1))
"""A move's bit in `Position.marks`: by its ply, even or odd, and by its cell."""


class Position(NamedTuple):
    """The marks of both players; the game is over if `other` has a line or no cell is free."""

    mover: int
    other: int

    @property
    def free(self) -> tuple[int, ...]:
        """The free cells, in reading order."""
        return CELLS[FULL & ~(self.mover | self.other)]

    @property
    def ply(self) -> int:
        """How many moves were made."""
        return len(CELLS[self.mover]) + len(CELLS[self.other])

    @property
    def turn(self) -> str:
        """`X` or `O`, whose turn it is, or would be after the end."""
        return "XO"[self.ply % 2]

    @property
    def marks(self) -> int:
        """All marks in one number: each X in bits 0 to 8, each O in bits 9 to 17."""
        first, second = self if self.turn == "X" else reversed(self)
        return first | second << 9

    @property
    def over(self) -> bool:
        """Whether a player has won, or no cell is free."""
        return WON[self.other] or self.mover | self.other == FULL

    @property
    def won_lines(self) -> list[int]:
        """The indexes in `LINES` of the lines that the last move has completed; at most two."""
        return [n for n, line in enumerate(LINES) if set(line) <= set(CELLS[self.other])]

    @property
    def won_cells(self) -> list[int]:
        """The cells of these lines, in reading order."""
        return sorted({cell for line in self.won_lines for cell in LINES[line]})

    def play(self, cell: int) -> Position:
        """The position after a move; nothing is checked."""
        return Position(self.other, self.mover | 1 << cell)

    def scores(self) -> list[int]:
        """The device's score array, the mover's marks counting +1 and the other's -1."""
        counts = zip(_COUNTS[self.mover], _COUNTS[self.other], strict=True)
        return [mine - theirs for mine, theirs in counts]

    def __str__(self) -> str:
        first, second = self if self.turn == "X" else reversed(self)
        return "".join(
            "X" if first >> cell & 1 else "O" if second >> cell & 1 else "." for cell in range(9)
        )


EMPTY = Position(0, 0)


def position_after(moves: Iterable[int]) -> Position:
    """The position after legal moves from the empty board.

    >>> won = position_after([0, 1, 8, 3, 2, 5, 6, 7, 4])
    >>> won.won_lines, won.won_cells
    ([6, 7], [0, 2, 4, 6, 8])
    """
    mover, other = EMPTY
    for cell in moves:
        mover, other = other, mover | 1 << cell
    return Position(mover, other)


def parse(text: str) -> Position:
    """The position that nine characters describe, in capitals or not.

    >>> parse("X...O....").ply
    2
    >>> str(parse("x...o...."))
    'X...O....'

    Raises `IllegalPositionError`, which says why, for a position that no game reaches.
    """
    if len(text) != 9 or set(text) - set("XOxo."):
        raise IllegalPositionError(
            f"{text[:20]!r} is not a position; write nine characters X, O and . in reading order"
        )
    first = sum(1 << cell for cell in range(9) if text[cell] in "Xx")
    second = sum(1 << cell for cell in range(9) if text[cell] in "Oo")
    more = len(CELLS[first]) - len(CELLS[second])
    if more not in (0, 1):
        raise IllegalPositionError(
            f"{text} has {len(CELLS[first])} X and {len(CELLS[second])} O; "
            "X moves first, so there must be as many X as O, or one more"
        )
    if (WON[first] and more == 0) or (WON[second] and more == 1):
        raise IllegalPositionError(
            f"in {text} a side moved after the other had won; remove that move"
        )
    return from_marks(first | second << 9)


def parse_unfinished(text: str) -> Position:
    """The same, in which somebody is to move. Raises `NoughtsError` if the game is over."""
    position = parse(text)
    if position.over:
        raise NoughtsError(f"the game is over in {position}; give an unfinished position")
    return position


def from_marks(marks: int) -> Position:
    """The position with these marks, see `Position.marks`; nothing is checked."""
    first, second = marks & FULL, marks >> 9
    is_turn_of_first = len(CELLS[first]) == len(CELLS[second])
    return Position(first, second) if is_turn_of_first else Position(second, first)


SYMMETRIES = (
    (0, 1, 2, 3, 4, 5, 6, 7, 8), (2, 1, 0, 5, 4, 3, 8, 7, 6),
    (6, 3, 0, 7, 4, 1, 8, 5, 2), (0, 3, 6, 1, 4, 7, 2, 5, 8),
    (8, 7, 6, 5, 4, 3, 2, 1, 0), (6, 7, 8, 3, 4, 5, 0, 1, 2),
    (2, 5, 8, 1, 4, 7, 0, 3, 6), (8, 5, 2, 7, 4, 1, 6, 3, 0),
)  # fmt: skip
"""The eight symmetries of the board, four turns and their mirror images: where cells 0 to 8 go."""

_TURNED = tuple(
    tuple(sum(1 << to[cell] for cell in CELLS[mask]) for mask in range(FULL + 1))
    for to in SYMMETRIES
)


def turned(position: Position, symmetry: Sequence[int]) -> Position:
    """The position turned or mirrored, by one of `SYMMETRIES`."""
    return Position(*(sum(1 << symmetry[cell] for cell in CELLS[mask]) for mask in position))


@cache
def canonical(position: Position) -> Position:
    """The least of the eight positions that turning and mirroring make of this one."""
    mover, other = position
    return Position(*min((masks[mover], masks[other]) for masks in _TURNED))


@cache
def alike(position: Position) -> dict[int, int]:
    """For each free cell, the cell of the canonical position that stands for it.

    It is the same for moves that are the same up to symmetry.

    >>> alike(parse("..X......"))
    {0: 2, 1: 1, 3: 5, 4: 4, 5: 1, 6: 8, 7: 5, 8: 2}
    """
    least = canonical(position)
    ways = [to for to in SYMMETRIES if turned(position, to) == least]
    return {cell: min(to[cell] for to in ways) for cell in position.free}


@cache
def reachable() -> tuple[Position, ...]:
    """All 5,478 positions that games from the empty board reach, the empty one first."""
    positions: list[Position] = []
    ply = {EMPTY: None}
    while ply:
        positions += ply
        ply = dict.fromkeys(
            position.play(cell) for position in ply if not position.over for cell in position.free
        )
    return tuple(positions)


def unfinished() -> Iterator[Position]:
    """The 4,520 reachable positions in which the game is not over."""
    return (position for position in reachable() if not position.over)


def is_quiet(position: Position) -> bool:
    """Whether no line can be completed with one more mark, by either player."""
    return all(abs(score) < 2 for score in position.scores())
