"""The chip's own three levels: `device/ai.py` itself, run by this Python."""

from __future__ import annotations

from functools import cached_property
from types import ModuleType

from noughts.device_files import load_device
from noughts.errors import NoughtsError
from noughts.game.engine import Reply
from noughts.game.positions import Position


class Chip:
    """A level of the chip's: `E`, `M` or `H`; `ai` is the device's own, with its table."""

    def __init__(
        self, name: str, level: str, about: str, perfect: bool, ai: ModuleType | None = None
    ) -> None:
        self.name, self.about, self.perfect = name, about, perfect
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
        marks = [(position.mover >> cell & 1) - (position.other >> cell & 1) for cell in range(9)]
        return Reply(tuple(self._ai.best(marks, position.scores(), 1, self._level)))
