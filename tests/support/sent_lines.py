"""What a room would send of its store: raw lines, which `noughts watch --from` reads."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

from noughts.rooms.backlog import Backlog


def sent_lines(store: Path) -> bytes:
    """All lines of a store that have a moment, in order for each board."""
    found = b""
    with closing(Backlog(store, "mqtt://nowhere", "nobody")) as backlog:
        while messages := backlog.more():
            found += b"".join(each.lines for each in messages)
    return found
