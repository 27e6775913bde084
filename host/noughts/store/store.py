"""The store: an SQLite file of all games.

Lines that come together are stored in one transaction, in the write-ahead log. So a sentence is
stored whole or not at all, and several programs can read and write at the same time.
"""

import contextlib
import itertools
import os
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

from noughts.errors import StoreError
from noughts.invocation import quoted
from noughts.store.board_names import caseless
from noughts.store.failures import (
    can_lock_files,
    cannot_be_locked,
    damaged,
    may_be_about_locks,
    store_error,
)
from noughts.store.lines import Lines, Received, Stored
from noughts.store.rows import AT_ONCE, RowError, reader
from noughts.store.schema import APPLICATION_ID, OLDEST_VERSION, TABLES, VERSION
from noughts.store.upgrade import upgrade

_BUSY_S = 5.0
_Row = TypeVar("_Row")


def default_path() -> Path:
    """Where the store is unless `--db` says otherwise: in the user's data folder."""
    import platformdirs

    return platformdirs.user_data_path("noughts", appauthor=False) / "games.db"


def command_for(command: str, path: Path) -> str:
    """A command for a message, with `--db` unless this is the default store."""
    if path == default_path():
        return f"`{command}`"
    return f"`{command} --db {quoted(str(path))}`"


def or_demonstration(path: Path) -> str:
    """The end of a message: advice to look in a demonstration's store, if there is one."""
    played = demonstration(path)
    if played == path or not played.exists():
        return ""
    return f"; for those of `noughts watch --emulated`, add --db {quoted(str(played))}"


def demonstration(path: Path) -> Path:
    """The store for virtual boards: their games stay separate from the pupils'."""
    return path.with_name("demonstration.db")


def _caseless(text: object) -> str | None:
    return caseless(text) if isinstance(text, str) else None  # in a damaged file


class Store(contextlib.AbstractContextManager["Store"]):
    """An open store, for one thread at a time. `close()` it, or use it in a `with`."""

    def __init__(self, path: Path, create: bool = False) -> None:
        """Open a store, and upgrade one of an earlier version. `create`: make it if there is none.

        Raises `StoreError` in one line.
        """
        self.path = path
        target, is_loop = Path(os.path.realpath(path)), False
        with contextlib.suppress(OSError):  # what is wrong with a name is said when it is opened
            is_loop = target.is_symlink()
        if is_loop:
            raise StoreError(f"{path} is a link that leads nowhere; choose another file with --db")
        if create:
            try:
                path.parent.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise StoreError(
                    f"cannot make the folder {path.parent} ({error.strerror}); "
                    "choose another place with --db"
                ) from error
        elif not path.exists():
            raise StoreError(
                f"no games are stored in {path} yet; {command_for('noughts watch', path)} stores "
                f"them{or_demonstration(path)}"
            )
        mode = "mode=rwc" if create else "mode=rw"
        log = target.with_name(f"{target.name}-wal")
        if not (create or log.exists() or os.access(target.parent, os.W_OK)):
            mode = "immutable=1"  # else SQLite would need to write files next to it
        with self._readable_errors():
            self.db = sqlite3.connect(
                f"{target.as_uri()}?{mode}",
                uri=True, timeout=_BUSY_S, isolation_level=None, check_same_thread=False,
            )  # fmt: skip
        self.db.create_function("caseless", 1, _caseless, deterministic=True)
        self._lines = Lines(self.db)
        try:
            with self._readable_errors():
                self._prepare()
        except BaseException:
            self.db.close()
            raise
        self._files = _Files(path, self.db)

    def _prepare(self) -> None:
        version = self._version()
        self.db.execute("PRAGMA synchronous = NORMAL")  # a power cut may lose the last moments
        if version == VERSION:
            return
        with contextlib.suppress(sqlite3.OperationalError):  # locked: another program does this
            self.db.execute("PRAGMA journal_mode = WAL")
        with self._transaction():
            version = self._version()  # another program may have been first
            if version == 0:
                for statement in TABLES:
                    self.db.execute(statement)
            elif version != VERSION:
                upgrade(self.db)
            self.db.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            self.db.execute(f"PRAGMA user_version = {VERSION}")

    def _version(self) -> int:
        """The store's version, 0 for a new file. Raises `StoreError` for any other file."""
        # In this order, because another program may be making it.
        ((tables,),) = self.db.execute("SELECT count(*) FROM sqlite_master")
        ((version,),) = self.db.execute("PRAGMA user_version")
        ((application,),) = self.db.execute("PRAGMA application_id")
        if application != APPLICATION_ID and (application or version or tables):
            raise StoreError(
                f"{self.path} is a database of another program; choose another file with --db"
            )
        if version > VERSION:
            raise StoreError(
                f"{self.path} was made by a later version of noughts (store version {version}, "
                f"not {VERSION}); get the newest noughts, or choose another file with --db"
            )
        if version and version < OLDEST_VERSION:
            raise StoreError(
                f"{self.path} was made before noughts 1.1.0, and cannot be read any more (store "
                f"version {version}, not {VERSION}); choose another file with --db"
            )
        return int(version)

    def wait_for_others(self, seconds: float) -> None:
        """Set how long a write waits for another program before it raises `StoreBusyError`."""
        self.db.execute(f"PRAGMA busy_timeout = {int(seconds * 1000)}")

    def add_many(self, received: Sequence[Received]) -> list[Stored]:
        """Store sentences and noise, all of them or none. Lines that are there already do no harm.

        They stay stored even if the process is killed next.
        """
        if not received:
            return []
        with self._transaction():
            return self._lines.add(received)

    def correct_games(self) -> int:
        """Rebuild the games and boots that do not follow from their lines; returns how many games.

        That is 0 unless the store is damaged.
        """
        with self._readable_errors():
            self.db.execute("BEGIN")  # other programs may write, unless a game is wrong
            with self.db:
                return self._lines.correct_games()

    def name_board(self, board: str, name: str | None) -> None:
        """Name a board, or remove its name. Raises `StoreError` if another board has the name.

        The board need not be in the store.
        """
        with self._transaction():
            board_id = self._lines.board_id(board)
            same = "SELECT 1 FROM boards WHERE id <> ? AND caseless(given_name) = caseless(?)"
            if name is not None and self.db.execute(same, (board_id, name)).fetchone():
                raise StoreError(f"another board is named {name!r} already; choose another name")
            self.db.execute("UPDATE boards SET given_name = ? WHERE id = ?", (name, board_id))

    def save_published(self, receiver: str, line_id: int) -> None:
        """Note up to which line a collector has confirmed those of a room."""
        with self._transaction():
            self.db.execute("INSERT OR REPLACE INTO published VALUES (?, ?)", (receiver, line_id))

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        with self._readable_errors():
            self.db.execute("BEGIN IMMEDIATE")
            try:
                with self.db:  # which commits, or rolls back
                    yield
            except BaseException:
                self._lines = Lines(self.db)  # the old one may remember what was undone
                raise

    @contextmanager
    def _readable_errors(self) -> Iterator[None]:
        """Turn SQLite's errors into a `StoreError` in one line."""
        try:
            yield
        except sqlite3.Error as error:
            expected = store_error(self.path, error)
            if may_be_about_locks(error) and not self._can_lock:
                expected = cannot_be_locked(self.path)
            if expected is None and not self._is_intact():
                expected = damaged(self.path, str(error))
            if expected is None:
                raise  # a fault of ours
            raise expected from error
        except (RowError, UnicodeDecodeError) as error:
            raise damaged(self.path, str(error)) from error

    @cached_property
    def _can_lock(self) -> bool:
        return can_lock_files(Path(os.path.realpath(self.path)).parent)

    def _is_intact(self) -> bool:
        """Whether the file is whole, and has our tables."""
        columns = "SELECT m.name, c.name FROM sqlite_master AS m, pragma_table_info(m.name) AS c"
        with contextlib.suppress(sqlite3.Error), closing(sqlite3.connect(":memory:")) as model:
            for statement in TABLES:
                model.execute(statement)
            if set(self.db.execute(columns)).issuperset(model.execute(columns)):
                return self.db.execute("PRAGMA integrity_check(1)").fetchall() == [("ok",)]
        return False

    def read(self, query: str, values: Sequence[Any] = ()) -> list[Any]:
        """All rows of a query, unchecked. Raises `StoreError`."""
        with self._readable_errors():
            return self.db.execute(query, values).fetchall()

    def rows(self, row_type: type[_Row], query: str, values: Sequence[Any] = ()) -> Iterator[_Row]:
        """The rows of a query as objects of a `NamedTuple`, see `rows.py`. Raises `StoreError`."""
        as_objects = reader(row_type)
        with self._readable_errors():
            cursor = self.db.execute(query, values)
            while rows := cursor.fetchmany(AT_ONCE):
                yield from as_objects(rows)

    def replaced(self) -> bool:
        """Whether its files were deleted or moved; there may be others in their place."""
        return self._files.replaced()

    def close(self) -> None:
        """Close the file. Another file at its path is left unchanged."""
        self._files.close()

    def __exit__(self, *_: object) -> None:
        self.close()


