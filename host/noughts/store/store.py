"""The store: an SQLite file that keeps every game, whatever is unplugged, reset or killed.

One transaction a sentence, in the write-ahead log, so a sentence is kept wholly or not at all,
others may read meanwhile, and several watchers may write.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from noughts.errors import StoreBusyError, StoreDamagedError, StoreError
from noughts.invocation import quoted
from noughts.protocol.radio_boards import is_by_radio
from noughts.protocol.sentences import Boot, Game, Sentence
from noughts.store.merging import (
    NO_DATES,
    Dates,
    Played,
    corrected,
    dates_of,
    first_played,
    knows,
    merge,
    precedence,
)
from noughts.store.schema import APPLICATION_ID, MIGRATIONS

_BUSY_S = 10.0
_MAX_BOARDS_REMEMBERED = 1000


def default_path() -> Path:
    """Where the store is unless `--db` says otherwise: in the user's data folder."""
    import platformdirs

    return platformdirs.user_data_path("noughts", appauthor=False) / "games.db"


def command_for(command: str, path: Path) -> str:
    """A command as a message names it, with `--db` if it would open another store otherwise."""
    if path == default_path():
        return f"`{command}`"
    return f"`{command} --db {quoted(str(path))}`"


def damaged(path: Path, error: Exception) -> StoreDamagedError:
    """What to say of a store that holds nonsense."""
    reason = str(error) if isinstance(error, sqlite3.Error) else type(error).__name__
    return StoreDamagedError(
        f"{path} is damaged or not a store of noughts ({reason}); move it away, "
        "and read its raw lines again with `noughts watch --from`"
    )


@dataclass(frozen=True)
class Kept:
    """A sentence is in the store."""

    game: int | None
    """The game's number in the store; none for a boot."""
    new: bool
    """Whether the store did not have all of it before."""
    played_before: int | None = None
    """Of a game whose start is not known: a moment at which it was over, in ms since 1970."""


@dataclass(frozen=True)
class _Row:
    """A stored game that a sentence may be of."""

    id: int
    board: int
    again: int
    by_radio: int
    played: Played
    dates: Dates


_ROWS = (
    "SELECT id, board, again, by_radio, seats, first, moves, times, ms, end, started, heard, "
    "played_before, start_by_radio FROM games WHERE boot = ? AND number = ? AND "
)


