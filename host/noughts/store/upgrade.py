"""How a store of an earlier version becomes one of this version: its lines are copied.

All else follows from them. Only names of boards, numbers of games, and how far a room has published
its lines are kept besides.
"""

import sqlite3

from noughts.store.lines import Lines
from noughts.store.schema import TABLES

_COPIED = ("boards", "lines", "published")


def upgrade(db: sqlite3.Connection) -> None:
    """Make and fill the tables of this version, within a transaction."""
    created = db.execute("SELECT type, name FROM sqlite_master WHERE sql IS NOT NULL").fetchall()
    # Before tables are renamed: a view would follow its table.
    for kind in ("view", "index"):
        for name in [name for each, name in created if each == kind]:
            db.execute(f"DROP {kind} {name}")
    for name in [name for each, name in created if each == "table"]:
        db.execute(f"ALTER TABLE {name} RENAME TO old_{name}")
    for statement in TABLES:
        db.execute(statement)
    for name in _COPIED:
        columns = ", ".join(
            column for column in _columns(db, name) if column in _columns(db, f"old_{name}")
        )
        db.execute(f"INSERT INTO {name} ({columns}) SELECT {columns} FROM old_{name}")
    Lines(db).derive(games="old_games")
    for name in [name for each, name in created if each == "table"]:
        db.execute(f"DROP TABLE old_{name}")


def _columns(db: sqlite3.Connection, table: str) -> list[str]:
    return [name for _, name, *_ in db.execute(f"PRAGMA table_info({table})")]
