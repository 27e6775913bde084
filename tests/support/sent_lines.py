"""What a room would send of its store: raw lines, which `noughts watch --from` reads."""

from __future__ import annotations

from pathlib import Path

from noughts.rooms.publisher import messages_after
from noughts.store.store import Store


def sent_lines(store: Path) -> bytes:
    """All lines of a store that have a moment, in order for each board."""
    found, line = b"", 0
    with Store(store) as opened:
        while True:
            messages, line = messages_after(opened, line, "nobody")
            if not messages:
                return found
            found += b"".join(each.lines for each in messages)
