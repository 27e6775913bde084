"""The games in a V2's data log, `MY_DATA.HTM` on its drive; `device/games_v2.py` adds them.

The file is an HTML page of fixed size. Its head ends in `UBIT_LOG_FS_V_002`, a line feed, and three
fields that end in NUL: where the log ends, where its data begins, and DAPLink's version. The data
is CSV, then bytes that were never written. (codal-microbit-v2, `MicroBitLog.cpp`.)

People also bring the page as a browser has saved it, and the CSV that the page offers to download.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

from noughts.errors import DataLogError, SentenceError
from noughts.protocol.sentences import GAME_FIELDS, Game, parse

NAME = "MY_DATA.HTM"
MAX_SIZE = 400_000
"""The most bytes that are read. A real file has 129,024; saved by a browser, up to three times as
many."""

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_SAVED_BY_BROWSERS = (b"\xef\xbf\xbd", b"\xc3\xbf")
"""What becomes of a byte 0xFF, which is not text, when a browser or an editor saves the page."""
_VERSION = re.compile(rb"UBIT_LOG_FS_V_(\d{3})\n")
_HEAD = re.compile(rb"UBIT_LOG_FS_V_002\n0x([0-9A-Fa-f]{8})\x000x([0-9A-Fa-f]{8})\x00")
_UNWRITTEN = re.compile(rb"\xff+")
_SECTOR = 1024
"""Of all sectors in interface chips, the smallest; the others are multiples of it."""
COLUMNS = tuple("game" if name == "number" else name for name in GAME_FIELDS)
"""Our columns, which are the fields of a game; `device/games_v2.py` calls its number `game`."""
_IDENTIFYING = {*COLUMNS} - {"ms"}
"""Other programs' rows have none of these; a column `ms` they may share."""


class DataLog(NamedTuple):
    """What a data log holds."""

    games: list[Game]
    """In the order in which they ended."""
    skipped: int
    """How many rows have cells in our columns and are not a game that has ended."""
    first_skipped: int | None
    """The first of these lines of the data, from 1; the heading is a line too."""


def is_data_log(first_bytes: bytes, name: str) -> bool:
    """Whether a file is a data log, a web page or a table, and not what a board sent over serial.

    first_bytes: its first line, or the beginning of it.
    """
    first_line = first_bytes.removeprefix(_BYTE_ORDER_MARK).partition(b"\n")[0]
    is_table = name.lower().endswith(".csv") or _is_heading(_cells(first_line))
    return first_line.startswith(b"<") or (is_table and b"$" not in first_line)


def read(content: bytes, name: str = NAME) -> DataLog:
    """The games in a data log, and how many damaged rows were skipped; name: for errors.

    Raises `DataLogError` if all rows are of other programs or damaged, or if the file is not a data
    log, is cut short or is damaged.
    """
    content = content.removeprefix(_BYTE_ORDER_MARK)
    version = _VERSION.search(content)
    is_table = any(_is_heading(_cells(line)) for line in content.split(b"\n"))
    if len(content) > MAX_SIZE or (version is None and not is_table):
        raise DataLogError(
            f"{name} is not a micro:bit's data log; copy {NAME} from the board's drive, or open it "
            "there and download its data as CSV"
        )
    lines = (_data(content, name) if version else content).split(b"\n")
    log = _parsed(lines)
    if not log.games and any(any(row) and not _is_heading(row) for row in map(_cells, lines)):
        raise DataLogError(f"{name} holds no games of noughts; choose another log")
    return log


def _data(content: bytes, name: str) -> bytes:
    """The rows of a log, with heading rows. Raises `DataLogError`."""
    for saved in _SAVED_BY_BROWSERS:
        content = content.replace(saved, b"\xff")
    head = _HEAD.search(content)
    version = _VERSION.search(content)
    if head is None and version is not None and version[1] != b"002":
        raise DataLogError(
            f"{name} is a data log of version {version[1].decode()}, and noughts reads version "
            "002; open it in a browser, download its data as CSV and use that file"
        )
    end, start = (int(head[1], 16), int(head[2], 16)) if head else (0, 0)
    written = _written(content, start, end)
    if head is None or not head.end() <= start <= end <= len(content) or b"\0" in written:
        raise DataLogError(
            f"{name} is cut short or damaged; copy it from the board's drive once more"
        )
    return written


def _written(content: bytes, start: int, end: int) -> bytes:
    """What the log has written between two addresses; an unwritten byte is 0xFF.

    Power cuts leave holes, with rows after them. Data ends in the sector that is unwritten up to
    its last byte: the log erases a sector just before it writes there, so the next sectors may
    still have rows that were deleted.
    """
    for unwritten in _UNWRITTEN.finditer(content, start, end):
        if unwritten.end() == end or unwritten.end() % _SECTOR == 0:
            return content[start : unwritten.start()]
    return content[start:end]


def _cells(line: bytes) -> list[str]:
    return line.rstrip(b"\r").decode("ascii", "replace").split(",")


def _is_heading(row: Sequence[str]) -> bool:
    return set(COLUMNS) <= set(row)


def _parsed(lines: Sequence[bytes]) -> DataLog:
    """The ended games among lines, which follow the last heading before them.

    Other programs may have added columns of their own anywhere, and share those with our names.
    """
    games, skipped = [], []
    heading: Sequence[str] = COLUMNS
    has_heading = not any(_is_heading(_cells(line)) for line in lines)
    for number, line in enumerate(lines, 1):
        row = _cells(line)
        if _is_heading(row):
            heading, has_heading = row, True
        elif game := _ended_game(line, heading):
            games.append(game)
        elif has_heading and _is_ours(row, heading):
            skipped.append(number)
    return DataLog(games, len(skipped), skipped[0] if skipped else None)


def _ended_game(line: bytes, heading: Sequence[str]) -> Game | None:
    """The game in a row; None for one of another program, and for a damaged one."""
    row = _cells(line)
    # A hole in a row may have the bytes of two rows, so that the rest looks like another game.
    if b"\xff" in line or len(row) > len(heading):
        return None
    cell_of = dict(zip(heading, row, strict=False))
    try:
        game = parse("NG," + ",".join(cell_of.get(name, "") for name in COLUMNS)).sentence
    except SentenceError:
        return None
    return game if isinstance(game, Game) and game.end != "-" else None


def _is_ours(row: Sequence[str], heading: Sequence[str]) -> bool:
    """Whether a row has cells that only our rows have, or more cells than the heading."""
    cells = zip(heading, row, strict=False)
    return len(row) > len(heading) or any(cell for name, cell in cells if name in _IDENTIFYING)