class Store(contextlib.AbstractContextManager["Store"]):
    """An open store. Use it in one thread at a time, and `close()` it; it can be a `with`."""

    def __init__(
        self, path: Path, create: bool = False, migrations: Sequence[Sequence[str]] = MIGRATIONS
    ) -> None:
        """Open a store, and bring an older one up to date; `create` one where none is.

        Raises `StoreError` in one line.
        """
        self.path = path
        self._boards: dict[str, int] = {}
        if create:
            try:
                path.parent.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise StoreError(
                    f"cannot make the folder {path.parent} ({error.strerror}); "
                    "choose another place with --db"
                ) from error
        elif not path.exists():
            raise StoreError(f"no games are kept in {path} yet; `noughts watch` keeps them")
        for mode in self._modes(create):
            with self._told():
                self.db = sqlite3.connect(
                    f"{Path(os.path.realpath(path)).as_uri()}?{mode}",
                    uri=True, timeout=_BUSY_S, isolation_level=None, check_same_thread=False,
                )  # fmt: skip
            try:
                with self._told():
                    self._prepare(migrations)
                return
            except BaseException as error:
                self.db.close()
                if not isinstance(error, StoreError) or mode == self._modes(create)[-1]:
                    raise

    def _modes(self, create: bool) -> tuple[str, ...]:
        """How SQLite may open the file: one that may not be written can still be looked at."""
        if create:
            return ("mode=rwc",)
        if os.access(self.path, os.W_OK) and os.access(self.path.parent, os.W_OK):
            return ("mode=rw",)
        return ("mode=rw", "mode=ro", "immutable=1")

    def _prepare(self, migrations: Sequence[Sequence[str]]) -> None:
        with self._transaction("BEGIN"):  # one moment of it: another program may be making it
            version = self._version(len(migrations))
        self.db.execute("PRAGMA foreign_keys = ON")
        self.db.execute("PRAGMA cache_size = -256")  # KiB: what is written lies close together
        self.db.execute("PRAGMA synchronous = NORMAL")  # a power cut may cost the last moments
        if version == len(migrations):
            return
        self._write_ahead()
        with self._transaction():
            version = self._version(len(migrations))  # another program may have been quicker
            for statements in migrations[version:]:
                for statement in statements:
                    self.db.execute(statement)
            self.db.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            self.db.execute(f"PRAGMA user_version = {len(migrations)}")

    def _write_ahead(self) -> None:
        """Turn to the write-ahead log; for that SQLite itself does not wait for others."""
        end_s = time.monotonic() + _BUSY_S
        while True:
            try:
                self.db.execute("PRAGMA journal_mode = WAL")
                return
            except sqlite3.OperationalError as error:
                if "locked" not in str(error) or time.monotonic() > end_s:
                    raise
            time.sleep(0.02)

    def _version(self, known: int) -> int:
        """The store's version, 0 for a new file; what is none of ours is left alone."""
        ((version,),) = self.db.execute("PRAGMA user_version")
        ((application,),) = self.db.execute("PRAGMA application_id")
        ((tables,),) = self.db.execute("SELECT count(*) FROM sqlite_master")
        if application != APPLICATION_ID and (application or version or tables):
            raise StoreError(
                f"{self.path} is a database of another program; choose another file with --db"
            )
        if version > known:
            raise StoreError(
                f"{self.path} was made by a newer noughts (store version {version}, this one "
                f"knows {known}); get the newer noughts, or choose another file with --db"
            )
        return int(version)

    def wait_for_others(self, seconds: float) -> None:
        """How long to wait while another program writes, before raising `StoreBusyError`."""
        self.db.execute(f"PRAGMA busy_timeout = {int(seconds * 1000)}")

    def keep(self, board: str, sentence: Sentence, at: int | None, late: bool = False) -> Kept:
        """Keep a sentence of a board; `at`: the moment when it was heard, if known.

        late: the game was over at some moment before, see `sentences.is_late`. When this returns,
        the sentence stays, also if the process is killed. Sentences that were read before change
        nothing.
        """
        return self.keep_all(board, [(sentence, at)], late)[0]

    def keep_all(
        self, board: str, heard: Sequence[tuple[Sentence, int | None]], late: bool = False
    ) -> list[Kept]:
        """Keep sentences as `keep` does, all of them or none."""
        with self._told(), self._transaction():
            number = self._board(board)
            return [
                self._keep_boot(number, sentence, at)
                if isinstance(sentence, Boot)
                else self._keep_game(number, board, sentence, at, late)
                for sentence, at in heard
            ]

    def _board(self, name: str) -> int:
        if name not in self._boards:
            if len(self._boards) >= _MAX_BOARDS_REMEMBERED:
                self._boards.clear()
            self.db.execute("INSERT OR IGNORE INTO boards (name) VALUES (?)", (name,))
            ((number,),) = self.db.execute("SELECT id FROM boards WHERE name = ?", (name,))
            self._boards[name] = number
        return self._boards[name]

    def _keep_boot(self, board: int, boot: Boot, at: int | None) -> Kept:
        added = self.db.execute(
            "INSERT OR IGNORE INTO boots VALUES (?, ?, ?, ?, ?, ?)",
            (board, boot.boot, boot.board, boot.release, boot.table_id, at),
        )
        return Kept(None, added.rowcount > 0)

    def _keep_game(self, board: int, name: str, game: Game, at: int | None, late: bool) -> Kept:
        moves = "".join(map(str, game.moves))
        by_radio = is_by_radio(name)
        count, rows = self._rows(board, game)
        same = _of_the_same_game(rows, board, by_radio, game, moves)
        if same is None:
            dates = dates_of(game, NO_DATES, at, late, by_radio)
            played = first_played(game, moves)
            row = {
                "board": board, "boot": game.boot, "number": game.number, "again": count,
                "seats": game.seats, "first": game.first, **played._asdict(), **dates._asdict(),
                "by_radio": int(by_radio),
            }  # fmt: skip
            added = self.db.execute(
                f"INSERT INTO games ({', '.join(row)}) VALUES (:{', :'.join(row)})", row
            )
            return Kept(added.lastrowid, True, dates.played_before)
        found, played = same
        dates = dates_of(game, found.dates, at, late, by_radio)
        self._change(found, played, dates)
        self._note_origin(found, board, name, played, game, count)
        return Kept(found.id, played != found.played, dates.played_before)

    def _rows(self, board: int, game: Game) -> tuple[int, list[_Row]]:
        """How many games have the same ids, and those with the same players, the newest first."""
        values: tuple[object, ...] = (game.boot, game.number)
        if len(game.boot) == 8:
            query = _ROWS + "length(boot) = 8"
        else:  # 16 random bits are none to know a game by
            query, values = _ROWS + "board = ?", (*values, board)
        found = self.db.execute(query, values).fetchall()
        rows = [
            _Row(id, of, again, by_radio, Played(*rest[:4]), Dates(*rest[4:]))
            for id, of, again, by_radio, seats, first, *rest in found
            if (seats, first) == (game.seats, game.first)
        ]
        rows.sort(key=lambda row: -row.again)
        return len(found), rows

    def _change(self, row: _Row, played: Played, dates: Dates) -> None:
        """Write what is new of a game. Its dates apart, for they are work in an index."""
        if played != row.played:
            self.db.execute(
                "UPDATE games SET moves = ?, times = ?, ms = ?, end = ? WHERE id = ?",
                (*played, row.id),
            )
        if dates == row.dates:
            return
        if dates._replace(heard=row.dates.heard) == row.dates:
            self.db.execute("UPDATE games SET heard = ? WHERE id = ?", (dates.heard, row.id))
            return
        self.db.execute(
            "UPDATE games SET started = ?, heard = ?, played_before = ?, start_by_radio = ? "
            "WHERE id = ?",
            (*dates, row.id),
        )

    def _note_origin(
        self, row: _Row, board: int, name: str, played: Played, game: Game, count: int
    ) -> None:
        """Note where a game is from, after a sentence of a board has been taken into it."""
        progress = len(game.moves), game.end == "x"
        by_radio = row.by_radio
        if not is_by_radio(name):
            by_radio = row.by_radio if progress < played.progress else 0
        elif played.progress != row.played.progress:
            by_radio = 1
        if by_radio != row.by_radio:
            self.db.execute("UPDATE games SET by_radio = ? WHERE id = ?", (by_radio, row.id))
        if row.board == board:
            return
        ((other,),) = self.db.execute("SELECT name FROM boards WHERE id = ?", (row.board,))
        if precedence(name) < precedence(other):
            moved = self.db.execute(
                "UPDATE OR IGNORE games SET board = ? WHERE id = ?", (board, row.id)
            )
            if not moved.rowcount:  # earlier versions kept a game for each name of its board
                self.db.execute(
                    "UPDATE games SET board = ?, again = ? WHERE id = ?", (board, count, row.id)
                )

    def name_board(self, board: str, name: str | None) -> None:
        """Let people call a board so; None: as before. Raises `StoreError` if another has the name.

        The board need not have been seen.
        """
        with self._told(), self._transaction():
            number = self._board(board)
            try:
                self.db.execute("UPDATE boards SET given_name = ? WHERE id = ?", (name, number))
            except sqlite3.IntegrityError as error:
                raise StoreError(
                    f"another board is named {name!r} already; choose another name"
                ) from error

    @contextmanager
    def _transaction(self, begin: str = "BEGIN IMMEDIATE") -> Iterator[None]:
        self.db.execute(begin)
        try:
            yield
            self.db.execute("COMMIT")
        except BaseException:
            if self.db.in_transaction:
                self.db.execute("ROLLBACK")
            self._boards.clear()  # one of them may have been new
            raise

    @contextmanager
    def _told(self) -> Iterator[None]:
        """What SQLite raises, as one line."""
        try:
            yield
        except sqlite3.Error as error:
            raise self._failure(error) from error
        except UnicodeDecodeError as error:
            raise damaged(self.path, error) from error

    def _failure(self, error: sqlite3.Error) -> StoreError:
        code = getattr(error, "sqlite_errorname", "") or str(error)  # Python 3.11 has the name
        text = f"{code} {error}".lower()
        if "locked" in text or "busy" in text:
            return StoreBusyError(
                f"{self.path} is in use by another program; close that and try again"
            )
        if "full" in text:
            why = f"no room to write {self.path}; free some space: what was kept before is safe"
        elif "readonly" in text:
            why = f"{self.path} may not be written; check its permissions, or choose another --db"
        elif "cantopen" in text or "unable to open" in text:
            why = f"cannot open {self.path} ({error}); check the folder, or choose another --db"
        elif "ioerr" in text or "i/o" in text:
            why = f"cannot read or write {self.path} ({error}); check the disk and its free space"
        else:
            return damaged(self.path, error)
        return StoreError(why)

    def read(self, query: str, values: Sequence[Any] = ()) -> list[Any]:
        """All rows of a query. Raises `StoreError`."""
        return list(self.each(query, values))

    def each(self, query: str, values: Sequence[Any] = ()) -> Iterator[Any]:
        """The rows of a query, one by one. Raises `StoreError`."""
        with self._told():
            # `yield from` would close the cursor, perhaps after the store.
            for row in self.db.execute(query, values):  # noqa: UP028
                yield row

    def others_wrote(self) -> int:
        """A number that changes when another program, or another connection, writes."""
        ((version,),) = self.read("PRAGMA data_version")
        return int(version)

    def close(self) -> None:
        """Close the file."""
        self.db.close()

    def __exit__(self, *_: object) -> None:
        self.close()


def _of_the_same_game(
    rows: Sequence[_Row], board: int, by_radio: bool, game: Game, moves: str
) -> tuple[_Row, Played] | None:
    """The stored game that a sentence is of, and what they know together; the board's own first."""
    own = [row for row in rows if row.board == board]
    others = [row for row in rows if row.board != board]
    for some in (own, others):
        for row in some:
            if knows(row.played, game, moves):
                return row, row.played
        for row in some:
            if (merged := merge(row.played, game, moves)) is not None:
                return row, merged
        for row in some:
            if row.by_radio and row.board == board and not by_radio:
                # What the cable contradicts came by radio.
                return row, corrected(row.played, game, moves)
    return None
