"""What goes through a broker: topics, and messages of raw lines (`store/capture.py`) of one board.

    PREFIX/ROOM/status        retained: online, offline
    PREFIX/ROOM/board/BOARD   what a board said, from the room
    PREFIX/ROOM/stored        which of it is stored, from a collector

What MQTT or a terminal would take for something else in a name is written as in a URL, `%2F`. The
moment at which a sentence was heard travels with it. A collector confirms a message by its digest:
nobody needs to count, and a message that is sent again is confirmed by the same one.
"""

from __future__ import annotations

import hashlib
import io
from itertools import takewhile
from typing import NamedTuple
from urllib.parse import quote, unquote

from noughts.rooms.address import is_room_name
from noughts.store import capture

MAX_MESSAGE = 64 * 1024
"""Bytes that a room sends at once, and that a collector reads."""
MAX_BOARD = 1000
"""Characters of its name."""
ONLINE, OFFLINE = b"online", b"offline"
_NOT_LINES = "it is not raw lines of the board in its topic"


class Message(NamedTuple):
    """What a board said."""

    board: str
    lines: bytes
    digest: str


def digest(lines: bytes) -> str:
    """64 bits of a message's SHA-256, in hex: few messages wait at any moment."""
    return hashlib.sha256(lines).hexdigest()[:16]


def received_lines(board: str, lines: bytes, now: int) -> list[tuple[bytes, int]]:
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


def topic(prefix: str, room: str, *levels: str) -> str:
    """A topic of a room; see above."""
    return "/".join([prefix, *(quote(each, safe="") for each in (room, *levels))])


def of_all_rooms(prefix: str) -> list[str]:
    """What a collector subscribes to."""
    return [f"{prefix}/+/status", f"{prefix}/+/board/+"]


def parse_topic(prefix: str, topic: str) -> tuple[str, str | None]:
    """The room and, unless it is about its status, the board. Raises `ValueError`, saying why."""
    levels = topic.removeprefix(f"{prefix}/").split("/")
    names = [unquote(level) for level in levels[::2]]
    if [quote(name, safe="") for name in names] != levels[::2]:
        raise ValueError("its topic is not written as a room writes it")
    if not is_room_name(names[0]):
        raise ValueError("that is not the name of a room")
    if levels[1:] == ["status"]:
        return names[0], None
    if len(levels) != 3 or not is_published(names[1], names[0]):
        raise ValueError("that is not the name of a board")
    return names[0], names[1]


def is_published(board: str, room: str) -> bool:
    """Whether a room publishes a board of this name, which may have come from rooms itself.

    Nothing goes round in circles: what has been through this room is not published there again.
    """
    rooms = takewhile(is_room_name, board.split("/")[:-1])
    return len(board) <= MAX_BOARD and capture.is_board_name(board) and room not in rooms
