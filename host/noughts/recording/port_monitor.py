"""Following serial ports that come and go: finding, opening and reading many of them.

One thread finds ports. Each port is opened in its own thread, because a remote host may be slow to
answer. `poll()` reads them all without waiting. Nothing is ever written.
"""

import contextlib
import os
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path

import serial

from noughts.boards.ports import Port, find_ports, open_port, read_port
from noughts.errors import BoardError, printable
from noughts.recording.events import (
    RELEASED,
    PortClosed,
    PortOpened,
    PortUnavailable,
    PortUnplugged,
)
from noughts.recording.sources import Change, DataReceived, QueuedSource
from noughts.store import timestamps
from noughts.store.capture import is_board_name

LOOK_S = 1.0
"""Between two looks at which ports there are."""
_CLOSE_S = 0.2
"""For closing a port, whose driver may not answer."""
_READ = 16_384
"""The most bytes read from a port at once, so that no port holds up the others."""


def name_of(port: Port) -> str:
    """The name of a board in the store."""
    if port.usb_id:
        return printable(f"usb-{port.usb_id}")
    return printable(port.name if is_board_name(port.name) else str(Path(port.name).absolute()))


class PortMonitor:
    """Follows the named ports, or all micro:bits, until `close()`."""

    def __init__(
        self, names: Sequence[str] = (), find: Callable[[], Sequence[Port]] = find_ports
    ) -> None:
        self._names = tuple(dict.fromkeys(names))
        self._find = find
        self._open_ports: dict[tuple[str, str], serial.SerialBase] = {}
        """By board and port."""
        self._opening_ports: set[str] = set()
        """The names of ports that a thread is opening."""
        self._released_boards: set[str] = set()
        """The names of boards whose port something else uses."""
        self._error_by_port: dict[str, str] = {}
        """By port: why it could not be opened."""
        self._changes = QueuedSource()
        self._lock = threading.RLock()
        self._stopped = threading.Event()
        self._faults = self._changes.faults
        self._thread = threading.Thread(
            target=self._faults.keep, args=[self._find_ports], name="find ports", daemon=True
        )
        self._thread.start()

    def _find_ports(self) -> None:
        while not self._stopped.is_set():
            with contextlib.suppress(OSError):  # a port was unplugged while the system listed it
                self._open_new(self._ports())
            self._stopped.wait(LOOK_S)

    def _open_new(self, ports: Sequence[Port]) -> None:
        """Open those of the present ports that are not open yet."""
        boards = {port.name: name_of(port) for port in ports}
        with self._lock:
            for port in self._error_by_port.keys() - boards.keys():
                del self._error_by_port[port]
                self._changes.put(PortUnplugged(port))
            for port in (*self._opening_ports, *(port for _, port in self._open_ports)):
                boards.pop(port, None)
            new = {port: name for port, name in boards.items() if name not in self._released_boards}
            self._opening_ports.update(new)
        for port, board in new.items():
            opening = self._try_to_open, port, board
            threading.Thread(target=self._faults.keep, args=opening, daemon=True).start()

    def _ports(self) -> Sequence[Port]:
        """The ports to follow. Raises `OSError` if the system cannot list its ports just now."""
        plugged_in = self._find()
        if not self._names:
            return plugged_in
        # The given name may be a link to the port.
        usb_ids = {port.name: port.usb_id for port in plugged_in}
        return [Port(name, usb_ids.get(os.path.realpath(name))) for name in self._names]

    def _try_to_open(self, port: str, board: str) -> None:
        """Open a port, which may take seconds, in a thread of its own."""
        try:
            opened = open_port(port)
        except BoardError as error:
            with self._lock:
                self._opening_ports.discard(port)
                if self._error_by_port.get(port) != str(error):
                    self._error_by_port[port] = str(error)
                    self._changes.put(PortUnavailable(port, str(error)))
        else:
            if port in self._names:
                board = self._board_at(port, board)
            with self._lock:
                self._opening_ports.discard(port)
                self._error_by_port.pop(port, None)
                if self._stopped.is_set() or board in self._released_boards:
                    opened.close()
                else:
                    self.follow(board, port, opened)

    def _board_at(self, port: str, board: str) -> str:
        """The board at a named port that is open; it can be opened before the system lists it."""
        while not self._stopped.is_set():
            with contextlib.suppress(OSError):  # see `_find_ports`
                return next(name_of(listed) for listed in self._ports() if listed.name == port)
            self._stopped.wait(LOOK_S)
        return board

    def follow(self, board: str, port: str, opened: serial.SerialBase) -> None:
        """Read an open port from now on; board: its name in the store."""
        with self._lock:
            self._open_ports[board, port] = opened
            # Without bytes: opening it may have reset the board, so it may have another boot now.
            self._changes.put(DataReceived(board, b"", timestamps.now()))
            self._changes.put(PortOpened(board, port))

    @contextlib.contextmanager
    def released(self, board: str) -> Iterator[None]:
        """Close a board's port, so that something else can use it."""
        with self._lock:
            self._released_boards.add(board)
            ports = [port for name, port in self._open_ports if name == board]
            for port in ports:
                self._read(board, port, RELEASED)
        try:
            yield
        finally:
            with self._lock:
                self._released_boards.discard(board)
                self._opening_ports.update(ports)
            for port in ports:
                self._try_to_open(port, board)

    def poll(self) -> list[Change]:
        """Everything that has happened since the last call, with all bytes received by now."""
        with self._lock:
            for board, port in list(self._open_ports):
                self._read(board, port)
            return self._changes.poll()

    def _read(self, board: str, port: str, close_reason: str | None = None) -> None:
        """Read a port. Close it if it is gone, or if there is a reason to."""
        opened = self._open_ports[board, port]
        try:
            if data := read_port(opened, _READ):
                self._changes.put(DataReceived(board, data, timestamps.now()))
        except Exception as error:  # URL handlers can raise anything
            close_reason = " ".join(str(error).split())
        if close_reason is not None:
            del self._open_ports[board, port]
            _close(opened)
            self._changes.put(PortClosed(board, port, close_reason))

    def close(self) -> None:
        """Close all ports, without waiting long for one that does not answer."""
        with self._lock:
            self._stopped.set()
            opened = [*self._open_ports.values()]
            self._open_ports.clear()
        close_all([partial(_close, port) for port in opened], _CLOSE_S)
        self._thread.join(_CLOSE_S)


def _close(port: serial.SerialBase) -> None:
    with contextlib.suppress(Exception):  # the port is gone: an error on closing adds nothing
        port.close()


def close_all(closes: Iterable[Callable[[], object]], timeout_s: float) -> None:
    """Call all of these at once; do not wait longer than this for any that has not returned."""
    threads = [threading.Thread(target=close, daemon=True) for close in closes]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout_s)
