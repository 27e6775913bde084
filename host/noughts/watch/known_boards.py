"""Which boards count that are heard by radio, as a teacher writes it down.

A line for each board, its id or the name that people gave it; a line or the rest of one after #
is a comment:

    # table 1 and 2
    9A1B2C3D
    blue table
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from noughts.errors import NoughtsError
from noughts.protocol.radio_boards import id_of, is_by_radio

_ID = re.compile(r"(?:radio-)?([0-9A-F]{8})", re.IGNORECASE)


def known_ids(path: Path, names: Mapping[str, str]) -> frozenset[str]:
    """The ids in a file; names: what people call boards.

    Raises `NoughtsError` for a line that names no board, and for a file without any; `OSError`.
    """
    by_name: dict[str, set[str]] = {}
    for board, name in names.items():
        if is_by_radio(board):
            by_name.setdefault(name.casefold(), set()).add(id_of(board))
    ids: set[str] = set()
    text = path.read_text(encoding="utf-8-sig", errors="replace")
    for number, line in enumerate(text.splitlines(), 1):
        written = " ".join(line.split())
        # A name may have a # in it.
        words = written if written.casefold() in by_name else written.split("#")[0].strip()
        if found := _ID.fullmatch(words):
            ids.add(found[1].upper())
        elif words:
            if words.casefold() not in by_name:
                raise NoughtsError(
                    f"{path}, line {number}: no board by radio has the id or the name "
                    f"{words[:40]!r}; `noughts boards` lists them"
                )
            ids |= by_name[words.casefold()]
    if not ids:
        raise NoughtsError(f"{path} names no board; write a line for each, such as 9A1B2C3D")
    return frozenset(ids)
