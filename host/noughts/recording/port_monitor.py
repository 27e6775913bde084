"""Following serial ports that come and go: finding, opening and reading many of them.

One thread finds ports; each port is opened in a thread of its own, because a far host may take
long to answer. `poll()` reads them all, without waiting. Nothing is ever written.
"""

from __future__ import annotations

import contextlib
import os
import queue
import re
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import serial

from noughts.boards.ports import Port, find_ports, open_port, read_port
from noughts.errors import BoardError, printable
from noughts.recording.events import PortClosed, PortOpened, PortUnavailable
from noughts.recording.sources import Change, DataReceived, LineOpened
from noughts.store import timestamps

_PLAIN = re.compile(r"[0-9A-Za-z/\\]")
_LOOK_S = 1.0
_CLOSE_S = 0.2
_LENT = "in use for a moment"
_READ = 16_384
"""Bytes of a port in a turn, so that one cannot keep the others waiting."""


def name_of(port: Port) -> str:
    """The name of a board in the store."""
    if port.usb_id:
        return printable(f"usb-{port.usb_id}")
    # A raw line, or a spreadsheet, would take other beginnings for something else.
    return printable(port.name if _PLAIN.match(port.name) else str(Path(port.name).absolute()))


class PortMonitor:
    """Follows the ports that were named, or all micro:bits. `close()` it.

    also: finds ports that are followed besides those. boards: by port, the boards that are known by
    something else than `name_of`; what it holds may change. opened: called in any thread, with the
    board's name, when a port is open: from now on nothing is lost that it says.
    """

    def __init__(
        self,
        wanted: Sequence[str] = (),
        find: Callable[[], Sequence[Port]] = find_ports,
        also: Callable[[], Sequence[str]] = lambda: (),
        boards: Mapping[str, str] | None = None,
        opened: Callable[[str], object] = lambda name: None,
    ) -> None:
        self._boards = {} if boards is None else boards
        self._also, self._opened = also, opened
        self._wanted = tuple(dict.fromkeys(wanted))
        self._find = find
        self._open: dict[Port, serial.SerialBase] = {}
        self._busy: dict[str, str] = {}  # the board of each name that is open or being opened
        self._released: set[str] = set()
        self._refused: dict[str, str] = {}
        self._found: queue.SimpleQueue[tuple[Port, serial.SerialBase] | PortUnavailable] = (
            queue.SimpleQueue()
        )
        self._lock = threading.Lock()
        self._port_closed = threading.Condition(self._lock)
        self._stopped = threading.Event()
        self._again = threading.Event()
        self._thread = threading.Thread(target=self._look, name="find ports", daemon=True)
        self._thread.start()

    def _look(self) -> None:
        while not self._stopped.is_set():
            ports = self._ports()
            with self._lock:
                there = {port.name for port in ports}
                self._refused = {name: why for name, why in self._refused.items() if name in there}
                new = [
                    port
                    for port in ports
                    if port.name not in self._busy and self._board(port) not in self._released
                ]
                self._busy.update({port.name: self._board(port) for port in new})
            for port in new:
                threading.Thread(target=self._try, args=(port,), daemon=True).start()
            self._again.wait(_LOOK_S)
            self._again.clear()

    def look(self) -> None:
        """Look for ports now, rather than at the next second."""
        self._again.set()

    @contextlib.contextmanager
    def released(self, board: str) -> Iterator[None]:
        """Close a board's port for somebody else to use.

        `poll()` closes it, so another thread must be calling that.
        """
        with self._port_closed:
            self._released.add(board)
            self._port_closed.wait_for(
                lambda: board not in self._busy.values() or self._stopped.is_set()
            )
        try:
            yield
        finally:
            with self._lock:
                self._released.discard(board)
            self.look()

    def _ports(self) -> Sequence[Port]:
        there: Sequence[Port] = ()
        with contextlib.suppress(OSError):  # one that goes away while the system lists it
            there = self._find()
        if self._wanted:
            # The name that was given may be a link; the board behind it is the same.
            known = {port.name: port.usb_id for port in there}
            there = [Port(name, known.get(os.path.realpath(name))) for name in self._wanted]
        return [*(Port(name, None) for name in self._also()), *there]

    def _try(self, port: Port) -> None:
        try:
            opened = open_port(port.name)
        except BoardError as error:
            with self._port_closed:
                self._busy.pop(port.name, None)
                self._port_closed.notify_all()
                known = self._refused.get(port.name) == str(error)
                self._refused[port.name] = str(error)
            if not known:
                self._found.put(PortUnavailable(port.name, str(error)))
            return
        with self._lock:
            self._refused.pop(port.name, None)
            stopped = self._stopped.is_set()
            if not stopped:
                self._found.put((port, opened))
        if stopped:
            opened.close()
        else:
            self._opened(self._board(port))

    def poll(self) -> list[Change]:
        """What has happened since the last time, and all bytes that are there by now."""
        changes: list[Change] = []
        while not self._found.empty():
            found = self._found.get()
            if isinstance(found, PortUnavailable):
                changes.append(found)
            else:
                port, opened = found
                self._open[port] = opened
                board = self._board(port)
                changes += [LineOpened(board, timestamps.now()), PortOpened(board, port.name)]
        for port, opened in list(self._open.items()):
            data = b""
            why = _LENT if self._board(port) in self._released else None
            try:
                data = read_port(opened, _READ)
            except Exception as error:  # URL handlers can raise anything
                why = " ".join(str(error).split())
            if data:
                changes.append(DataReceived(self._board(port), data, timestamps.now()))
            if why is not None:
                self._drop(port)
                changes.append(PortClosed(self._board(port), port.name, why))
        return changes

    def _board(self, port: Port) -> str:
        return self._boards.get(port.name) or name_of(port)

    def _drop(self, port: Port) -> None:
        _close(self._open.pop(port))
        with self._port_closed:
            self._busy.pop(port.name, None)
            self._port_closed.notify_all()

    def close(self) -> None:
        """Close all ports."""
        with self._port_closed:
            self._stopped.set()
            self._port_closed.notify_all()
        self._again.set()
        end_s = time.monotonic() + _CLOSE_S
        self._thread.join(_CLOSE_S)
        with self._lock:
            while not self._found.empty():
                found = self._found.get()
                if not isinstance(found, PortUnavailable):
                    _close(found[1])
        # Far hosts take their time; nothing is lost if the program ends before they have closed.
        closing = [
            threading.Thread(target=_close, args=(opened,), daemon=True)
            for opened in self._open.values()
        ]
        self._open.clear()
        for thread in closing:
            thread.start()
        for thread in closing:
            thread.join(max(0.0, end_s - time.monotonic()))


def _close(port: serial.SerialBase) -> None:
    try:
        port.close()
    except Exception:  # it is gone: an error from closing it adds nothing
        return
