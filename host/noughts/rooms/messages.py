"""What a message holds: raw lines of one board, see `store/capture.py`.

So the moment at which a sentence was heard travels with it. A collector confirms a message by its
digest: nobody needs to count, and a message that is sent again is confirmed by the same one.
"""

from __future__ import annotations

import hashlib
import io
from dataclasses import dataclass

from noughts.store import capture

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


def heard(board: str, lines: bytes, now: int) -> list[tuple[bytes, int]]:
    """What a message says of this board, line by line, and when each was heard.

    The clock of another computer may be fast, or the sender lie: nothing was heard after `now`.
    Raises `ValueError`, saying why, for what no room sends.
    """
    if len(lines) > MAX_MESSAGE:
        raise ValueError(f"it is longer than {MAX_MESSAGE:,} bytes")
    found = []
    for captured in capture.read(io.BytesIO(lines)):
        if captured.board != board or captured.at is None:
            raise ValueError(_NOT_LINES)
        found.append((captured.data, min(captured.at, now)))
    if not found:
        raise ValueError(_NOT_LINES)
    return found
