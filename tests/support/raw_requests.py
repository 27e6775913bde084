"""Requests byte by byte to the page's server, as no browser sends them."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any

from websockets.exceptions import InvalidMessage
from websockets.sync.client import ClientConnection, connect

from browser import Server

WAIT_S = 120


@contextmanager
def line(server: Server, said: bytes = b"") -> Iterator[socket.socket]:
    """A connection that says this much; `HERE` stands for the server's name."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=WAIT_S) as sock:
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


def change(server: Server, **more: str) -> dict[str, str]:
    """Headers of a page of ours that changes something."""
    good = {
        "Host": f"127.0.0.1:{server.port}",
        "Origin": server.url,
        "Content-Type": "application/json",
        "X-Noughts-Token": server.token(),
    }
    return good | more


def head(method: str, address: str, headers: Mapping[str, str]) -> bytes:
    """The beginning of a request."""
    lines = [f"{method} {address} HTTP/1.1", *(f"{k}: {v}" for k, v in headers.items())]
    return "\r\n".join([*lines, "", ""]).encode()


def state(server: Server) -> dict[str, int]:
    """What has come of the requests to an echo site."""
    while (answer := server.ask("GET", "/api/state"))[0] == 429:
        pass
    told: dict[str, int] = json.loads(answer[2])
    return told


def open_socket(server: Server, **named: Any) -> ClientConnection:
    """A WebSocket that answers what it hears; another where a server without patience hangs up."""
    named = {"origin": server.url, "open_timeout": WAIT_S} | named
    while True:
        with suppress(*[InvalidMessage] if server.hangs_up else []):
            socket: ClientConnection = connect(f"ws://127.0.0.1:{server.port}/echo", **named)
            return socket
