"""Engines that do not search: chance, the chip's own levels, rules, and playing to lose.

Each of the rules either names the cell to play or leaves the decision to the next:

1. complete a line
2. block the opponent's line
3. stop a possible fork: a row and a column that meet in a corner, each with one mark of the
   opponent's and none of its own, the corner itself not being the opponent's; play on the first
   of the two lines, its middle cell before its ends
4. the free cell with the most influence: the number of lines through it that are not already held
   by both sides

Moving second, against every sequence of an opponent, they win 364 of 489 games and draw the rest:
published figures, which the tests reproduce. The source claims nothing for moving first.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cached_property
from types import ModuleType

from noughts.brain import best_cells
from noughts.device_files import load_device
from noughts.errors import NoughtsError
from noughts.game.engine import After, Odds, Reply, any_cell, end_odds, mean_odds, walk
from noughts.game.positions import CELLS, LINES, Position, canonical


class Random:
    """Plays any free cell, each with the same probability."""

    name = "random"
    about = "any free cell"
    perfect = False

    def reply(self, position: Position) -> Reply:
        """Every free cell."""
        return Reply(position.free)


class Chip:
    """A level of the chip's: `E`, `M` or `H`; `ai` is the device's own, with its table."""

    def __init__(self, level: str, ai: ModuleType | None = None) -> None:
        self.name = {"E": "easy", "M": "medium", "H": "hard"}[level]
        self.about = f"the chip at {self.name}"
        self.perfect = level == "H"
        self._level = level
        if ai is not None:
            self._ai = ai

    @cached_property
    def _ai(self) -> ModuleType:
        try:
            return load_device("ai")
        except ImportError as error:
            raise NoughtsError(
                f"device/{error.name}.py is missing; make the table with `noughts table`"
            ) from error

    def reply(self, position: Position) -> Reply:
        """The cells that `ai.best` gives, of which the chip plays any."""
        return Reply(tuple(best_cells(self._ai, position, self._level)))


def _liking(odds: Odds) -> tuple[Fraction, Fraction]:
    return odds.lost, odds.drawn


def _kindest(kind_to_move: bool, after: After[Odds]) -> Odds:
    if kind_to_move:
        return max((odds for _, _, odds in after), key=_liking)
    return mean_odds(kind_to_move, after)


_prospects = walk(any_cell, any_cell, end_odds(Fraction), _kindest, canonical)


class Kind:
    """Plays to lose: against random play, no way to play loses more often.

    Hard is measured against an opponent who plays every free cell with equal chances, and so is
    this. Of moves that lose equally often it plays one that wins least often: a draw is kinder than
    a win. Where nothing can lose the game any more, it says that it cannot be helped.
    """

    name = "kind"
    about = "plays to lose"
    perfect = False

    def reply(self, position: Position) -> Reply:
        """The first of the moves that lose most often."""
        prospects = {
            cell: _prospects(canonical(position.play(cell)), False) for cell in position.free
        }
        cell = max(prospects, key=lambda cell: _liking(prospects[cell]))
        other = "OX"[position.ply % 2]
        helpless = f"It cannot be helped: nothing lets {other} win now."
        return Reply((cell,), remark="" if prospects[cell].lost else helpless)


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
