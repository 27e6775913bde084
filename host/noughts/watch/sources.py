"""What sources give to a recorder: events, and what boards say, with its moment.

A source is a `PortMonitor`, `DataLogs`, a broker, or a board of this program.
"""

from __future__ import annotations

import queue
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from noughts.protocol.sentences import Sentence
from noughts.watch.events import Event


@dataclass(frozen=True)
class DataReceived:
    """Bytes from a board."""

    board: str
    data: bytes
    at: int | None = None
    """When they were heard, where that was before now: in another room."""


@dataclass(frozen=True)
class LineOpened:
    """A board's port was opened, here or in another room: it may have been reset before."""

    board: str
    at: int | None = None
    """When, where that was before now: in another room."""


@dataclass(frozen=True)
class SentencesRead:
    """What a board said to another part of this program, or has in its files, the oldest first."""

    board: str
    sentences: Sequence[Sentence]
    from_log: bool = False
    """Whether they are games of some earlier time, from a data log."""


@dataclass(frozen=True)
class Delivered:
    """Comes after bytes whose sender waits to be told that they are stored."""

    stored: Callable[[], None]


Change = Event | DataReceived | LineOpened | SentencesRead | Delivered


class Source(Protocol):
    """Where changes come from."""

    def poll(self) -> Sequence[Change]:
        """What has happened since the last time; it does not wait."""


class QueuedSource:
    """What other threads put there."""

    def __init__(self) -> None:
        self._queue: queue.SimpleQueue[Change] = queue.SimpleQueue()
        self.put = self._queue.put

    def poll(self) -> list[Change]:
        """What was put there since the last time."""
        changes = []
        while not self._queue.empty():
            changes.append(self._queue.get())
        return changes
