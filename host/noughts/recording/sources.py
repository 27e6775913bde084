"""What sources give to a recorder: events, and what boards send, with the time.

A source is a `PortMonitor`, `DataLogs`, a broker, virtual boards, a queue or a file.
"""

import queue
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from io import BufferedReader
from itertools import groupby, islice
from typing import NamedTuple, Protocol

from noughts.errors import ThreadFaults
from noughts.protocol import data_log
from noughts.recording.events import Event, RowsSkipped
from noughts.store import capture, timestamps
from noughts.store.lines import Received


class DataReceived(NamedTuple):
    """Bytes from the port of a board."""

    board: str
    data: bytes
    """Empty if the board's port was opened: the board may have been reset before."""
    at: int | None
    """When they were received, perhaps in another room; None if unknown."""


class Delivered(NamedTuple):
    """Comes after bytes whose sender waits for a confirmation that they are stored."""

    confirm: Callable[[], object]
    """Called once they are."""


Change = Event | DataReceived | Received | Delivered
Pending = Event | Delivered | Received
"""The same, once the bytes were parsed."""


class Source(Protocol):
    """What a recorder polls in its thread."""

    def poll(self) -> Sequence[Change]:
        """What has happened since the last call. It does not wait."""

    def close(self) -> None:
        """End; nothing is polled any more."""


class QueuedSource(queue.SimpleQueue[Change]):
    """A source that other threads fill."""

    def __init__(self) -> None:
        super().__init__()
        self.faults = ThreadFaults()
        """Of these threads; the next `poll` raises one."""

    def poll(self) -> list[Change]:
        """Everything in the queue."""
        self.faults.raise_next()
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


def is_blank(changes: Sequence[Change]) -> bool:
    """Whether these changes, of a batch that was read, are only blank lines."""
    return bool(changes) and all(
        isinstance(change, DataReceived) and change.data.isspace() for change in changes
    )


def read_captured(
    file: BufferedReader, file_name: str, board: str, at_once: int = 512
) -> Iterator[tuple[int, list[Change]]]:
    """Read a captured log, or a copy of a V2's data log: bytes read, and what they hold.

    file_name: for errors. board: the board's name, where the log has none. at_once: how many lines
    are stored together. Raises `DataLogError`.
    """
    if data_log.is_data_log(file.peek(), file_name):
        content = file.read(data_log.MAX_SIZE + 1)
        log, now = data_log.read(content, file_name), timestamps.now()
        games: list[Change] = [Received.of(board, game, now, late=True) for game in log.games]
        if log.first_skipped is not None:
            games.append(RowsSkipped(board, log.skipped, log.first_skipped))
        yield len(content), games
    boards = {board}
    lines = capture.read(file)
    while batch := list(islice(lines, at_once)):
        changes: list[Change] = []
        # Lines of one board and one time are parsed together, which is quicker. An empty line, of
        # a port that was opened, stays alone: what comes after it may be of another run.
        for (name, at, _), group in groupby(
            batch, lambda line: (line.board, line.at, not line.data)
        ):
            boards.add(name or board)
            data = b"".join(line.data for line in group)
            changes.append(DataReceived(name or board, data, at))
        yield sum(line.size for line in batch), changes
    yield 0, [DataReceived(name, b"\n", None) for name in boards]  # the end of the last line
