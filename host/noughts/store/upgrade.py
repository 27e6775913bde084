"""How a store of an earlier version becomes one of this version: its lines are copied.

All else follows from them. Only names of boards, ids of games, and up to which line a collector has
confirmed those of a room are kept besides.
"""

import sqlite3

from noughts.store.lines import Lines
from noughts.store.schema import TABLES

_COPIED = ("boards", "lines", "published")


def upgrade(db: sqlite3.Connection) -> None:
    """Make and fill the tables of this version, within a transaction."""
    # Views and indices first: a view would follow its table to the new name.
    for object_type in ("view", "index"):
        for name in _names(db, object_type):
            db.execute(f"DROP {object_type} {name}")
    old_tables = _names(db, "table")
    for name in old_tables:
        db.execute(f"ALTER TABLE {name} RENAME TO old_{name}")
    for statement in TABLES:
        db.execute(statement)
    for name in _COPIED:
        columns = ", ".join(
            column for column in _columns(db, name) if column in _columns(db, f"old_{name}")
        )
        db.execute(f"INSERT INTO {name} ({columns}) SELECT {columns} FROM old_{name}")
    Lines(db).derive(games="old_games")
    for name in old_tables:
        db.execute(f"DROP TABLE old_{name}")


def _names(db: sqlite3.Connection, object_type: str) -> list[str]:
    """The names of all tables, views or indices that were made by a statement."""
    query = "SELECT name FROM sqlite_master WHERE type = ? AND sql IS NOT NULL"
    return [name for (name,) in db.execute(query, (object_type,))]


def _columns(db: sqlite3.Connection, table: str) -> list[str]:
    return [name for _, name, *_ in db.execute(f"PRAGMA table_info({table})")]