class _Files:
    """Tells whether the files of an open store, `db`, are still those at its path.

    SQLite keeps using a file that was deleted or moved. So the store, its write-ahead log and the
    log's index must each stay the same file. Overwriting a file in place is not noticed: end
    programs before you restore a backup (docs/stored-games.md).
    """

    def __init__(self, path: Path, db: sqlite3.Connection) -> None:
        path = Path(os.path.realpath(path))
        self._db = db
        self._paths = [Path(f"{path}{ending}") for ending in ("", "-wal", "-shm")]
        self._identities = [_identity(file) for file in self._paths]
        self._closed = False

    def replaced(self) -> bool:
        """Whether a file was deleted or moved; there may be another one in its place."""
        present = [_identity(file) for file in self._paths]
        # SQLite makes the log when it needs it.
        pairs = zip(self._identities, present, strict=True)
        self._identities = [opened or now for opened, now in pairs]
        return self._identities != present

    def close(self) -> None:
        """Close the store, without applying its log to another file at its path.

        SQLite would leave the log next to a file that was moved there, and apply it when that is
        opened next.
        """
        if self._closed:
            return
        self._closed = True
        if self._identities[0] != _identity(self._paths[0]):
            with contextlib.suppress(sqlite3.Error):  # into our own file, wherever it is now
                self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
            self._remove_log()
        self._db.close()

    def _remove_log(self) -> None:
        """Remove our log and its index, but not those of a program that has opened the other file.

        The store is still open, so no other file can have their identities.
        """
        for path, identity in zip(self._paths[1:], self._identities[1:], strict=True):
            if identity == _identity(path):
                with contextlib.suppress(OSError):
                    path.unlink(missing_ok=True)


def _identity(path: Path) -> tuple[int, int] | None:
    with contextlib.suppress(OSError):
        status = path.stat()
        return status.st_dev, status.st_ino
    return None


def unused_path_near(path: Path) -> Path:
    """Where to store instead of in a store that is gone: `games-2.db`, or the next free number."""
    paths = (path.with_name(f"{path.stem}-{number}{path.suffix}") for number in itertools.count(2))
    return next(other for other in paths if not other.exists())
