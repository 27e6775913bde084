"""Lines that no collector has stored yet: the queue is the table `lines` of the room's store.

How far the collectors have stored it, for each broker and room, is in the table `published`. It may
be behind what they have: then some lines are sent twice.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

from noughts.protocol.radio_boards import id_of, is_by_radio
from noughts.protocol.sentences import framed, is_of_board
from noughts.rooms.messages import Message
from noughts.rooms.topics import is_published
from noughts.store.capture import raw_line
from noughts.store.store import Store

_AT_ONCE = 140
"""Lines that are read at once: some 16 KB, in as many messages as there are boards."""
_LOCK_TIMEOUT_S = 0.05
"""To wait for others who write to the store."""

_LINES = """
    SELECT lines.id, name, boot, late, at, text FROM lines JOIN boards ON boards.id = board
    WHERE lines.id > ? ORDER BY lines.id LIMIT ?
"""


class Backlog:
    """The lines of a store, from where a collector has stored all before. `close()` it."""

    def __init__(self, path: Path, broker: str, room: str) -> None:
        """Each broker and room has a position of its own. Raises `StoreError`."""
        self._receiver, self._room = f"{broker} {room}", room
        self._waiting: dict[str, float] = {}
        """By digest of a message, the id of the line before those among which it was read."""
        self._open(path)

    def _open(self, path: Path) -> None:
        self._store = Store(path, create=True)
        self._store.wait_for_others(_LOCK_TIMEOUT_S)
        position = self._store.read(
            "SELECT line FROM published WHERE receiver = ?", [self._receiver]
        )
        self._read = self._saved = int(position[0][0]) if position else 0

    def go_on_in(self, path: Path) -> None:
        """Read another store from now on; what was read of this one is still to be confirmed."""
        self._store.close()
        self._waiting = dict.fromkeys(self._waiting, math.inf)
        self._open(path)

    def waits_for(self, digest: str) -> bool:
        """Whether a message is still to be confirmed."""
        return digest in self._waiting

    def more(self) -> list[Message]:
        """The messages of the next lines, the oldest first; none if all were read.

        Raises `StoreError`.
        """
        while rows := self._store.read(_LINES, [self._read, _AT_ONCE]):
            before, self._read = self._read, rows[-1][0]
            messages = _by_board(rows, self._room)
            for each in messages:
                self._waiting.setdefault(each.digest, before)
            if messages:
                return messages
        return []

    def confirmed(self, digest: str) -> bool:
        """Note that a message is stored; False if none was waited for."""
        return self._waiting.pop(digest, None) is not None

    def save(self) -> None:
        """Write the position, if it has changed. Raises `StoreError`."""
        stored = int(min([self._read, *self._waiting.values()]))
        if stored != self._saved:
            self._store.save_published(self._receiver, stored)
            self._saved = stored

    def close(self) -> None:
        """Close the store."""
        self._store.close()


def _by_board(rows: list[Any], room: str) -> list[Message]:
    """A room's messages of these lines, in order for each board.

    Left out is what came from this very room, or without a moment, and games that no board plays.
    """
    boards: dict[str, bytearray] = {}
    recovered: dict[str, bool] = {}
    for _, board, boot, late, at, text in rows:
        of_board = boot is None or is_of_board(text)
        if at is None or not of_board or not is_published(board, room):
            continue
        lines = boards.setdefault(board, bytearray())
        by_radio = is_by_radio(board)
        if late and not by_radio and not recovered.get(board):
            # Behind a port that was opened, a collector takes the end of a game for a late one.
            lines += raw_line(board, "", at)
        recovered[board] = bool(late)
        if boot is not None:
            text = framed(text, id_of(board) if by_radio else None)
        lines += raw_line(board, text, at)
    return [Message(board, bytes(said)) for board, said in boards.items()]
