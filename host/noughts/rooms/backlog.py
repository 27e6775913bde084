"""Raw lines that no collector has stored yet: the queue on disk, which the raw log is already.

How far the collectors have stored each file of the raw log is kept beside it, in
`published-….json`. It may be behind what they have: then some lines are sent twice.
"""

from __future__ import annotations

import hashlib
import json
from collections import deque
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from noughts.files import write_whole
from noughts.rooms.messages import Message, by_board
from noughts.watch import raw_log

_CHUNK = 16 * 1024
"""Bytes that are read at once; a raw line is shorter."""


@dataclass
class _Chunk:
    """Lines of a file that were read."""

    end: int
    waiting: set[str]
    """The digests of its messages that are not confirmed."""


class Backlog:
    """The lines of a folder of raw lines, from where a collector has stored all before."""

    def __init__(self, folder: Path, broker: str, room: str) -> None:
        """Each broker and room has a position of its own."""
        to = f"{broker} {room}"
        name = hashlib.sha256(to.encode()).hexdigest()[:8]
        self.folder = folder
        self._path = folder / f"published-{name}.json"
        self._to, self._room = to, room
        self._stored = self._load()
        self._read = self._stored.copy()
        self._sizes: dict[str, int] = {}
        self._chunks: dict[str, deque[_Chunk]] = {}
        self._waiting: dict[str, list[_Chunk]] = {}
        self._saved = self._stored.copy()
        self.lost = 0
        """Bytes that were deleted before they were read."""

    def _load(self) -> dict[str, int]:
        """The position; the beginning if there is none, or a damaged one: all is sent again."""
        try:
            files = json.loads(self._path.read_bytes())["stored"]
            return {name: size for name, size in files.items() if type(size) is int and size >= 0}
        except (OSError, ValueError, LookupError, TypeError, AttributeError):
            return {}

    def waits_for(self, digest: str) -> bool:
        """Whether a message is still to be confirmed."""
        return digest in self._waiting

    def look(self) -> list[Path]:
        """Look which files there are, and which have made room for others since the last look."""
        there = raw_log.files(self.folder)
        sizes = {}
        for path in there:
            with suppress(OSError):  # it made room for another one just now
                sizes[path.name] = path.stat().st_size
        self._forget(sizes)
        return there

    def more(self) -> list[Message]:
        """The messages of the next lines, the oldest first; none if all were read."""
        for path in self.look():
            with suppress(OSError):
                while (messages := self._more_of(path)) is not None:
                    if messages:
                        return messages
        return []

    def _more_of(self, path: Path) -> list[Message] | None:
        """None if there is no whole line more in a file."""
        begin = self._read.get(path.name, 0)
        if self._sizes.get(path.name, 0) <= begin:
            return None
        with path.open("rb") as file:
            file.seek(begin)
            lines = file.read(_CHUNK)
        whole = lines.rfind(b"\n") + 1
        if not whole and len(lines) < _CHUNK:
            return None  # it is being written, or its writer was killed
        messages = by_board(lines[:whole], self._room)
        chunk = _Chunk(begin + (whole or len(lines)), {each.digest for each in messages})
        self._read[path.name] = chunk.end
        self._chunks.setdefault(path.name, deque()).append(chunk)
        for digest in chunk.waiting:
            self._waiting.setdefault(digest, []).append(chunk)
        self._advance(path.name)
        return messages

    def _forget(self, sizes: dict[str, int]) -> None:
        """Forget files that are not there any more."""
        for name in self._sizes.keys() - sizes:
            self.lost += max(0, self._sizes[name] - self._read.get(name, 0))
        for name in self._read.keys() - sizes:
            del self._read[name]
            self._stored.pop(name, None)
        self._sizes = sizes

    def confirmed(self, digest: str) -> bool:
        """Note that a message is stored; False if none was waited for."""
        chunks = self._waiting.pop(digest, None)
        if chunks is None:
            return False
        for chunk in chunks:
            chunk.waiting.discard(digest)
        for name in list(self._chunks):
            self._advance(name)
        return True

    def _advance(self, name: str) -> None:
        """Move a file's position behind all that is stored of it."""
        chunks = self._chunks[name]
        while chunks and not chunks[0].waiting:
            end = chunks.popleft().end
            if name in self._read:
                self._stored[name] = end
        if not chunks:
            del self._chunks[name]

    def save(self) -> None:
        """Write the position, if it has changed. Raises `NoughtsError`."""
        if self._stored != self._saved:
            position = {"to": self._to, "stored": self._stored}
            write_whole(self._path, (json.dumps(position, indent=1) + "\n").encode())
            self._saved = self._stored.copy()
