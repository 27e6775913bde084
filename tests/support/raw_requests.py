"""Requests byte by byte to the page's server, as no browser sends them."""

from __future__ import annotations

import socket
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any

from websockets.sync.client import ClientConnection, connect
from websockets.typing import Origin

from page_server import ThreadServer
from waiting import LIMIT_S


@contextmanager
def line(server: ThreadServer, said: bytes = b"") -> Iterator[socket.socket]:
    """A connection that says this much; `HERE` stands for the server's name."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=LIMIT_S) as sock:
        with suppress(ConnectionError):  # it may be closed before all is said
            sock.sendall(said.replace(b"HERE", f"127.0.0.1:{server.port}".encode()))
        yield sock


def rest(sock: socket.socket) -> bytes:
    """All that comes until the server closes the connection."""
    parts = []
    with suppress(ConnectionError):
        while part := sock.recv(65_536):
            parts.append(part)
    return b"".join(parts)


def head(method: str, address: str, headers: Mapping[str, str]) -> bytes:
    """The beginning of a request."""
    lines = [f"{method} {address} HTTP/1.1", *(f"{k}: {v}" for k, v in headers.items())]
    return "\r\n".join([*lines, "", ""]).encode()


def open_socket(server: ThreadServer, **named: Any) -> ClientConnection:
    """A WebSocket that answers what it hears."""
    address = f"ws://127.0.0.1:{server.port}/socket"
    socket: ClientConnection = connect(
        address, origin=Origin(server.url), open_timeout=LIMIT_S, **named
    )
    return socket
