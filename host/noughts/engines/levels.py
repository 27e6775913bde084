"""The engines that do not look ahead to win: chance, the chip's own levels, and playing to lose."""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property
from types import ModuleType

from noughts.brain import best_cells
from noughts.device_files import load_device
from noughts.errors import NoughtsError
from noughts.game.engine import Reply
from noughts.game.evaluator import After, Odds, any_cell, end_odds, mean_odds, walk
from noughts.game.positions import Position, canonical


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
