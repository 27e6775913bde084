"""Engines that do not search: chance, the chip's own levels, playing to lose, and rules.

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

from fractions import Fraction
from operator import attrgetter
from types import ModuleType
from typing import NamedTuple

from noughts import brain
from noughts.brain.device import device_files, load_device
from noughts.game.engine import Engine, Reply
from noughts.game.odds import MoveValues, Odds, backward_induction, end_odds, mean_odds, random_play
from noughts.game.positions import LINES, Position, canonical


class Level(NamedTuple):
    """A level of the chip, for people."""

    name: str
    about: str


LEVELS = {
    "E": Level("easy", "plays anywhere"),
    "M": Level("medium", "finishes and blocks lines"),
    "H": Level("hard", "never loses"),
}
"""The chip's levels, by the letter in its menu, in sentences and in stored games."""


class Random(Engine):
    """Plays any free cell."""

    name = "random"
    about = "any free cell"
    seat = "R"

    def reply(self, position: Position) -> Reply:
        """All free cells."""
        return Reply(position.free)


class Chip(Engine):
    """The chip at a level, one of `LEVELS`; ai: the device's own module, with its table."""

    def __init__(self, level: str, ai: ModuleType | None = None) -> None:
        self.name, self.about = LEVELS[level]
        self.perfect = level == "H"
        self.seat = level
        self._ai = ai

    def reply(self, position: Position) -> Reply:
        """The cells of which the chip plays one. Raises `NoughtsError` if the table is missing."""
        if self._ai is None:
            files = device_files()
            brain.table_in(files)  # raises if the table is missing
            self._ai = load_device("ai", files)
        return Reply(tuple(brain.best_cells(self._ai, position, self.seat)))


_preference = attrgetter("lost", "drawn")


def _kindest(kind_to_move: bool, move_values: MoveValues[Odds]) -> Odds:
    if kind_to_move:
        return max((odds for _, _, odds in move_values), key=_preference)
    return mean_odds(kind_to_move, move_values)


_odds_after = backward_induction(random_play, random_play, end_odds(Fraction), _kindest, canonical)


class Kind(Engine):
    """Plays to lose: against random play, no engine loses more often.

    Among moves that lose equally often, it plays one that wins least often, since a draw is kinder
    than a win.
    """

    name = "kind"
    about = "plays to lose"
    seat = "G"

    def reply(self, position: Position) -> Reply:
        """The first of the moves that lose most often."""
        odds = {cell: _odds_after(canonical(position.play(cell)), False) for cell in position.free}
        return Reply((max(odds, key=lambda cell: _preference(odds[cell])),))


def _completing_cell(position: Position, score: int) -> int | None:
    """The free cell of the first line with two marks of the mover (score 2), or the other (-2)."""
    for line, line_score in zip(LINES, position.scores(), strict=True):
        if line_score == score:
            return next(cell for cell in line if cell in position.free)
    return None


_FORKS = (0, 3, 0), (2, 3, 2), (6, 5, 0), (8, 5, 2)
"""The corners, each with its row and its column in `LINES`."""


def stop_fork(position: Position) -> int | None:
    """A cell on one of two lines that the opponent could threaten at once."""
    scores, free = position.scores(), position.free
    for corner, *lines in _FORKS:
        if not position.other >> corner & 1 and all(
            scores[line] == -1 and sum(cell in free for cell in LINES[line]) == 2 for line in lines
        ):
            start, middle, end = LINES[lines[0]]
            return next(cell for cell in (middle, start, end) if cell in free)
    return None


def influence(position: Position) -> int:
    """The first of the free cells with the most lines that someone can still complete."""
    marks = str(position)
    still_open = [line for line in LINES if not {"X", "O"} <= {marks[cell] for cell in line}]
    return max(position.free, key=lambda cell: sum(cell in line for line in still_open))


class Rules(Engine):
    """Plays by the four rules, in their order."""

    name = "rules"
    about = "four rules, no search"
    seat = "U"

    def reply(self, position: Position) -> Reply:
        """The cell of the first rule that names one."""
        cells = (
            _completing_cell(position, 2),
            _completing_cell(position, -2),
            stop_fork(position),
            influence(position),
        )
        return Reply((next(cell for cell in cells if cell is not None),))
