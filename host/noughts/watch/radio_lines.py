"""Which boards a gateway is listened to about: anybody near can send, and under any id.

So what may come by radio is limited, to boards that are known, or else in number; what is refused
is counted, and does not go into the store.
"""

from __future__ import annotations

from collections.abc import Collection

from noughts.protocol.radio_boards import board_heard
from noughts.watch.events import BoardRefused

MAX_BOARDS = 100
"""On one gateway's line, unless it is said which are known: a class, and its neighbours."""
_MAX_REPORTED = 100
"""Boards whose refusal is reported."""


class RadioLines:
    """Takes or refuses what boards say by radio. known: the ids that count; None: any.

    named: boards that people have given a name; it may be replaced.
    """

    def __init__(self, known: Collection[str] | None = None) -> None:
        self.named: Collection[str] = ()
        self.refused = 0
        """Sentences."""
        self._known = known
        self._boards: dict[str, set[str]] = {}
        self._reported: set[str] = set()

    def board(self, line: str, radio_id: str) -> str | BoardRefused | None:
        """The board that said something, or why it is refused; None if that was reported."""
        board = board_heard(line, radio_id)
        if self._known is not None:
            if radio_id in self._known:
                return board
            return self._refuse(board, line, "not one of the known boards (--known)")
        if board in self.named:
            return board
        heard = self._boards.setdefault(line, set())
        if board not in heard:
            if len(heard) >= MAX_BOARDS:
                many = f"{MAX_BOARDS} boards are heard there already; name those that count"
                return self._refuse(board, line, f"{many} with `noughts watch --known FILE`")
            heard.add(board)
        return board

    def _refuse(self, board: str, line: str, why: str) -> BoardRefused | None:
        self.refused += 1
        if board in self._reported or len(self._reported) >= _MAX_REPORTED:
            return None
        self._reported.add(board)
        if len(self._reported) == _MAX_REPORTED:
            why += "; further boards are refused without a word"
        return BoardRefused(board, line, why)
