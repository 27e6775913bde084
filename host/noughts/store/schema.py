"""The store's tables, and how a store of release 1.0.0 becomes one of this version.

    boards   what games come from: `usb-` and the USB serial number, `radio-` and the board's own
             id if it was received by radio, else the port's name; before that and a `/` the room,
             if several are stored together; and what people call it, once they have named it
    lines    what was received, each different line once, with the first moment at which it was
             received; what is not a sentence, with each of its moments, up to 64 MB of it
    boots    each run of a board that has said what it runs, from its lines
    games    one row per game, by cable or radio: what `fold.py` makes of the lines of a boot
             and number, renewed in the transaction in which lines come; its seats are letters of
             `describe.SEATS`

Moments are milliseconds since 1970, UTC; NULL where nobody looked at a clock.
"""

from __future__ import annotations

APPLICATION_ID = 0x6E6F7567  # "noug", which distinguishes a store from other databases
VERSION = 5
OF_1_0_0 = 4
"""The version of the stores that release 1.0.0 wrote."""

BOARDS = (
    "CREATE TABLE boards (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, given_name TEXT)",
    "CREATE UNIQUE INDEX given_names ON boards (given_name COLLATE NOCASE)",
)
TABLES = (
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
    "CREATE INDEX sentences ON lines (boot, number) WHERE boot IS NOT NULL",
    "CREATE INDEX noise ON lines (at) WHERE boot IS NULL",
    # With `number = 0` SQLite would look at each number that is searched for, and plan anew.
    "CREATE INDEX starts ON lines (board) WHERE NOT number",
    """
    CREATE TABLE published (        -- how far rooms have sent their lines
        receiver TEXT PRIMARY KEY,  -- the broker, and the room
        line INTEGER NOT NULL
    ) STRICT
    """,
    """
    CREATE TABLE games (
        id INTEGER PRIMARY KEY,
        board INTEGER NOT NULL REFERENCES boards,
        boot TEXT NOT NULL,         -- eight hex digits
        number INTEGER NOT NULL,    -- counts from 1 since boot
        line INTEGER NOT NULL,      -- the one that it began with, by which it keeps its id
        seats TEXT NOT NULL CHECK (length(seats) = 2),           -- player A's and B's
        first TEXT NOT NULL CHECK (first IN ('A', 'B')),         -- who began
        moves TEXT NOT NULL CHECK (moves NOT GLOB '*[^0-8]*'),   -- cells
        times TEXT NOT NULL CHECK (times NOT GLOB '*[^0-9,]*'),
                                    -- for each move, ms since the game began; empty if unknown
        ms INTEGER NOT NULL,        -- of the last line, since the game began
        end TEXT NOT NULL CHECK (end IN ('-', 'A', 'B', '=', 'x')),
        started INTEGER CHECK (abs(started) < 253370764800000),  -- the year 9999
        heard INTEGER CHECK (abs(heard) < 253370764800000),
        played_before INTEGER CHECK (abs(played_before) < 253370764800000),
                                    -- without a start: a moment at which it was over
        by_radio INTEGER NOT NULL   -- whether the radio alone knows how it went on
    ) STRICT
    """,
    "CREATE INDEX games_by_number ON games (boot, number)",
    "CREATE INDEX games_by_board ON games (board)",
    "CREATE INDEX games_by_moment ON games (coalesce(started, played_before))",
    """
    CREATE VIEW boots AS SELECT
        board, boot, substr(text, length(boot) + 7, 2) AS hardware,
        substr(text, length(boot) + 10, length(text) - length(boot) - 14) AS release,
        substr(text, -4) AS table_id, at AS heard
    FROM lines WHERE NOT number
    """,
)
