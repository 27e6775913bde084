"""Topics at a broker, and messages: raw lines (`store/capture.py`) of one board.

    PREFIX/ROOM/status        retained: online, offline
    PREFIX/ROOM/board/BOARD   what a board said, from the room
    PREFIX/ROOM/stored        which of it is stored, from a collector

A collector confirms a message by its digest: nobody needs to count, and a message that is sent
again is confirmed by the same one.
"""

import hashlib
import io
from itertools import takewhile
from urllib.parse import quote, unquote

from noughts.rooms.address import is_room_name
from noughts.store import capture

MAX_MESSAGE = 64 * 1024
"""Bytes that a room sends at once, and that a collector reads."""
ONLINE, OFFLINE = b"online", b"offline"


def digest(lines: bytes) -> str:
    """64 bits of a message's SHA-256, in hex: few messages wait at any moment."""
    return hashlib.sha256(lines).hexdigest()[:16]


def received_lines(board: str, lines: bytes, now: int) -> list[tuple[bytes, int]]:
    """A message of this board, line by line, each with the moment at which it was received.

    The clock of another computer may be fast, or the sender lie: nothing was received after `now`.
    Raises `ValueError`, saying why, for what no room sends.
    """
    if not 0 < len(lines) <= MAX_MESSAGE:
        raise ValueError(f"it is empty, or longer than {MAX_MESSAGE:,} bytes")
    found = []
    for captured in capture.read(io.BytesIO(lines)):
        if captured.board != board or captured.at is None:
            raise ValueError("it is not raw lines of the board in its topic")
        found.append((captured.data, min(captured.at, now)))
    return found


def topic(prefix: str, room: str, *levels: str) -> str:
    return "/".join([prefix, *(quote(each, safe="") for each in (room, *levels))])


def parse_topic(prefix: str, given: str) -> tuple[str, str | None]:
    """The room and, unless it is about its status, the board. Raises `ValueError`, saying why."""
    levels = [unquote(level) for level in given.removeprefix(f"{prefix}/").split("/")]
    if topic(prefix, *levels) == given and is_room_name(levels[0]):
        match levels:
            case [room, "status"]:
                return room, None
            case [room, "board", board] if is_published(board, room):
                return room, board
    raise ValueError("that is not the topic of a room or of one of its boards")


def is_published(board: str, room: str) -> bool:
    """Nothing goes round in circles: what has been through a room is not published there again."""
    rooms = takewhile(is_room_name, board.split("/")[:-1])
    return capture.is_board_name(board) and room not in rooms
