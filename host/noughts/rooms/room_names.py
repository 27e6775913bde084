"""Names of rooms: they begin the names of boards, and are a level of the broker's topics."""

import platform
import re

from noughts.errors import NoughtsError

_ROOM = re.compile(r"[0-9A-Za-z]([^/\\:]{0,58}[^/\\:\s])?")


def is_room_name(text: str) -> bool:
    """Whether it is valid: with a `/` and a board's name, it must not look like a port or a URL."""
    return _ROOM.fullmatch(text) is not None and text.isprintable()


def room_name(given_name: str | None) -> str:
    """The room's name, by default this computer's. Raises `NoughtsError`."""
    if given_name is None:
        host_name = re.sub(r"[^0-9A-Za-z_-]", "-", platform.node().partition(".")[0])[:60]
        return host_name if is_room_name(host_name) else "room"
    if not is_room_name(given_name):
        raise NoughtsError(
            f"{given_name[:60]!r} is not a valid room name; start with a letter (a to z) or "
            "a digit, and use no /, \\ or :, and at most 60 characters"
        )
    return given_name
