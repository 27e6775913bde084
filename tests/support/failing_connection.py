"""A connection to a store, on which one query fails."""

import sqlite3
from typing import Any


class FailingConnection:
    """Passes everything on to a connection, except for this query."""

    def __init__(self, db: sqlite3.Connection, query: str, error: sqlite3.Error) -> None:
        self._db, self._query, self._error = db, query, error

    def __getattr__(self, name: str) -> Any:
        return getattr(self._db, name)

    def execute(self, query: str, *values: Any) -> sqlite3.Cursor:
        if query == self._query:
            raise self._error
        return self._db.execute(query, *values)
