"""The store's tables, and how an older store becomes one of this version.

    boards   what games come from: `usb-` and the USB serial number, `radio-` and the board's own
             id where it was heard by radio, else the port's name; before that and a `/` the room,
             if several are kept together; and what people call it, once they have named it
    lines    what was received, each different line once, with the first moment at which it was
             received; what is not a sentence, with each of its moments, up to 64 MB of it
    boots    each run of a board that has said what it runs, from its lines
    games    one row per game, whichever ways it came: what `fold.py` makes of the lines of a boot
             and number, renewed in the transaction in which lines come; its seats are letters of
             `describe.SEATS`

Moments are milliseconds since 1970, UTC; NULL where nobody looked at a clock.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable

from noughts.store.take_over import take_over

Step = str | Callable[[sqlite3.Connection], None]
"""A statement, or what cannot be said in SQL."""

APPLICATION_ID = 0x6E6F7567  # "noug", by which a store is told from other databases

MIGRATIONS: tuple[tuple[Step, ...], ...] = (
    (
        """
        CREATE TABLE boards (
            id INTEGER PRIMARY KEY,
            name TEXT NOT NULL UNIQUE
        )
        """,
        """
        CREATE TABLE boots (
            board INTEGER NOT NULL REFERENCES boards,
            boot TEXT NOT NULL,
            hardware TEXT NOT NULL,   -- V1 or V2
            release TEXT NOT NULL,
            table_id TEXT NOT NULL,
            heard INTEGER,
            PRIMARY KEY (board, boot, hardware, release, table_id)
        )
        """,
        """
        CREATE TABLE games (
            id INTEGER PRIMARY KEY,
            board INTEGER NOT NULL REFERENCES boards,
            boot TEXT NOT NULL,       -- four or eight hex digits
            number INTEGER NOT NULL,  -- counts from 1 since boot
            again INTEGER NOT NULL,
            seats TEXT NOT NULL,      -- player A's and B's: P, E, M or H
            first TEXT NOT NULL,      -- who began: A or B
            moves TEXT NOT NULL,      -- cells 0 to 8
            times TEXT NOT NULL,      -- for each move, ms since the game began; empty if not heard
            ms INTEGER NOT NULL,      -- of the last sentence, since the game began
            end TEXT NOT NULL,        -- as in the sentence: - A B = x
            started INTEGER,
            heard INTEGER,            -- when the last sentence came
            UNIQUE (board, boot, number, again)
        )
        """,
    ),
    (
        "ALTER TABLE boards ADD COLUMN given_name TEXT",
        "CREATE UNIQUE INDEX given_names ON boards (given_name COLLATE NOCASE)",
    ),
    # Also, seats may be of engines that no board has: to an earlier version those would be damage.
    ("CREATE INDEX games_by_start ON games (started)",),
    (
        # Of a game that was told late, and has no start: a moment at which it was over.
        "ALTER TABLE games ADD COLUMN played_before INTEGER",
        # Whether its last moves or its end, and its start, are known from the radio alone.
        "ALTER TABLE games ADD COLUMN by_radio INTEGER NOT NULL DEFAULT 0",
        "ALTER TABLE games ADD COLUMN start_by_radio INTEGER NOT NULL DEFAULT 0",
        "DROP INDEX games_by_start",
        "CREATE INDEX games_by_moment ON games (coalesce(started, played_before))",
        # Eight digits name a run wherever it is heard of; by board there is an index already.
        "CREATE INDEX games_by_boot ON games (boot, number) WHERE length(boot) = 8",
    ),
    (
        """
        CREATE TABLE lines (
            id INTEGER PRIMARY KEY,
            board INTEGER NOT NULL REFERENCES boards,
            boot TEXT,                  -- NULL of what is not a sentence
            number INTEGER,             -- the game's; 0 of a boot
            by_radio INTEGER NOT NULL,
            late INTEGER NOT NULL,      -- whether the game was over some time before
            at INTEGER,
            text TEXT NOT NULL          -- of a sentence what stands between $ and *; else as
                                        -- `parser.escape` writes it, or empty: a port was opened
        ) STRICT
        """,
        """
        CREATE UNIQUE INDEX sentences ON lines (boot, number, text, board, by_radio, late)
        WHERE boot IS NOT NULL
        """,
        "CREATE INDEX noise ON lines (at) WHERE boot IS NULL",
        "CREATE INDEX starts ON lines (board) WHERE number = 0",
        """
        CREATE TABLE published (        -- how far rooms have sent their lines
            receiver TEXT PRIMARY KEY,  -- the broker, and the room
            line INTEGER NOT NULL
        ) STRICT
        """,
        "ALTER TABLE games RENAME TO old_games",
        "DROP INDEX games_by_moment",
        "DROP INDEX games_by_boot",
        """
        CREATE TABLE games (
            id INTEGER PRIMARY KEY,
            board INTEGER NOT NULL REFERENCES boards,
            boot TEXT NOT NULL,         -- four or eight hex digits
            number INTEGER NOT NULL,    -- counts from 1 since boot
            line INTEGER NOT NULL,      -- the one that it began with, by which it keeps its id
            seats TEXT NOT NULL,        -- player A's and B's: P, E, M or H
            first TEXT NOT NULL,        -- who began: A or B
            moves TEXT NOT NULL,        -- cells 0 to 8
            times TEXT NOT NULL,        -- for each move, ms since the game began; empty if unknown
            ms INTEGER NOT NULL,        -- of the last line, since the game began
            end TEXT NOT NULL,          -- as in the sentence: - A B = x
            started INTEGER,
            heard INTEGER,
            played_before INTEGER,      -- without a start: a moment at which it was over
            by_radio INTEGER NOT NULL   -- whether the radio alone knows how it went on
        )
        """,
        "CREATE INDEX games_by_number ON games (boot, number)",
        "CREATE INDEX games_by_board ON games (board)",
        "CREATE INDEX games_by_moment ON games (coalesce(started, played_before))",
        take_over,
        "DROP TABLE boots",
        """
        CREATE VIEW boots AS SELECT
            board, boot, substr(text, length(boot) + 7, 2) AS hardware,
            substr(text, length(boot) + 10, length(text) - length(boot) - 14) AS release,
            substr(text, -4) AS table_id, at AS heard
        FROM lines WHERE number = 0
        """,
    ),
)
"""The steps that make each version of the one before; the first makes version 1 of nothing."""
