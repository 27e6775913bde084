"""The store's tables, and how a store of release 1.0.0 becomes one of this version.

    boards   name: `usb-` and the USB serial number, `radio-` and the board's own id if it was
             received by radio, else the port's name; before these, the room and a `/`, if several
             rooms are stored together. given_name: the name that people gave it
    lines    everything received: each different sentence once, with the time at which it was
             first received; noise each time that it came, up to 64 MB
    boots    each run of a board whose start was received, from its lines
    games    one row per game, by cable or radio: what `fold.py` makes of the lines of a boot
             and number, renewed in the transaction that adds lines; its seats are letters of
             sentences, or those of the page's engines

Times are milliseconds since 1970, UTC; NULL if unknown.
"""

import sqlite3
from collections.abc import Iterator
from pathlib import Path

from noughts.protocol.parser import Noise, ParsedSentence, Stream
from noughts.protocol.radio_boards import is_by_radio
from noughts.protocol.sentences import Boot, Runs
from noughts.store import capture
from noughts.store.fold import FoldedGame
from noughts.store.lines import Lines, Received

APPLICATION_ID = 0x6E6F7567  # "noug", which distinguishes a store from other databases
VERSION = 5
OF_1_0_0 = 4
"""The version of release 1.0.0's stores."""

UNKNOWN_TIME = -(1 << 62)
"""Sorts a game before all others."""
GAME_TIME = f"coalesce(started, played_before, {UNKNOWN_TIME})"
"""When a game was played, as an index has it."""

BOARDS = (
    "CREATE TABLE boards (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, given_name TEXT)",
    "CREATE UNIQUE INDEX given_names ON boards (given_name COLLATE NOCASE)",
)
TABLES = (
    """
    CREATE TABLE lines (
        id INTEGER PRIMARY KEY,
        board INTEGER NOT NULL REFERENCES boards,
        boot TEXT,                  -- NULL for noise
        number INTEGER,             -- the game's; 0 for a boot
        by_radio INTEGER NOT NULL,
        late INTEGER NOT NULL,      -- whether the game had ended some time before
        at INTEGER,
        text TEXT NOT NULL          -- a sentence without $ and checksum; noise as
                                    -- `parser.escape` writes it; or empty: a port was opened
    ) STRICT
    """,
    "CREATE INDEX sentences ON lines (boot, number) WHERE boot IS NOT NULL",
    "CREATE INDEX noise ON lines (at) WHERE boot IS NULL",
    # With `number = 0`, SQLite would plan each query again for the number that it searches for.
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
    """
    CREATE VIEW boots AS SELECT
        board, boot, substr(text, length(boot) + 7, 2) AS hardware,
        substr(text, length(boot) + 10, length(text) - length(boot) - 14) AS release,
        substr(text, -4) AS table_id, at AS heard
    FROM lines WHERE NOT number
    """,
)

_GAME = "seats, first, moves, times, ms, end, started, heard, played_before, by_radio"
_OLD_GAMES = f"""
    SELECT old.id, boot, number, start_by_radio, name, {_GAME}
    FROM old_games AS old JOIN boards ON boards.id = board ORDER BY boot, number, old.id
"""
_OLD_BOOTS = """
    SELECT name, heard, boot, hardware, release, table_id
    FROM old_boots JOIN boards ON boards.id = board
"""


def take_over(db: sqlite3.Connection, path: Path) -> None:
    """Make and fill the tables of this version, within a transaction.

    Game numbers stay the same. Release 1.0.0 had a row for each board under which a game was
    received; these rows become one game.
    """
    db.execute("ALTER TABLE games RENAME TO old_games")
    db.execute("ALTER TABLE boots RENAME TO old_boots")
    db.execute("DROP INDEX games_by_moment")
    for statement in TABLES:
        db.execute(statement)
    # First, so that no new game gets one of their numbers.
    db.execute(
        f"INSERT INTO games (id, board, boot, number, line, {_GAME}) "
        f"SELECT id, board, boot, number, 0, {_GAME} FROM old_games"
    )
    lines = Lines(db)
    for board, heard, *about in db.execute(_OLD_BOOTS).fetchall():
        lines.keep([Received.of(board, Boot(*about), heard)])
    for id, boot, number, start_by_radio, *rest in db.execute(_OLD_GAMES).fetchall():
        game = FoldedGame(*rest)
        late = game.started is None
        first, *_ = [
            lines.add(lines.known((boot, number)), game.board, by_radio, late, at, text)
            for by_radio, at, text in _lines(game, boot, number, bool(start_by_radio))
        ]
        db.execute("UPDATE games SET line = ? WHERE id = ?", (first, id))
    lines.correct_games()
    db.execute("DROP TABLE old_games")
    db.execute("DROP TABLE old_boots")
    runs = Runs()
    for log in sorted(Path(f"{path}.raw").glob("????-??-??T*.log")):
        with log.open("rb") as file:
            for captured in capture.read(file):
                lines.keep(_received(captured, runs))


def _received(captured: capture.Captured, runs: Runs) -> Iterator[Received]:
    board, at = captured.board, captured.at
    if board is None:
        return
    if not captured.data:
        runs.opened(board, at)
        yield Received(board, None, "", at)
        return
    for item in Stream().feed(captured.data):  # each raw line is whole
        if isinstance(item, ParsedSentence):
            late = runs.is_late(board, item.sentence, item.radio_id is not None, at)
            yield Received(board, item.sentence, item.body, at, late)
        else:
            yield Received(board, None, item.text if isinstance(item, Noise) else item.line, at)


def _lines(
    game: FoldedGame, boot: str, number: int, start_by_radio: bool
) -> Iterator[tuple[bool, int | None, str]]:
    """The lines that an old game must have come from, the last first: by radio, time, text."""

    def text(moves: str, ms: int, end: str) -> str:
        return f"NG,{boot},{number},{game.seats},{game.first},{moves},{ms},{end}"

    lines = [(game.ms, text(game.moves, game.ms, game.end))]
    for plies, time in reversed([*enumerate(game.times.split(","), 1)]):
        if time and (plies < len(game.moves) or game.end == "x"):
            lines.append((int(time), text(game.moves[:plies], int(time), "-")))
    last_by_radio = is_by_radio(game.board) or bool(game.by_radio)
    if game.started is None or game.heard is None:
        for _, line in lines:
            yield last_by_radio, game.played_before, line
        return
    # Lines with the first and the last time came live, and all of these in the same way.
    live_by_radio = is_by_radio(game.board) or start_by_radio
    heard: int | None = game.heard
    for ms, line in lines:
        at = game.started + ms
        is_last = line is lines[0][1]
        if at > game.heard or (is_last and last_by_radio is not live_by_radio):
            yield last_by_radio, None, line
        else:
            yield live_by_radio, at if heard is None else heard, line
            heard = None
    yield live_by_radio, game.started, text("", 0, "-")
