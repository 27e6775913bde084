"""The games in a V2's data log, which its drive shows as `MY_DATA.HTM` (`device/v2.py` adds them).

The file is an HTML page of fixed size. Its head ends in `UBIT_LOG_FS_V_002`, a line feed, and three
fields that end in NUL: where the log ends, where its data begins, and DAPLink's version. From there
on it is CSV up to the first byte that was never written. (codal-microbit-v2, `MicroBitLog.cpp`.)
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from noughts.errors import SentenceError
from noughts.protocol.sentences import Game, game_of

NAME = "MY_DATA.HTM"
MAX_SIZE = 1 << 20
"""Bytes of a file that is read; a real one has 129,024."""
_HEAD = re.compile(rb"UBIT_LOG_FS_V_002\n0x[0-9A-Fa-f]{8}\0(0x[0-9A-Fa-f]{8})\0")


def is_data_log(content: bytes) -> bool:
    """Whether a file is a data log, of whichever program."""
    return _HEAD.search(content) is not None


def games(content: bytes) -> Iterator[Game]:
    """The games in a data log, in the order in which they ended.

    Rows of other programs, and what a power cut left of one of ours, are passed over.
    """
    head = _HEAD.search(content)
    if head is None:
        return
    rows = content[int(head[1], 16) :].partition(b"\xff")[0]
    for row in rows.decode("ascii", "replace").split("\n"):
        try:
            game = game_of(f"NG,{row}")
        except SentenceError:
            continue
        if game.end != "-":
            yield game
