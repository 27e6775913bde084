"""What sources give to a recorder: events, and what boards send, with the time.

A source is a `PortMonitor`, `DataLogs`, a broker, virtual boards, a queue or a file.
"""

import queue
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from io import BufferedReader
from itertools import groupby, islice
from typing import NamedTuple, Protocol

from noughts.protocol import data_log
from noughts.recording.events import Event
from noughts.store import capture, timestamps
from noughts.store.lines import Received


class DataReceived(NamedTuple):
    board: str
    data: bytes
    """Empty if the board's port was opened: the board may have been reset before."""
    at: int | None
    """When they were received, perhaps in another room; None if unknown."""


class Delivered(NamedTuple):
    """Comes after bytes whose sender waits for a confirmation that they are stored."""

    stored: Callable[[], object]


Change = Event | DataReceived | Received | Delivered
Pending = Event | Delivered | Received
"""The same, once the bytes were parsed."""


class Source(Protocol):
    def poll(self) -> Sequence[Change]:
        """What has happened since the last call. It does not wait."""

    def close(self) -> None:
        """End; nothing is polled any more."""


class QueuedSource(queue.SimpleQueue[Change]):
    """A source that other threads fill."""

    def poll(self) -> list[Change]:
        return [self.get() for _ in range(self.qsize())]

    def close(self) -> None:
        """Nothing holds it open."""


class CapturedFile:
    """A source that reads a file as `read_captured` does, as fast as its lines are stored.

    on_stored: called with the number of bytes that were read and stored. on_end: called when
    everything was stored.
    """

    def __init__(
        self,
        batches: Iterator[tuple[int, list[Change]]],
        on_stored: Callable[[int], object],
        on_end: Callable[[], object],
    ) -> None:
        self._batches, self._on_stored, self._on_end = batches, on_stored, on_end
        self._has_ended = False

    def poll(self) -> Sequence[Change]:
        """The next lines; this one waits for its file. Raises `DataLogError`."""
        for size, changes in self._batches:
            return [*changes, Delivered(partial(self._on_stored, size))]
        end = [] if self._has_ended else [Delivered(self._on_end)]
        self._has_ended = True
        return end

    def close(self) -> None:
        """The caller has opened the file."""


def read_captured(
    file: BufferedReader, called: str, name: str, at_once: int = 512
) -> Iterator[tuple[int, list[Change]]]:
    """Read a captured log, or a copy of a V2's data log: bytes read, and what they hold.

    called: the file's name, for errors. name: the board's name, where the log has none. at_once:
    how many lines are stored together. Raises `DataLogError`.
    """
    if data_log.is_data_log(file.peek(), called):
        content = file.read(data_log.MAX_SIZE + 1)
        games, now = data_log.games(content, called), timestamps.now()
        yield len(content), [Received.of(name, each, now, late=True) for each in games]
    boards = {name}
    lines = capture.read(file)
    while some := list(islice(lines, at_once)):
        changes: list[Change] = []
        for (board, at, _), said in groupby(some, lambda one: (one.board, one.at, not one.data)):
            boards.add(board or name)
            data = b"".join(each.data for each in said)
            changes.append(DataReceived(board or name, data, at))
        yield sum(each.size for each in some), changes
    yield 0, [DataReceived(board, b"\n", None) for board in boards]  # the end of the last line
