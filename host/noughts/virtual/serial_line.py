"""The port of a virtual board, which other programs can open.

On POSIX it is a pseudo-terminal in raw mode, elsewhere a TCP port of this machine's loopback. Like
the USB interface of a real board, it drops what nobody reads once its buffer is full, and never
holds the board up.
"""

import contextlib
import os
import socket

_BUFFER = 16 * 1024
"""Bytes that wait for a slow reader: more than a second at 115200 baud."""


class Pty:
    def __init__(self) -> None:
        import tty

        self._master, self._slave = os.openpty()  # the slave stays open: what is sent, stays
        tty.setraw(self._slave)
        os.set_blocking(self._master, False)
        self._waiting = b""
        self.port = os.ttyname(self._slave)
        """What `serial.serial_for_url` opens."""

    def read(self) -> bytes:
        """What programs have sent to the board by now."""
        try:
            return os.read(self._master, 4096)
        except BlockingIOError:
            return b""

    def write(self, data: bytes) -> None:
        """Send bytes from the board to the readers of the port."""
        self._waiting = (self._waiting + data)[:_BUFFER]
        if self._waiting:
            with contextlib.suppress(BlockingIOError):
                self._waiting = self._waiting[os.write(self._master, self._waiting) :]


class Tcp:
    """Every connected program receives the board's output, as with a pseudo-terminal."""

    def __init__(self) -> None:
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._listener.setblocking(False)
        self._peers: list[socket.socket] = []
        self.port = f"socket://127.0.0.1:{self._listener.getsockname()[1]}"

    def read(self) -> bytes:
        with contextlib.suppress(BlockingIOError):
            while True:
                peer, _ = self._listener.accept()
                peer.setblocking(False)
                self._peers.append(peer)
        return b"".join(map(self._read, tuple(self._peers)))

    def _read(self, peer: socket.socket) -> bytes:
        data = b""
        try:
            data = peer.recv(4096)
        except BlockingIOError:
            return data
        except OSError:
            pass
        if not data:
            self._peers.remove(peer)
            peer.close()
        return data

    def write(self, data: bytes) -> None:
        for peer in self._peers:
            with contextlib.suppress(OSError):
                peer.send(data)


def open_line() -> Pty | Tcp:
    return Pty() if os.name == "posix" else Tcp()
