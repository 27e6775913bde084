"""Playing by rules alone, without search: a chain of responsibility.

Each rule either names the cell to play or leaves the decision to the next:

1. complete a line
2. block the opponent's line
3. stop a possible fork: a row and a column that meet in a corner, each with one mark of the
   opponent's and none of its own, the corner itself not being the opponent's; play on the first
   of the two lines, its middle cell before its ends
4. the free cell with the most influence: the number of lines through it that are not already held
   by both sides

Moving second, against every sequence of an opponent, this wins 364 of 489 games and draws the
rest: published figures, which the tests reproduce. The source claims nothing for moving first.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from noughts.game.engine import Reply
from noughts.game.positions import CELLS, LINES, Position

Rule = Callable[[Position], int | None]

_MASKS = tuple(sum(1 << cell for cell in line) for line in LINES)


def complete(position: Position) -> int | None:
    """The cell that completes a line of the mover's."""
    return _third(position.mover, position.other)


def block(position: Position) -> int | None:
    """The cell that would complete a line of the opponent's."""
    return _third(position.other, position.mover)


def _third(mine: int, theirs: int) -> int | None:
    for mask in _MASKS:
        missing = mask & ~mine
        if len(CELLS[missing]) == 1 and not missing & theirs:
            return CELLS[missing][0]
    return None


_FORKS = tuple(
    (corner, row, column)
    for row in LINES[3:6]
    for column in LINES[:3]
    for corner in {*row} & {*column} & {0, 2, 6, 8}
)
"""The corners, each with its row and its column."""


def stop_fork(position: Position) -> int | None:
    """A cell on one of two lines that the opponent could threaten at once."""
    for corner, row, column in _FORKS:
        if position.other >> corner & 1:
            continue
        if _only_theirs(position, row) and _only_theirs(position, column):
            start, middle, end = row
            for cell in (middle, start, end):
                if cell in position.free:
                    return cell
    return None


def _only_theirs(position: Position, line: Sequence[int]) -> bool:
    mask = sum(1 << cell for cell in line)
    return not position.mover & mask and len(CELLS[position.other & mask]) == 1


def influence(position: Position) -> int:
    """The first of the free cells through which most lines can still be somebody's."""
    return max(position.free, key=lambda cell: _open_lines(position, cell))


def _open_lines(position: Position, cell: int) -> int:
    return sum(
        not (position.mover & mask and position.other & mask) for mask in _MASKS if mask >> cell & 1
    )


RULES: tuple[Rule, ...] = (complete, block, stop_fork, influence)


class Rules:
    """Plays by four hand-written rules: the first that applies decides."""

    name = "rules"
    about = "four rules, no search"
    perfect = False

    def reply(self, position: Position) -> Reply:
        """The cell of the first rule that has one."""
        return Reply((next(cell for rule in RULES if (cell := rule(position)) is not None),))
