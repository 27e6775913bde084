"""What sources give to a recorder: events, and what boards say, with its moment.

A source is a `PortMonitor`, `DataLogs`, a `CapturedFile`, a broker, or a queue.
"""

from __future__ import annotations

import queue
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from io import BufferedReader
from itertools import groupby, islice
from operator import attrgetter
from typing import Protocol

from noughts.protocol import data_log
from noughts.protocol.sentences import Sentence
from noughts.recording.events import Event
from noughts.store import capture, timestamps

_AT_ONCE = 512
"""Lines of a file that are stored together."""


@dataclass(frozen=True)
class DataReceived:
    board: str
    data: bytes
    at: int | None
    """When they were received, perhaps in another room; None if nobody knows."""


@dataclass(frozen=True)
class LineOpened:
    """A board's port was opened, here or in another room: it may have been reset before."""

    board: str
    at: int | None


@dataclass(frozen=True)
class SentencesRead:
    """What a board said to another part of this program, or has in its files, the oldest first."""

    board: str
    sentences: Sequence[Sentence]
    at: int | None
    from_log: bool = False
    """Whether they are games of some earlier time, from a data log."""


@dataclass(frozen=True)
class Delivered:
    """Follows bytes whose sender waits for confirmation that they are stored."""

    stored: Callable[[], None]


Change = Event | DataReceived | LineOpened | SentencesRead | Delivered


class Source(Protocol):
    def poll(self) -> Sequence[Change]:
        """What has happened since the last time; it does not wait."""


class QueuedSource:
    """What other threads put there."""

    def __init__(self) -> None:
        self._queue: queue.SimpleQueue[Change] = queue.SimpleQueue()
        self.put = self._queue.put

    def poll(self) -> list[Change]:
        return [self._queue.get() for _ in range(self._queue.qsize())]


class CapturedFile:
    """A captured log, or a copy of a V2's data log; it waits while it is read.

    called: the file's name, for errors. board: its name, where the log does not give it. Standard
    input (`typed`) is stored line by line, for more may be long in coming.
    """

    def __init__(self, file: BufferedReader, called: str, board: str, typed: bool) -> None:
        self.size = 0
        """Bytes that were read so far."""
        self.ended = False
        self._changes = self._read(file, called, board, 1 if typed else _AT_ONCE)

    def poll(self) -> Sequence[Change]:
        changes = next(self._changes, None)
        self.ended = changes is None
        return changes or ()

    def _read(
        self, file: BufferedReader, called: str, name: str, at_once: int
    ) -> Iterator[list[Change]]:
        boards = {name}
        if file.peek(1)[:1] == b"<":
            content = file.read(data_log.MAX_SIZE + 1)
            self.size = len(content)
            games = data_log.games(content, called)
            yield [SentencesRead(name, games, timestamps.now(), from_log=True)]
        lines = capture.read(file)
        while some := list(islice(lines, at_once)):
            changes: list[Change] = []
            for (board, at, opened), said in groupby(some, attrgetter("board", "at", "is_opened")):
                boards.add(board or name)
                if opened:
                    changes.append(LineOpened(board, at))
                else:
                    data = b"".join(each.data for each in said)
                    changes.append(DataReceived(board or name, data, at))
            self.size += sum(each.size for each in some)
            yield changes
        yield [DataReceived(board, b"\n", None) for board in boards]  # the end of the last line
