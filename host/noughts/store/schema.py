"""The store's tables.

    boards   name: `usb-` and the USB serial number, `radio-` and the board's own id if it was
             received by radio, else the port's name; before these, the room and a `/`, if several
             rooms are stored together. given_name: the name that people gave it
    lines    everything received: each different sentence once, with the time at which it was
             first received; noise each time that it came, up to 64 MB
    boots    each run of a board whose start was received: the fields of `sentences.Boot`
    games    one row per game, by cable or radio: what `fold.py` makes of the lines of a boot
             and number, renewed in the transaction that adds lines; the fields of `sentences.Game`,
             whose seats may also be letters of the page's engines
    published  by room: the last line that its collector has confirmed

`boots` and `games` follow from `lines`, so a change of these tables needs a new `VERSION` and no
more, see `upgrade.py`. Times are milliseconds since 1970, UTC; NULL if unknown.
"""

APPLICATION_ID = 0x6E6F7567  # "noug", which distinguishes a store from other databases
VERSION = 6
OLDEST_VERSION = 5
"""Of release 1.1.0: the oldest store that has lines to copy."""

UNKNOWN_TIME = -(1 << 62)
"""Sorts a game before all others."""
GAME_TIME = f"coalesce(started, played_before, {UNKNOWN_TIME})"
"""When a game was played, as an index has it."""

TABLES = (
    """
    CREATE TABLE boards (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, given_name TEXT) STRICT
    """,
    """
    CREATE TABLE lines (
        id INTEGER PRIMARY KEY,
        board INTEGER NOT NULL REFERENCES boards,
        boot TEXT,                  -- NULL for noise
        number INTEGER,             -- the game's; 0 for a boot or a menu
        by_radio INTEGER NOT NULL,
        late INTEGER NOT NULL,      -- whether the game had ended some time before
        at INTEGER,
        text TEXT NOT NULL          -- a sentence without $ and checksum; noise as
                                    -- `parser.escape` writes it; or empty: a port was opened
    ) STRICT
    """,
    "CREATE INDEX sentences ON lines (boot, number) WHERE boot IS NOT NULL",
    "CREATE INDEX noise ON lines (at) WHERE boot IS NULL",
    """
    CREATE TABLE boots (
        line INTEGER PRIMARY KEY,   -- from which it follows
        board INTEGER NOT NULL REFERENCES boards,
        by_radio INTEGER NOT NULL,
        heard INTEGER,
        boot TEXT NOT NULL,
        hardware TEXT NOT NULL,     -- V1 or V2
        release TEXT NOT NULL,
        table_id TEXT NOT NULL
    ) STRICT
    """,
    "CREATE INDEX boots_by_board ON boots (board, boot)",
    "CREATE INDEX boots_by_boot ON boots (boot) WHERE NOT by_radio",
    """
    CREATE TABLE published (
        receiver TEXT PRIMARY KEY,  -- the broker, and the room
        line INTEGER NOT NULL       -- the last one that its collector has confirmed
    ) STRICT
    """,
    """
    CREATE TABLE games (
        id INTEGER PRIMARY KEY,
        board INTEGER NOT NULL REFERENCES boards,
        boot TEXT NOT NULL,         -- eight hex digits
        number INTEGER NOT NULL,    -- counts from 1 since boot
        line INTEGER NOT NULL,      -- its first line, by which it keeps its id
        seats TEXT NOT NULL CHECK (length(seats) = 2),           -- player A's and B's
        first TEXT NOT NULL CHECK (first IN ('A', 'B')),         -- who began
        moves TEXT NOT NULL CHECK (moves NOT GLOB '*[^0-8]*'),   -- cells
        times TEXT NOT NULL CHECK (times NOT GLOB '*[^0-9,]*'),
                                    -- for each move, ms since the game began; empty if unknown
        ms INTEGER NOT NULL,        -- of the last line, since the game began
        end TEXT NOT NULL CHECK (end GLOB '[-AB=x]'),
        started INTEGER CHECK (abs(started) < 253370764800000),  -- the year 9999
        heard INTEGER CHECK (abs(heard) < 253370764800000),
        played_before INTEGER CHECK (abs(played_before) < 253370764800000),
                                    -- without a start: a time by which it had ended
        by_radio INTEGER NOT NULL   -- whether its later moves came by radio only
    ) STRICT
    """,
    "CREATE INDEX games_by_number ON games (boot, number)",
    "CREATE INDEX games_by_board ON games (board)",
    f"CREATE INDEX games_by_moment ON games ({GAME_TIME})",
)
