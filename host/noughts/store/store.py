"""The store: an SQLite file of every game, even if a cable is pulled.

What comes together is one transaction, in the write-ahead log, so a sentence is stored whole or not
at all, others may read at the same time, and several watchers may write.
"""

import contextlib
import os
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from noughts.errors import NoughtsError, StoreBusyError, StoreDamagedError, StoreError
from noughts.invocation import quoted
from noughts.protocol.sentences import Sentence
from noughts.store.lines import Lines, Received, Stored
from noughts.store.schema import APPLICATION_ID, BOARDS, OF_1_0_0, TABLES, VERSION, take_over

_BUSY_S = 10.0
_FAILURES = {
    "full": "no room to write {path}; free some space: what is stored already is safe",
    "readonly": "{path} cannot be written; check its permissions, or choose another --db",
    "unable to open": "cannot open {path} ({error}); check the folder, or choose another --db",
    "i/o": "cannot read or write {path} ({error}); check the disk and its free space",
}
"""By what SQLite calls it; all else is damage."""


def default_path() -> Path:
    """Where the store is unless `--db` says otherwise: in the user's data folder."""
    import platformdirs

    return platformdirs.user_data_path("noughts", appauthor=False) / "games.db"


def command_for(command: str, path: Path) -> str:
    """A command as a message names it, with `--db` if it would open another store otherwise."""
    if path == default_path():
        return f"`{command}`"
    return f"`{command} --db {quoted(str(path))}`"


def _damaged(path: Path, error: Exception) -> StoreDamagedError:
    reason = str(error) if isinstance(error, sqlite3.Error) else type(error).__name__
    return StoreDamagedError(
        f"{path} is damaged or not a store of noughts ({reason}); move it away, "
        "or put a backup in its place"
    )


_NONSENSE = ValueError, TypeError, LookupError, ArithmeticError, AttributeError
"""Raised by a row that no noughts has written: its file was damaged."""


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
        mode = "mode=rwc" if create else "mode=rw"
        if not create and not os.access(path.parent, os.W_OK):
            mode = "immutable=1"  # a store in its write-ahead log needs files next to it
        with self._readable_errors():
            self.db = sqlite3.connect(
                f"{Path(os.path.realpath(path)).as_uri()}?{mode}",
                uri=True, timeout=_BUSY_S, isolation_level=None, check_same_thread=False,
            )  # fmt: skip
            self._lines = Lines(self.db)
            try:
                self._prepare()
            except BaseException:
                self.db.close()
                raise
        self._files = _Files(path, self.db)

    def _prepare(self) -> None:
        version = self._version()
        self.db.execute("PRAGMA synchronous = NORMAL")  # a power cut may cost the last moments
        if version == VERSION:
            return
        with contextlib.suppress(sqlite3.OperationalError):  # locked: another program does this
            self.db.execute("PRAGMA journal_mode = WAL")
        with self._transaction():
            version = self._version()  # another program may have been quicker
            if version == OF_1_0_0:
                take_over(self.db, Path(os.path.realpath(self.path)))
            elif version == 0:
                for statement in (*BOARDS, *TABLES):
                    self.db.execute(statement)
            self.db.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            self.db.execute(f"PRAGMA user_version = {VERSION}")

    def _version(self) -> int:
        """The store's version, 0 for a new file; other files are left alone."""
        # In this order: another program may be making it.
        ((tables,),) = self.db.execute("SELECT count(*) FROM sqlite_master")
        ((version,),) = self.db.execute("PRAGMA user_version")
        ((application,),) = self.db.execute("PRAGMA application_id")
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

    def add(self, board: str, sentence: Sentence, at: int | None, late: bool = False) -> Stored:
        """Store one sentence of a board, received at this moment, if it is known."""
        return self.add_many([Received.of(board, sentence, at, late)])[0]

    def add_many(self, received: Sequence[Received]) -> list[Stored]:
        """Store sentences and noise, all of it or nothing. What was read before changes nothing.

        What is stored stays, also if the process is killed next.
        """
        if not received:
            return []
        with self._transaction():
            return self._lines.keep(received)

    def renew(self) -> None:
        """Make all games anew of their lines. Unless a store is damaged, that changes nothing."""
        with self._transaction():
            self._lines.renew_all()

    def name_board(self, board: str, name: str | None) -> None:
        """Let people call a board so; None: as before. Raises `StoreError` if another has the name.

        The board need not have been seen.
        """
        with self._transaction():
            number = self._lines.board(board)
            try:
                self.db.execute("UPDATE boards SET given_name = ? WHERE id = ?", (name, number))
            except sqlite3.IntegrityError as error:
                raise StoreError(
                    f"another board is named {name!r} already; choose another name"
                ) from error

    def save_published(self, receiver: str, line: int) -> None:
        """Note that all lines up to this one are stored at a receiver."""
        with self._transaction():
            self.db.execute("INSERT OR REPLACE INTO published VALUES (?, ?)", (receiver, line))

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        with self._readable_errors():
            self.db.execute("BEGIN IMMEDIATE")
            try:
                yield
                self.db.execute("COMMIT")
            except BaseException:
                if self.db.in_transaction:
                    self.db.execute("ROLLBACK")
                self._lines.forget()  # what it remembers may be undone
                raise

    @contextmanager
    def _readable_errors(self) -> Iterator[None]:
        """What SQLite raises, as one line."""
        try:
            yield
        except sqlite3.Error as error:
            raise self._failure(error) from error
        except ValueError as error:  # a text that is not UTF-8, or not what a line or a game has
            raise _damaged(self.path, error) from error

    def _failure(self, error: sqlite3.Error) -> StoreError:
        text = str(error).lower()
        if "locked" in text:
            return StoreBusyError(
                f"{self.path} is in use by another program; close that and try again"
            )
        for word, why in _FAILURES.items():
            if word in text:
                return StoreError(why.format(path=self.path, error=error))
        return _damaged(self.path, error)

    def read(self, query: str, values: Sequence[Any] = ()) -> list[Any]:
        """All rows of a query. Raises `StoreError`."""
        return list(self.each(query, values))

    def each(self, query: str, values: Sequence[Any] = ()) -> Iterator[Any]:
        """The rows of a query, one by one. Raises `StoreError`."""
        with self._readable_errors():
            # `yield from` would close the cursor, perhaps after the store.
            for row in self.db.execute(query, values):  # noqa: UP028
                yield row

    def replaced(self) -> bool:
        """Whether its files were deleted, moved away or written over; since the first call."""
        return self._files.replaced()

    def close(self) -> None:
        """Close the file; another one at its path stays as it is."""
        self._files.close()

    def __exit__(self, _: object, error: BaseException | None, *__: object) -> None:
        self.close()
        if isinstance(error, _NONSENSE) and not isinstance(error, NoughtsError):
            raise _damaged(self.path, error) from error


