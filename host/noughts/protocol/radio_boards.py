"""How boards are called that are heard by radio: `radio-9A1B2C3D`, or `3b/radio-9A1B2C3D`.

What stands before the last `/` is the room, where several rooms are kept together. The name is the
mark: nothing else in the store comes from such a board, and anybody near may have sent it.
"""

from __future__ import annotations

import re

_ROOM = re.compile(r"(?:[^/:\\]+/)*")
_BY_RADIO = re.compile(r"(?:[^/:\\]+/)*radio-[0-9A-F]{8}")


def board_heard(line: str, radio_id: str | None) -> str:
    """The board that said something, by the name of the line on which it came.

    >>> board_heard("usb-9900", None), board_heard("usb-9900", "9A1B2C3D")
    ('usb-9900', 'radio-9A1B2C3D')
    >>> board_heard("3b/usb-9900", "9A1B2C3D"), board_heard("radio-9A1B2C3D", "9A1B2C3D")
    ('3b/radio-9A1B2C3D', 'radio-9A1B2C3D')
    """
    if radio_id is None:
        return line
    room = _ROOM.match(line)
    return f"{room[0] if room else ''}radio-{radio_id}"


def is_by_radio(board: str) -> bool:
    """Whether a board of this name is heard by radio."""
    return _BY_RADIO.fullmatch(board) is not None


def id_of(board: str) -> str:
    """The id of a board that is heard by radio."""
    return board[-8:]
