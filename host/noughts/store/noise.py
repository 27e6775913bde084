"""Noise in the table `lines`, which is all that is not a sentence: how much of it stays.

It is stored for a later version to read. Above a limit, the oldest goes.
"""

import sqlite3

MAX_BYTES = 64 * 1024 * 1024
"""Of noise in a store."""
PURGED_ROWS = 20_000
"""How many are deleted at once."""
_ROW_BYTES = 50
"""Of a row and its index without the text, roughly."""


class Noise:
    """The noise of a store; each call within a transaction, when all lines are written."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db
        self._bytes: int | None = None
        """In the store, once they were counted."""

    def has(self, board_id: int, at: int, text: str) -> bool:
        """Whether it is stored already."""
        query = "SELECT 1 FROM lines WHERE boot IS NULL AND board = ? AND at = ? AND text = ?"
        return self._db.execute(query, (board_id, at, text)).fetchone() is not None

    def make_room(self, text: str) -> None:
        """Count a text that is about to be added; delete the oldest ones if there are too many."""
        if self._bytes is None:
            query = f"SELECT coalesce(sum(length(text) + {_ROW_BYTES}), 0) FROM lines"
            ((self._bytes,),) = self._db.execute(f"{query} WHERE boot IS NULL")
        self._bytes += len(text) + _ROW_BYTES
        if self._bytes > MAX_BYTES:
            # The newest line stays: a room has published up to an id, which must not be reused.
            self._db.execute(
                "DELETE FROM lines WHERE id IN (SELECT id FROM lines WHERE boot IS NULL "
                "AND id < (SELECT max(id) FROM lines) ORDER BY at LIMIT ?)",
                (PURGED_ROWS,),
            )
            self._bytes = None