_INDEX = 136
"""Bytes of the index that say how far the log has been brought into the store: its salts (32 to
39), how many frames (96 to 99), and how many it has been begun with (128 to 131)."""

_Checkpoint = tuple[bytes, bytes, bytes] | None


class _Files:
    """The files of an open store, `db`: are they still those that were opened?

    SQLite goes on with a file that was deleted, and with one that was copied over, until it needs
    something of it that it has not got in memory. Of the three files of a store in its write-ahead
    log each must stay the same file, and the main one changes only when what is in the log is
    brought into it (a checkpoint), which the log's index counts:
    https://sqlite.org/walformat.html#walidxfmt.
    """

    def __init__(self, path: Path, db: sqlite3.Connection) -> None:
        path = Path(os.path.realpath(path))
        self._db = db
        self._paths = [Path(f"{path}{ending}") for ending in ("", "-wal", "-shm")]
        self._known = [_identity(each) for each in self._paths]
        self._open: list[int] = []
        """The log and its index, once `replaced` was called."""
        self._seen: tuple[object, _Checkpoint] | None = None
        self._overwritten = False
        """Whether it is the same file, with other content."""
        self._closed = False

    def replaced(self) -> bool:
        """Whether one of the files was deleted or moved away, or written over since the first call.

        Call this for one store in a process only: it opens the index, and closing that takes away
        all locks of the process on it, SQLite's too.
        """
        now = [_identity(each) for each in self._paths]
        # The log is made when it is needed.
        self._known = [known or there for known, there in zip(self._known, now, strict=True)]
        if self._known != now:
            return True
        if not self._open and None not in now and hasattr(os, "pread"):
            with contextlib.suppress(OSError):
                for path, flags in zip(self._paths[1:], (os.O_RDWR, os.O_RDONLY), strict=True):
                    self._open.append(os.open(path, flags))
        return self._written_over()

    def _written_over(self) -> bool:
        """Whether the store has changed, and no checkpoint did it."""
        before = self._checkpoint()
        status = _status(self._paths[0])
        after = self._checkpoint()
        if before is None or before != after or after[1] != after[2]:
            return self._overwritten  # one is going on: look again later
        content = status and (status.st_size, status.st_mtime_ns)
        seen, self._seen = self._seen, (content, after)
        if seen is not None and seen[1] == after and seen[0] != content:
            self._overwritten = True
        return self._overwritten

    def _checkpoint(self) -> _Checkpoint:
        if len(self._open) == 2:
            with contextlib.suppress(OSError):
                index = os.pread(self._open[1], _INDEX, 0)
                return index[32:40], index[96:100], index[128:132]
        return None

    def close(self) -> None:
        """Close the store. Its log is not applied to another file at its path.

        SQLite would leave the log next to a file that was moved there, and apply it to that at the
        next opening. It would bring the log into a file that was copied over the store.
        """
        if self._closed:
            return
        self._closed = True
        if self._known[0] != _identity(self._paths[0]):
            with contextlib.suppress(sqlite3.Error):  # into our own file, even if it was moved
                self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
            self._remove_log()
        elif self._written_over():
            os.ftruncate(self._open[0], 0)
            self._remove_log()
        self._db.close()
        for each in self._open:  # after the store, for the sake of its locks
            os.close(each)

    def _remove_log(self) -> None:
        """Remove our log and its index, not those of a program that has opened the other file.

        The store is still open, so no other file has their identities.
        """
        for path, known in zip(self._paths[1:], self._known[1:], strict=True):
            if known == _identity(path):
                with contextlib.suppress(OSError):
                    path.unlink(missing_ok=True)


def _status(path: Path) -> os.stat_result | None:
    with contextlib.suppress(OSError):
        return path.stat()
    return None


def _identity(path: Path) -> tuple[int, int] | None:
    status = _status(path)
    return status and (status.st_dev, status.st_ino)


def unused_path_near(path: Path) -> Path:
    """A new, empty file next to a store that is gone: `games-2.db`, or the next that is free.

    Raises `OSError`.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    number = 2
    while True:
        other = path.with_name(f"{path.stem}-{number}{path.suffix}")
        with contextlib.suppress(FileExistsError):
            other.touch(exist_ok=False)
            return other
        number += 1
