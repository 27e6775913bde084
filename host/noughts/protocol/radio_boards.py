"""Names of boards that are received by radio: `radio-9A1B2C3D`, or `3b/radio-9A1B2C3D`.

The part before the last `/` is the room, if several rooms are stored together. Only the name shows
that a line came by radio, where anyone nearby can send.
"""

import re
from functools import lru_cache

_ROOM = re.compile(r"\A((?:[^/:\\]+/)*).*", re.DOTALL)
_BY_RADIO = re.compile(r"(?:[^/:\\]+/)*radio-[0-9A-F]{8}")


def sending_board(port_board: str, radio_id: str) -> str:
    """The name of a sender, from the name of the board on whose port its sentence came.

    >>> sending_board("usb-9900", "9A1B2C3D"), sending_board("3b/usb-9900", "9A1B2C3D")
    ('radio-9A1B2C3D', '3b/radio-9A1B2C3D')
    """
    return _ROOM.sub(rf"\1radio-{radio_id}", port_board)


@lru_cache
def is_by_radio(board: str) -> bool:
    """Whether a board with this name was received by radio."""
    return _BY_RADIO.fullmatch(board) is not None


def id_of(board_by_radio: str) -> str:
    """The id that its name has."""
    return board_by_radio[-8:]
