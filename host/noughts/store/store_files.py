"""Whether a store's files are still those that were opened.

SQLite goes on with a file that was deleted, and with one that was copied over, until it needs
something of it that it has not got in memory. Of the three files of a store in its write-ahead log
each must stay the same file, and the main one changes only when what is in the log is brought into
it (a checkpoint), which the log's index counts: https://sqlite.org/walformat.html#walidxfmt.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
from pathlib import Path

_INDEX = 136
"""Bytes of the index that say how far the log has been brought into the store: its salts (32 to
39), how many frames (96 to 99), and how many it has been begun with (128 to 131)."""

_Checkpoint = tuple[bytes, bytes, bytes] | None


class StoreFiles:
    """The files of an open store, `db`. Close the store with its `close()`."""

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
