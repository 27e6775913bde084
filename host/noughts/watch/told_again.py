"""Kept games that boards tell again at each start: summed up, as nobody wants to read 64 lines."""

from __future__ import annotations

import time
from dataclasses import dataclass

from noughts.watch.events import KeptGamesTold

_QUIET_S = 1.0
"""A board that has told nothing for so long has told all that it has kept."""


@dataclass
class _Told:
    again: int = 0
    new: int = 0
    at_s: float = 0.0


class ToldAgain:
    """Counts the kept games that each board tells, until it has told them all."""

    def __init__(self) -> None:
        self._told: dict[str, _Told] = {}

    def count(self, board: str, new: bool) -> None:
        """Count a kept game."""
        told = self._told.setdefault(board, _Told())
        told.again += not new
        told.new += new
        told.at_s = time.monotonic()

    def end(self, board: str) -> list[KeptGamesTold]:
        """Sum up what a board has told; nothing, if all of it was new."""
        told = self._told.pop(board, None)
        return [KeptGamesTold(board, told.again, told.new)] if told and told.again else []

    def end_all(self) -> list[KeptGamesTold]:
        """Sum up what all boards have told."""
        return [event for board in list(self._told) for event in self.end(board)]

    def end_quiet(self) -> list[KeptGamesTold]:
        """Sum up what the boards have told that are quiet by now."""
        before_s = time.monotonic() - _QUIET_S
        quiet = [board for board, told in self._told.items() if told.at_s <= before_s]
        return [event for board in quiet for event in self.end(board)]
