"""The host's end of a virtual board's serial line: a port that other programs can open.

On POSIX it is a pseudo-terminal in raw mode, elsewhere a TCP port of this machine's loopback. Like
the USB interface of a real board, it drops what nobody reads once its buffer is full, and never
holds the board up.
"""

from __future__ import annotations

import contextlib
import os
import select
import socket
import threading
from collections.abc import Callable

_WAIT_S = 0.2
_STALL_S = 0.25


class SerialLine:
    """A serial port whose far end is the board.

    `on_input` is called, in a thread of the line's own, with the bytes that arrive for the board;
    as long as it takes, the next ones wait.
    """

    port: str
    """What `serial.serial_for_url` opens: a path, or a `socket://` URL."""

    def __init__(self, on_input: Callable[[bytes], None]) -> None:
        self._on_input = on_input
        self._closed = threading.Event()
        self._writing = threading.Lock()
        self._far: _Pty | _Tcp = _Pty() if os.name == "posix" else _Tcp()
        self.port = self._far.port
        self._thread = threading.Thread(target=self._pump, name="serial line", daemon=True)
        self._thread.start()

    def feed(self, data: bytes) -> None:
        """Send bytes from the board to the port's readers."""
        with self._writing:
            if not self._closed.is_set():
                self._far.write(data)

    def close(self) -> None:
        """Take the port away; a program that has it open sees it vanish."""
        with self._writing:
            if self._closed.is_set():
                return
            self._closed.set()
        self._thread.join()
        self._far.close()

    def _pump(self) -> None:
        while not self._closed.is_set():
            data = self._far.read(_WAIT_S)
            if data:
                self._on_input(data)


class _Pty:
    def __init__(self) -> None:
        import tty

        self._master, self._slave = os.openpty()  # the slave stays open: what is sent, stays
        tty.setraw(self._slave)
        os.set_blocking(self._master, False)
        self._stalled = False
        self.port = os.ttyname(self._slave)

    def read(self, timeout_s: float) -> bytes:
        ready, _, _ = select.select([self._master], [], [], timeout_s)
        try:
            return os.read(self._master, 4096) if ready else b""
        except OSError:
            return b""

    def write(self, data: bytes) -> None:
        while data:
            # A reader that is only slow gets it all; one that has stopped, or is not there, is
            # waited for once.
            _, ready, _ = select.select([], [self._master], [], 0 if self._stalled else _STALL_S)
            self._stalled = not ready
            if not ready:
                return
            try:
                data = data[os.write(self._master, data) :]
            except OSError:
                return

    def close(self) -> None:
        os.close(self._slave)
        os.close(self._master)


class _Tcp:
    """Every connected program receives the board's output, as with a pseudo-terminal."""

    def __init__(self) -> None:
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._peers: tuple[socket.socket, ...] = ()
        self.port = f"socket://127.0.0.1:{self._listener.getsockname()[1]}"

    def read(self, timeout_s: float) -> bytes:
        ready, _, _ = select.select([self._listener, *self._peers], [], [], timeout_s)
        data = b""
        for each in ready:
            if each is self._listener:
                peer, _ = each.accept()
                peer.setblocking(False)
                self._peers += (peer,)
            else:
                data += self._read(each)
        return data

    def _read(self, peer: socket.socket) -> bytes:
        data = b""
        with contextlib.suppress(OSError):
            data = peer.recv(4096)
        if not data:
            self._peers = tuple(each for each in self._peers if each is not peer)
            peer.close()
        return data

    def write(self, data: bytes) -> None:
        for peer in self._peers:
            with contextlib.suppress(OSError):
                peer.send(data)

    def close(self) -> None:
        for each in (*self._peers, self._listener):
            each.close()
