r"""The raw lines: all that boards said, as it came, so that a later version can read it again.

A line of a raw log is the moment, the board and what it said, with every byte that is not plain
text as \xhh:

    2026-11-21T07:03:43.123Z usb-9900000012345678 $NG,0A83,1,PH,A,4,1312,-*5C

Where nothing is said, the board's port was opened: it may have been reset since its last line.

Each watcher writes files of its own, PIECE bytes long; of all files in the folder the newest
LIMIT bytes are kept. At a sentence a second that is some twelve days.
"""

from __future__ import annotations

import os
import re
import secrets
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from noughts.errors import StoreError
from noughts.protocol.parser import escape, unescape
from noughts.store import timestamps

PIECE = 4 * 1024 * 1024
LIMIT = 64 * 1024 * 1024
"""Bytes."""

_LINE = re.compile(
    rb"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z) ([0-9A-Za-z/\\][!-~]{0,3999}) ([ -~]*)\r?\n?"
)
_CHUNK = 65_536
OPENED = b"\n"
"""What is captured where a board's port was opened; a board's own empty lines are not kept."""


_NAME = re.compile(r"[0-9A-Za-z/\\].{0,3999}")


def files(folder: Path) -> list[Path]:
    """The files of a folder of raw lines, by when they were begun."""
    return sorted(folder.glob("????-??-??T*.log"))


def is_board_name(text: str) -> bool:
    """Whether a board may have this name.

    In raw logs and exports it must not begin anything else, and no terminal may act on it.
    """
    return _NAME.fullmatch(text) is not None and text.isprintable()


def folder_of(store: Path) -> Path:
    """Where the raw lines of a store are: beside it."""
    return store.with_name(f"{store.name}.raw")


class RawLog:
    """Writes raw lines into a folder, and keeps the folder within its limit."""

    def __init__(self, folder: Path, piece: int = PIECE, limit: int = LIMIT) -> None:
        self.folder = folder
        self._piece = piece
        self._limit = limit
        self._file: BinaryIO | None = None
        self._size = 0
        self._pieces = 0
        self._unflushed: list[bytes] = []

    def write(self, board: str, text: str, at: int) -> None:
        """Add what a board said, already escaped. It is on disk after `flush`."""
        name = escape(board.encode()).replace(" ", "\\x20")
        line = f"{timestamps.iso(at)} {name} {text}\n".encode()
        try:
            self._write(line)
        except OSError as error:
            raise self._failure(error) from error
        self._unflushed.append(line)

    def _write(self, line: bytes) -> None:
        if self._file is None or self._size >= self._piece:
            self._begin()
        assert self._file is not None
        self._size += self._file.write(line)

    def write_opened(self, board: str, at: int) -> None:
        """Add that a board's port was opened."""
        self.write(board, "", at)

    def flush(self) -> None:
        """Pass what is buffered on to the operating system."""
        if self._file is not None:
            try:
                self._file.flush()
                if os.fstat(self._file.fileno()).st_nlink == 0:  # a busier watcher has made room
                    self._file.close()
                    self._file = None
                    for line in self._unflushed:
                        self._write(line)
                    if self._file is not None:
                        self._file.flush()
            except OSError as error:
                raise self._failure(error) from error
        self._unflushed.clear()

    def _begin(self) -> None:
        self.close()
        self.folder.mkdir(parents=True, exist_ok=True)
        self._pieces += 1
        stamp = timestamps.iso(timestamps.now()).replace(":", "-").removesuffix("Z")
        name = f"{stamp}-{self._pieces:06}-{secrets.token_hex(4)}.log"
        self._file = (self.folder / name).open("xb")
        self._size = 0
        self._make_room()

    def _make_room(self) -> None:
        """Remove what was written longest ago; never our own file, nor one twice."""
        assert self._file is not None
        own = Path(self._file.name)
        others = []
        for path in files(self.folder):
            with suppress(FileNotFoundError):  # another watcher makes room, too
                status = path.stat()
                if path != own:
                    others.append((status.st_mtime_ns, path.name, path, status.st_size))
        total = sum(size for *_, size in others)
        for *_, path, size in sorted(others):
            if total <= self._limit - self._piece:
                break
            with suppress(PermissionError):  # Windows: it is being read, to be published
                path.unlink(missing_ok=True)
                total -= size

    def _failure(self, error: OSError) -> StoreError:
        return StoreError(
            f"cannot keep raw lines in {self.folder} ({error.strerror}); "
            "check its permissions and the free space: what was kept before is safe"
        )

    def close(self) -> None:
        """Close the file that is being written."""
        if self._file is not None:
            file, self._file = self._file, None
            try:
                file.close()
            except OSError as error:
                raise self._failure(error) from error


@dataclass(frozen=True)
class Captured:
    """Bytes of a captured log; board and moment are known if it is one of our raw logs."""

    data: bytes
    size: int
    """Bytes that they take in the file."""
    board: str | None = None
    at: int | None = None

    @property
    def is_opened(self) -> bool:
        """Whether a board's port was opened here."""
        return self.board is not None and self.data == OPENED


def read(file: BinaryIO) -> Iterator[Captured]:
    """What a captured log holds: a raw log of ours, or bytes as a serial line brought them."""
    while line := file.readline(_CHUNK):
        found = _LINE.fullmatch(line)
        if found is None:
            yield Captured(line, len(line))
            continue
        try:
            at = timestamps.from_iso(found[1].decode())
        except ValueError:  # the 31st of February
            yield Captured(line, len(line))
            continue
        board = unescape(found[2].decode()).decode(errors="replace")
        if not is_board_name(board):  # the escapes may have hidden what it is
            yield Captured(line, len(line))
            continue
        yield Captured(unescape(found[3].decode()) + b"\n", len(line), board, at)
