"""The topics of a room, and its boards' names in them.

    PREFIX/ROOM/status        retained: online, offline
    PREFIX/ROOM/board/BOARD   what a board said, from the room
    PREFIX/ROOM/stored        which of it is stored, from a collector

What MQTT or a terminal would take for something else in a name is written as in a URL, `%2F`.
"""

from __future__ import annotations

import platform
import re
from dataclasses import dataclass
from itertools import takewhile
from urllib.parse import quote, unquote

from noughts.errors import NoughtsError
from noughts.store.capture import is_board_name

MAX_ROOM, MAX_BOARD = 60, 1000
"""Characters."""
ONLINE, OFFLINE = b"online", b"offline"
_NO_ROOM = re.compile(r"[/\\:]|\s$")


@dataclass(frozen=True)
class RoomTopics:
    """The topics of one room."""

    prefix: str
    room: str

    @property
    def status(self) -> str:
        """Whether it is online."""
        return f"{self.prefix}/{quote(self.room, safe='')}/status"

    @property
    def stored(self) -> str:
        """The confirmations of collectors."""
        return f"{self.prefix}/{quote(self.room, safe='')}/stored"

    def board(self, board: str) -> str:
        """What a board said."""
        return f"{self.prefix}/{quote(self.room, safe='')}/board/{quote(board, safe='')}"


def of_all_rooms(prefix: str) -> list[str]:
    """What a collector subscribes to."""
    return [f"{prefix}/+/status", f"{prefix}/+/board/+"]


def parse(prefix: str, topic: str) -> tuple[str, str | None]:
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


def is_room_name(text: str) -> bool:
    """Whether a room may have this name.

    With a `/` and a board's name behind it, it must not be mistaken for a port or a URL.
    """
    return len(text) <= MAX_ROOM and is_board_name(text) and not _NO_ROOM.search(text)


def is_published(board: str, room: str) -> bool:
    """Whether a room publishes a board of this name, which may have come from rooms itself.

    Nothing goes round in circles: what has been through this room is not published there again.
    """
    rooms = takewhile(is_room_name, board.split("/")[:-1])
    return len(board) <= MAX_BOARD and is_board_name(board) and room not in rooms


def room_name(wanted: str | None) -> str:
    """The room's name, by default this computer's. Raises `NoughtsError`."""
    if wanted is None:
        name = re.sub(r"[^0-9A-Za-z_-]", "-", platform.node().partition(".")[0])[:MAX_ROOM]
        return name if is_room_name(name) else "room"
    if not is_room_name(wanted):
        raise NoughtsError(
            f"{wanted[:MAX_ROOM]!r} cannot be the name of a room; begin with a letter from a "
            f"to z or a digit, without / \\ and :, {MAX_ROOM} characters at most"
        )
    return wanted
