"""A browser as the server sees one: a WebSocket on which it is told of all boards."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any

from websockets.sync.client import connect
from websockets.typing import Origin

from page_server import Server

_LIMIT_S = 120.0


class Looker:
    """Follows all boards. What it was told last is in `now`, by key. `close()` it."""

    def __init__(self, server: Server, *, token: bool = True, leds: bool = False) -> None:
        self.now: dict[str, Any] = {}
        self.errors: list[str] = []
        self._open = ExitStack()
        self.messages = 0
        address = f"{server.url.replace('http', 'ws')}/api/live{'?leds' * leds}"
        connection = connect(
            address,
            origin=Origin(server.url),
            compression=None,
            open_timeout=_LIMIT_S,
            ping_interval=None,
        )
        self._socket = self._open.enter_context(connection)
        if token:
            self.send(token=server.token())

    def send(self, **message: object) -> None:
        self._socket.send(json.dumps(message))

    def read(self, timeout_s: float = _LIMIT_S) -> dict[str, Any]:
        """The next message. Raises `TimeoutError`."""
        message: dict[str, Any] = json.loads(self._socket.recv(timeout_s))
        if "error" in message:
            self.errors.append(message["error"])
            return message
        self.now |= message
        if "you" not in message:
            self.messages += 1
            if self.messages % 4 == 0:  # as a page does
                self.send(seen=4)
        return message

    def wait(self, holds: Callable[[], Any], what: str) -> None:
        """Read until something holds."""
        end_s = time.monotonic() + _LIMIT_S
        while not holds():
            assert time.monotonic() < end_s, f"waited for {what}: {self.now}"
            self.read()

    def board(self, name: str = "virtual-1") -> dict[str, Any]:
        """What is known of a board."""
        found: dict[str, Any] = self.now.get(f"board/{name}", {})
        return found

    def said(self, name: str) -> list[str]:
        """The last lines of a board."""
        return [text for _, text in self.board(name).get("lines", ())]

    def close(self) -> None:
        self._open.close()
