"""Which boards are accepted by radio: anyone nearby can send, under any id.

So only known boards are accepted, or else only so many. Refused sentences are counted, and are not
stored.
"""

import re
from collections import defaultdict
from collections.abc import Collection, Mapping
from pathlib import Path

from noughts.errors import NoughtsError
from noughts.files import read_small
from noughts.protocol.radio_boards import id_of, is_by_radio, sending_board
from noughts.recording.events import BoardRefused
from noughts.store.board_names import caseless

MAX_BOARDS = 100
"""Accepted from one gateway without a list of known boards: a class and its neighbours."""
_MAX_REPORTED = 100
"""Refusals are reported for this many boards."""
_ID = re.compile(r"(?:radio-)?([0-9A-F]{8})", re.IGNORECASE)


class RadioLines:
    """Accepts or refuses boards by radio. known_ids: the ids to accept; None accepts any.

    named: boards that people have named, which are accepted too, if there is no list; it may be
    replaced.
    """

    def __init__(self, known_ids: Collection[str] | None = None) -> None:
        self.named: Collection[str] = ()
        self.refused = 0
        """Sentences."""
        self._known_ids = known_ids
        self._boards: defaultdict[str, set[str]] = defaultdict(set)
        self._reported: set[str] = set()

    def board(self, port_board: str, radio_id: str) -> str | BoardRefused | None:
        """The sending board, or its refusal; None if that was already reported."""
        board = sending_board(port_board, radio_id)
        received = self._boards[port_board]
        if self._known_ids is not None:
            if radio_id in self._known_ids:
                return board
            why = "not one of the known boards (--known)"
        elif board in received or board in self.named:
            return board
        elif len(received) < MAX_BOARDS:
            received.add(board)
            return board
        else:
            why = (
                f"this gateway already receives {MAX_BOARDS} boards; list yours in a file for "
                "`noughts watch --known FILE`"
            )
        self.refused += 1
        if board in self._reported or len(self._reported) >= _MAX_REPORTED:
            return None
        self._reported.add(board)
        return BoardRefused(board, port_board, why)


def read_known_ids(path: Path, names: Mapping[str, str]) -> frozenset[str]:
    """The ids in a file. Each line has an id, or a board's name from `names`; # starts a comment.

    Raises `OSError`, and `NoughtsError` for a line that is neither or a file without boards.
    """
    by_name: defaultdict[str, set[str]] = defaultdict(set)
    for board, name in names.items():
        if is_by_radio(board):
            by_name[caseless(name)].add(id_of(board))
    ids: set[str] = set()
    text = read_small(path).decode("utf-8-sig", errors="replace")
    for number, line in enumerate(text.splitlines(), 1):
        written = " ".join(line.split())
        # A name may contain a #.
        words = written if caseless(written) in by_name else written.split("#")[0].strip()
        if match := _ID.fullmatch(words):
            ids.add(match[1].upper())
        elif caseless(words) in by_name:
            ids |= by_name[caseless(words)]
        elif words:
            raise NoughtsError(
                f"{path}, line {number}: no radio board has the id or name "
                f"{words[:40]!r}; `noughts boards` lists them"
            )
    if not ids:
        raise NoughtsError(f"{path} has no boards; write one per line, such as 9A1B2C3D")
    return frozenset(ids)
