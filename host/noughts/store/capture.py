r"""Captured logs: what a serial line brought, or lines with a time, a board and what it sent.

These are the raw lines that rooms send to each other, and that release 1.0.0 wrote next to its
store. Each is the moment, the board and what it sent, with every byte that is not plain text as
\xhh:

    2026-11-21T07:03:43.123Z usb-9900000012345678 $NG,00000A83,1,PH,A,4,1312,-*5C

If there is no text, the board's port was opened: it may have been reset since its last line.
"""

import re
from collections.abc import Iterator
from contextlib import suppress
from typing import BinaryIO, NamedTuple

from noughts.protocol.parser import escape, unescape
from noughts.store import timestamps

_LINE = re.compile(
    rb"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z) ([0-9A-Za-z/\\][!-~]{0,3999}) ([ -~]*)\r?\n?"
)
_CHUNK = 65_536
OPENED = b"\n"
"""The text recorded when a board's port was opened; empty lines from a board are not recorded."""
_NAME = re.compile(r"[0-9A-Za-z/\\].{0,3999}")


def is_board_name(text: str) -> bool:
    """Whether a board may have this name.

    In raw logs and exports it must not begin anything else, and no terminal may act on it.
    """
    return _NAME.fullmatch(text) is not None and text.isprintable()


def raw_line(board: str, text: str, at: int) -> bytes:
    """A line with the time at which a board sent a text; text: already escaped."""
    name = escape(board.encode()).replace(" ", "\\x20")
    return f"{timestamps.iso(at)} {name} {text}\n".encode()


class Captured(NamedTuple):
    """Bytes of a captured log; board and moment are known if it is one of our raw logs."""

    data: bytes
    size: int
    """Bytes that they take in the file."""
    board: str | None = None
    at: int | None = None

    @property
    def is_opened(self) -> bool:
        """Whether a board's port was opened here."""
        return self.board is not None and self.data == OPENED


def read(file: BinaryIO) -> Iterator[Captured]:
    """What a captured log holds: a raw log of ours, or bytes as a serial line brought them."""
    while line := file.readline(_CHUNK):
        captured = Captured(line, len(line))
        if found := _LINE.fullmatch(line):
            at, name, data = (part.decode() for part in found.groups())
            board = unescape(name).decode(errors="replace")
            # The escapes may have hidden what it is; and there is no 31st of February.
            with suppress(ValueError):
                if is_board_name(board):
                    data = unescape(data) + b"\n"
                    captured = Captured(data, len(line), board, timestamps.from_iso(at))
        yield captured
