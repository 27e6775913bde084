"""Whether a store's files are still those that were opened.

SQLite goes on with a file that was deleted, and with one that was copied over, until it needs
something of it that it has not got in memory. Of the three files of a store in its write-ahead log
each must stay the same file, and the main one changes only when what is in the log is brought into
it (a checkpoint), which the log's index counts: https://sqlite.org/walformat.html#walidxfmt.
"""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

_INDEX = 136
"""Bytes of the index that say how far the log has been brought into the store: its salts (32 to
39), how many frames (96 to 99), and how many it has been begun with (128 to 131)."""

_Content = tuple[int, int] | None
_Checkpoint = tuple[bytes, bytes, bytes] | None


class StoreFiles:
    """The files of an open store. `close()` it after the store, not before.

    To close a file takes away all locks of this process on it, SQLite's too.
    """

    def __init__(self, path: Path) -> None:
        path = Path(os.path.realpath(path))
        self._paths = [Path(f"{path}{ending}") for ending in ("", "-wal", "-shm")]
        self._known = [_identity(each) for each in self._paths]
        self._index: int | None = None
        self._seen: tuple[_Content, _Checkpoint] | None = None
        self.overwritten = self._written_over()
        """Whether it is the same file, with another's content."""

    def replaced(self) -> bool:
        """Whether one of the files was deleted, moved away or written over."""
        now = [_identity(each) for each in self._paths]
        for index, known in enumerate(self._known):
            if known is None:
                self._known[index] = now[index]  # the log is made when it is needed
            elif known != now[index]:
                return True
        self.overwritten = self._written_over()
        return self.overwritten

    def _written_over(self) -> bool:
        """Whether the store has changed, and no checkpoint did it."""
        before = self._checkpoint()
        content = _content(self._paths[0])
        after = self._checkpoint()
        if before is None or before != after or after[1] != after[2]:
            return False  # one is going on: look again later
        seen, self._seen = self._seen, (content, after)
        return seen is not None and seen[1] == after and seen[0] != content

    def _checkpoint(self) -> _Checkpoint:
        with contextlib.suppress(OSError):
            if self._index is None and self._known[2] is not None and hasattr(os, "pread"):
                self._index = os.open(self._paths[2], os.O_RDONLY)
            if self._index is not None:
                index = os.pread(self._index, _INDEX, 0)
                return index[32:40], index[96:100], index[128:132]
        return None

    def close(self) -> None:
        """Close what it looks at."""
        if self._index is not None:
            os.close(self._index)
            self._index = None


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino


def _content(path: Path) -> _Content:
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_size, status.st_mtime_ns


def beside(path: Path) -> Path:
    """A new, empty file beside a store that is gone: `games-2.db`, or the next that is free.

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
