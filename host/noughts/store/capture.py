r"""Captured logs: the bytes of a serial line, or raw lines with a time and a board.

Rooms send raw lines, and what could not be stored is saved as such. Each has the time, the board
and what it sent, where \xhh stands for a byte that is not plain text:

    2026-11-21T07:03:43.123Z usb-9900000012345678 $NG,00000A83,1,PH,A,4,1312,-*5C

Without a text, the board's port was opened: the board may have been reset since its last line. A
line whose time is unknown has `0000-00-00T00:00:00.000Z`.
"""

import re
from collections.abc import Iterator
from contextlib import suppress
from typing import BinaryIO, NamedTuple

from noughts.protocol.parser import escape, unescape
from noughts.protocol.radio_boards import id_of, is_by_radio
from noughts.protocol.sentences import framed
from noughts.store import timestamps

_LINE = re.compile(
    rb"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z) ([0-9A-Za-z/\\][!-~]{0,3999}) ([ -~]*)\r?\n?"
)
_CHUNK = 65_536
_UNKNOWN_TIME = "0000-00-00T00:00:00.000Z"
_NAME = re.compile(r"[0-9A-Za-z/\\].{0,3999}")


def is_board_name(text: str) -> bool:
    """Whether a board may have this name: it must be safe in raw lines, exports and terminals."""
    return _NAME.fullmatch(text) is not None and text.isprintable()


def raw_line(board: str, text: str, at: int | None, is_sentence: bool = False) -> bytes:
    """A raw line, from the body of a sentence, or from noise that is already escaped."""
    if is_sentence:
        text = framed(text, id_of(board) if is_by_radio(board) else None)
    name = escape(board.encode()).replace(" ", "\\x20")
    time = _UNKNOWN_TIME if at is None else timestamps.iso(at)
    return f"{time} {name} {text}\n".encode()


class Captured(NamedTuple):
    """Bytes of a captured log, with the board and the time if they come from a raw line."""

    data: bytes
    """Empty if a board's port was opened here."""
    size: int
    """How many bytes of the file they take."""
    board: str | None = None
    at: int | None = None


def read(file: BinaryIO) -> Iterator[Captured]:
    """Read a captured log, line by line."""
    while line := file.readline(_CHUNK):
        captured = Captured(line, len(line))
        if match := _LINE.fullmatch(line):
            at, name, data = (part.decode() for part in match.groups())
            board = unescape(name).decode(errors="replace")
            # An escape may have hidden something else, and 31 February is not a date.
            with suppress(ValueError):
                if is_board_name(board):
                    data = unescape(data) + b"\n" * bool(data)
                    received_at = None if at == _UNKNOWN_TIME else timestamps.from_iso(at)
                    captured = Captured(data, len(line), board, received_at)
        yield captured
