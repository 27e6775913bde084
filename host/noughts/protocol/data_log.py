"""The games in a V2's data log, `MY_DATA.HTM` on its drive; `device/v2.py` adds them.

The file is an HTML page of fixed size. Its head ends in `UBIT_LOG_FS_V_002`, a line feed, and three
fields that end in NUL: where the log ends, where its data begins, and DAPLink's version. The data
is CSV, up to the first byte that was never written. (codal-microbit-v2, `MicroBitLog.cpp`.)
"""

import re
from contextlib import suppress

from noughts.errors import DataLogError, SentenceError
from noughts.protocol.sentences import Game, parse

NAME = "MY_DATA.HTM"
MAX_SIZE = 1 << 18
"""The most bytes that are read; a real file has 129,024."""
_HEAD = re.compile(rb"UBIT_LOG_FS_V_002\n0x([0-9A-Fa-f]{8})\x000x([0-9A-Fa-f]{8})\x00")
_HEADING = "boot,game,seats,first,moves,ms,end"


def games(content: bytes, name: str = NAME) -> list[Game]:
    """The games in a data log, in the order in which they ended; name: the file's, for errors.

    Rows of other programs, and rows that a power cut has damaged, are skipped. Raises
    `DataLogError` if all rows are of other programs, or if the file is not a data log, is cut short
    or is damaged.
    """
    head = _HEAD.search(content)
    if head is None or len(content) > MAX_SIZE:
        raise DataLogError(
            f"{name} is not a micro:bit's data log; copy {NAME} from the board's drive "
            "(a page that a browser has saved is another file)"
        )
    end, start = int(head[1], 16), int(head[2], 16)
    data = content[start:end].partition(b"\xff")[0]
    # A power cut leaves unwritten bits, which are ones.
    if not head.end() <= start <= end <= len(content) or b"\0" in data:
        raise DataLogError(
            f"{name} is cut short or damaged; copy it from the board's drive once more"
        )
    # If other programs have used the same log, their columns are empty in our rows.
    rows = [row.strip(",\r") for row in data.decode("ascii", "replace").split("\n")]
    found = []
    for row in rows:
        with suppress(SentenceError):
            game = parse(f"NG,{row}").sentence
            if isinstance(game, Game) and game.end != "-":
                found.append(game)
    if not found and any(row not in ("", _HEADING) for row in rows):
        raise DataLogError(f"{name} holds no games of noughts; choose another log")
    return found
