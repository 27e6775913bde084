"""What a message holds: raw lines of one board, as they stand in the room's raw log.

So the moment at which a sentence was heard travels with it. A collector confirms a message by its
digest: nobody needs to count, and a message that is sent again is confirmed by the same one.
"""

from __future__ import annotations

import hashlib
import io
from dataclasses import dataclass

from noughts.rooms.topics import is_published
from noughts.watch import raw_log

MAX_MESSAGE = 64 * 1024
"""Bytes that a room sends at once, and that a collector reads."""
_NOT_LINES = "it is not raw lines of the board in its topic"


@dataclass(frozen=True)
class Message:
    """What a board said."""

    board: str
    lines: bytes

    @property
    def digest(self) -> str:
        """What a collector confirms it by."""
        return digest(self.lines)


def digest(lines: bytes) -> str:
    """64 bits of a message's SHA-256, in hex: few messages wait at any moment."""
    return hashlib.sha256(lines).hexdigest()[:16]


def by_board(lines: bytes, room: str) -> list[Message]:
    """A room's messages of these raw lines, in order for each board.

    What is not a raw line is left out, and so is what came from this very room.
    """
    boards: dict[str, bytearray] = {}
    at = 0
    for captured in raw_log.read(io.BytesIO(lines)):
        line = lines[at : at + captured.size]
        at += captured.size
        if captured.board is not None and is_published(captured.board, room):
            boards.setdefault(captured.board, bytearray()).extend(line)
    return [Message(board, bytes(said)) for board, said in boards.items()]


def heard(board: str, lines: bytes, now: int) -> list[tuple[bytes, int]]:
    """What a message says of this board, line by line, and when each was heard.

    The clock of another computer may be fast, or the sender lie: nothing was heard after `now`.
    Raises `ValueError`, saying why, for what no room sends.
    """
    if len(lines) > MAX_MESSAGE:
        raise ValueError(f"it is longer than {MAX_MESSAGE:,} bytes")
    found = []
    for captured in raw_log.read(io.BytesIO(lines)):
        if captured.board != board or captured.at is None:
            raise ValueError(_NOT_LINES)
        found.append((captured.data, min(captured.at, now)))
    if not found:
        raise ValueError(_NOT_LINES)
    return found
