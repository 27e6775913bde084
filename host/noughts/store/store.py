"""The store: an SQLite file of every game, even if a cable is pulled.

What comes together is one transaction, in the write-ahead log, so a sentence is stored whole or not
at all, others may read at the same time, and several watchers may write.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from noughts.errors import StoreBusyError, StoreDamagedError, StoreError
from noughts.invocation import quoted
from noughts.protocol.sentences import Sentence
from noughts.store.lines import Lines, Received, Stored
from noughts.store.schema import APPLICATION_ID, BOARDS, OF_1_0_0, TABLES, VERSION
from noughts.store.store_files import StoreFiles

_BUSY_S = 10.0


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
    """The error message for a damaged store."""
    reason = str(error) if isinstance(error, sqlite3.Error) else type(error).__name__
    return StoreDamagedError(
        f"{path} is damaged or not a store of noughts ({reason}); move it away, "
        "or put a backup in its place"
    )


class _Transaction:
    """All of it or nothing; undone: called where it was nothing.

    No generator: Ctrl-C just after `__enter__` would leave one that goes on when it is collected,
    when the database may be closed.
    """

    def __init__(self, db: sqlite3.Connection, begin: str, undone: Callable[[], object]) -> None:
        self._db, self._begin, self._undone = db, begin, undone

    def __enter__(self) -> None:
        self._db.execute(self._begin)

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        done = False
        try:
            if kind is None:
                self._db.execute("COMMIT")
                done = True
        finally:
            if not done:
                if self._db.in_transaction:
                    self._db.execute("ROLLBACK")
                self._undone()


class Store(contextlib.AbstractContextManager["Store"]):
    """An open store. Use it in one thread at a time, and `close()` it; it can be a `with`."""

    def __init__(self, path: Path, create: bool = False) -> None:
        """Open a store, and take over one of release 1.0.0; `create` one where none is.

        Raises `StoreError` in one line.
        """
        self.path = path
        if create:
            try:
                path.parent.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise StoreError(
                    f"cannot make the folder {path.parent} ({error.strerror}); "
                    "choose another place with --db"
                ) from error
        elif not path.exists():
            raise StoreError(f"no games are stored in {path} yet; `noughts watch` stores them")
        for mode in self._modes(create):
            with self._readable_errors():
                self.db = sqlite3.connect(
                    f"{Path(os.path.realpath(path)).as_uri()}?{mode}",
                    uri=True, timeout=_BUSY_S, isolation_level=None, check_same_thread=False,
                )  # fmt: skip
            self._lines = Lines(self.db)
            try:
                with self._readable_errors():
                    self._prepare()
                self._files = StoreFiles(path, self.db)
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

    def _prepare(self) -> None:
        with self._transaction("BEGIN"):  # one moment of it: another program may be making it
            version = self._version()
        self.db.execute("PRAGMA foreign_keys = ON")
        self.db.execute("PRAGMA cache_size = -256")  # KiB: what is written lies close together
        self.db.execute("PRAGMA synchronous = NORMAL")  # a power cut may cost the last moments
        if version == VERSION:
            return
        self._write_ahead()
        with self._transaction():
            version = self._version()  # another program may have been quicker
            if version == OF_1_0_0:
                from noughts.store.take_over import take_over

                take_over(self.db, Path(os.path.realpath(self.path)))
            elif version == 0:
                for statement in (*BOARDS, *TABLES):
                    self.db.execute(statement)
            self.db.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            self.db.execute(f"PRAGMA user_version = {VERSION}")

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

    def _version(self) -> int:
        """The store's version, 0 for a new file; other files are left alone."""
        ((version,),) = self.db.execute("PRAGMA user_version")
        ((application,),) = self.db.execute("PRAGMA application_id")
        ((tables,),) = self.db.execute("SELECT count(*) FROM sqlite_master")
        if application != APPLICATION_ID and (application or version or tables):
            raise StoreError(
                f"{self.path} is a database of another program; choose another file with --db"
            )
        if version > VERSION:
            raise StoreError(
                f"{self.path} was made by a newer noughts (store version {version}, this one "
                f"knows {VERSION}); get the newer noughts, or choose another file with --db"
            )
        if 0 < version < OF_1_0_0:
            raise StoreError(
                f"{self.path} is older than release 1.0.0; open it once with that release, or "
                "choose another file with --db"
            )
        return int(version)

    def wait_for_others(self, seconds: float) -> None:
        """How long to wait while another program writes, before raising `StoreBusyError`."""
        self.db.execute(f"PRAGMA busy_timeout = {int(seconds * 1000)}")

    def keep(self, board: str, sentence: Sentence, at: int | None, late: bool = False) -> Stored:
        """Store a board's sentence; `at`: the moment when it was received, if known.

        late: the game was over at some moment before, see `sentences.is_late`. When this returns,
        the sentence stays, also if the process is killed. Sentences that were read before change
        nothing.
        """
        return self.keep_many([Received.of(board, sentence, at, late)])[0]

    def keep_many(self, received: Sequence[Received]) -> list[Stored]:
        """Store sentences as `keep` does, and noise, all of it or nothing."""
        if not received:
            return []
        with self._readable_errors(), self._transaction():
            return self._lines.keep(received)

    def renew(self) -> None:
        """Make all games anew of their lines. Unless a store is damaged, that changes nothing."""
        with self._readable_errors(), self._transaction():
            self._lines.renew_all()

    def name_board(self, board: str, name: str | None) -> None:
        """Let people call a board so; None: as before. Raises `StoreError` if another has the name.

        The board need not have been seen.
        """
        with self._readable_errors(), self._transaction():
            number = self._lines.board(board)
            try:
                self.db.execute("UPDATE boards SET given_name = ? WHERE id = ?", (name, number))
            except sqlite3.IntegrityError as error:
                raise StoreError(
                    f"another board is named {name!r} already; choose another name"
                ) from error

    def save_published(self, receiver: str, line: int) -> None:
        """Note that all lines up to this one are stored at a receiver."""
        with self._readable_errors(), self._transaction():
            self.db.execute("INSERT OR REPLACE INTO published VALUES (?, ?)", (receiver, line))

    def _transaction(self, begin: str = "BEGIN IMMEDIATE") -> _Transaction:
        # What is remembered may be undone.
        return _Transaction(self.db, begin, self._lines.forget)

    @contextmanager
    def _readable_errors(self) -> Iterator[None]:
        """What SQLite raises, as one line."""
        try:
            yield
        except sqlite3.Error as error:
            raise self._failure(error) from error
        except ValueError as error:  # a text that is not UTF-8, or not what a line or a game has
            raise damaged(self.path, error) from error

    def _failure(self, error: sqlite3.Error) -> StoreError:
        code = getattr(error, "sqlite_errorname", "") or str(error)  # Python 3.11 has the name
        text = f"{code} {error}".lower()
        if "locked" in text or "busy" in text:
            return StoreBusyError(
                f"{self.path} is in use by another program; close that and try again"
            )
        if "full" in text:
            why = f"no room to write {self.path}; free some space: what is stored already is safe"
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
        with self._readable_errors():
            # `yield from` would close the cursor, perhaps after the store.
            for row in self.db.execute(query, values):  # noqa: UP028
                yield row

    def others_wrote(self) -> int:
        """A number that changes when another program, or another connection, writes."""
        ((version,),) = self.read("PRAGMA data_version")
        return int(version)

    def replaced(self) -> bool:
        """Whether its files were deleted, moved away or written over; see `StoreFiles.replaced`."""
        return self._files.replaced()

    def close(self) -> None:
        """Close the file; another one at its path stays as it is."""
        self._files.close()

    def __exit__(self, *_: object) -> None:
        self.close()
