"""The data logs of V2s that are plugged in: read from their drives, as a source of games.

A thread polls the drives, because one may be slow to answer. Each log is read when its drive
appears, and again when it has changed. Reading the same games again does no harm.
"""

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from noughts.boards.drive import Drive, find_drives, pair
from noughts.boards.ports import Port, find_ports
from noughts.errors import DataLogError, error_message, printable
from noughts.protocol import data_log
from noughts.recording.events import DataLogUnreadable, RowsSkipped
from noughts.recording.port_monitor import name_of
from noughts.recording.sources import QueuedSource
from noughts.store import timestamps
from noughts.store.lines import Received

_SCAN_INTERVAL_S = 2.0
_SHUTDOWN_TIMEOUT_S = 0.2


def name_of_copy(file: str) -> str:
    """The board's name in the store, for a log that was copied to this file."""
    return f"file-{printable(file)}"


class DataLogs(QueuedSource):
    """Follows the mounted drives until `close()`."""

    def __init__(
        self,
        find: Callable[[], Sequence[Drive]] = find_drives,
        interval_s: float = _SCAN_INTERVAL_S,
        find_ports: Callable[[], Sequence[Port]] = find_ports,
    ) -> None:
        """find, find_ports: give the drives and ports; interval_s: how long to wait in between."""
        super().__init__()
        self._find, self._find_ports, self._interval_s = find, find_ports, interval_s
        self._last_reads: dict[tuple[str, Path], tuple[object, str]] = {}
        """By board and drive: which version of its log was read, and the error, if any."""
        self._names: dict[tuple[str | None, Path], str] = {}
        """Of boards, by their drive, as their ports gave them."""
        self._without_port: set[tuple[str | None, Path]] = set()
        """The drives that had no port at the last look."""
        self._stopped = threading.Event()
        self._thread = threading.Thread(
            target=self.faults.keep, args=[self._look], name="read data logs", daemon=True
        )
        self._thread.start()

    def _look(self) -> None:
        while not self._stopped.is_set():
            boards: Sequence[tuple[Drive | None, Port | None]] = ()
            with suppress(OSError):  # a board was unplugged while the system listed it
                boards = pair(self._find(), self._find_ports())
            drives_by_key = {
                (board, drive.path): drive for board, drive in self._named_drives(boards)
            }
            self._last_reads = {key: self._last_reads.get(key, (None, "")) for key in drives_by_key}
            for key, drive in drives_by_key.items():
                self._last_reads[key] = self._read_log(key[0], drive, *self._last_reads[key])
            self._stopped.wait(self._interval_s)

    def _named_drives(
        self, boards: Sequence[tuple[Drive | None, Port | None]]
    ) -> Iterator[tuple[str, Drive]]:
        """The drives to read, with their boards' names: a board is named after its port.

        A port may appear after its drive, and disappear before it. So a name stays as long as the
        drive, and a drive without a port is read from the second look on.
        """
        drives = {
            (drive.usb_id, drive.path): (drive, port)
            for drive, port in boards
            if drive is not None and not drive.maintenance
        }
        names = {key: name for key, name in self._names.items() if key in drives}
        seen_before, self._without_port = self._without_port, set()
        for key, (drive, port) in drives.items():
            if port is not None:
                names[key] = name_of(port)
            elif key not in names:
                self._without_port.add(key)
            if key in names:
                yield names[key], drive
            elif key in seen_before:
                yield name_of(Port(str(drive.path), drive.usb_id)), drive
        self._names = names

    def _read_log(
        self, board: str, drive: Drive, last_version: object, last_error: str
    ) -> tuple[object, str]:
        """Read a log that has changed; the version that was read, and the error, if any."""
        path = drive.path / data_log.NAME
        try:
            status = path.stat()
            # The drive's dates are not real. It is mounted again after each change.
            version = status.st_size, status.st_mtime_ns, drive.remounts
            if version == last_version:
                return last_version, last_error
            with path.open("rb") as file:
                content = file.read(data_log.MAX_SIZE + 1)
        except FileNotFoundError:  # a V1, or nothing has been logged yet
            return None, ""
        except OSError as error:
            return None, self._report(board, error_message(error), last_error)
        try:
            log = data_log.read(content)
        except DataLogError as error:
            return version, self._report(board, error_message(error), last_error)
        now_ms = timestamps.now()
        for game in log.games:
            self.put(Received.of(board, game, now_ms, late=True))
        if log.first_skipped is not None:
            self.put(RowsSkipped(board, log.skipped, log.first_skipped))
        return version, ""

    def _report(self, board: str, error: str, last_error: str) -> str:
        """Report an error once."""
        if error != last_error:
            self.put(DataLogUnreadable(board, error))
        return error

    def close(self) -> None:
        """Stop reading, without waiting for a drive that does not answer."""
        self._stopped.set()
        self._thread.join(_SHUTDOWN_TIMEOUT_S)
