"""Topics at a broker, and messages: raw lines (`store/capture.py`) of one board.

    PREFIX/ROOM/status        retained: online, offline
    PREFIX/ROOM/board/BOARD   what a board has sent, from the room
    PREFIX/ROOM/stored        the digests of stored messages, from a collector

A collector confirms a message by its digest, so nobody needs to number messages, and a message that
is sent again has the same confirmation.
"""

import hashlib
import io
from itertools import takewhile
from urllib.parse import quote, unquote

from noughts.rooms.room_names import is_room_name
from noughts.store import capture

MAX_MESSAGE = 64 * 1024
"""The most bytes of a message that a room sends, and that a collector accepts."""
ONLINE, OFFLINE = b"online", b"offline"


def digest(lines: bytes) -> str:
    """64 bits of a message's SHA-256, in hex: enough for the few messages that wait at a time."""
    return hashlib.sha256(lines).hexdigest()[:16]


def received_lines(board: str, lines: bytes, now: int) -> list[tuple[bytes, int]]:
    """A message of this board, line by line, each with the time at which it was received.

    No time is later than `now`: the room's clock may be fast, or the sender may lie. Raises
    `ValueError`, which says why, for a message that no room sends.
    """
    if not 0 < len(lines) <= MAX_MESSAGE:
        raise ValueError(f"it is empty, or longer than {MAX_MESSAGE:,} bytes")
    data_and_times = []
    for captured in capture.read(io.BytesIO(lines)):
        if captured.board != board or captured.at is None:
            raise ValueError("it does not consist of lines from the board in its topic")
        data_and_times.append((captured.data, min(captured.at, now)))
    return data_and_times


def topic(prefix: str, room: str, *levels: str) -> str:
    """A topic at the broker; whatever is in a name stays one level."""
    return "/".join([prefix, *(quote(level, safe="") for level in (room, *levels))])


def parse_topic(prefix: str, text: str) -> tuple[str, str | None]:
    """The room and the board; no board for a room's status. Raises `ValueError`, which says why."""
    levels = [unquote(level) for level in text.removeprefix(f"{prefix}/").split("/")]
    if topic(prefix, *levels) == text and is_room_name(levels[0]):
        match levels:
            case [room, "status"]:
                return room, None
            case [room, "board", board] if is_published(board, room):
                return room, board
    raise ValueError("that is not the topic of a room or of one of its boards")


def is_published(board: str, room: str) -> bool:
    """Whether a room publishes a board; not if its lines have been through this room before."""
    rooms = takewhile(is_room_name, board.split("/")[:-1])
    return capture.is_board_name(board) and room not in rooms
