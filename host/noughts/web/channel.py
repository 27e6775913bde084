"""The newest state of many things, encoded once for all browsers that are connected."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import Iterator

from starlette.websockets import WebSocket, WebSocketDisconnect

_ON_THE_WAY = 4
"""Messages that a browser has not confirmed; beyond them it waits, and gets the newest then."""


class Channel:
    """Values by key. Whoever follows gets those that have changed, not every change.

    It belongs to the thread of the event loop.
    """

    def __init__(self) -> None:
        self.version = 0
        self._values: dict[str, tuple[int, str]] = {}
        self._messages: dict[int, str] = {}
        self._changed = asyncio.Event()

    def set(self, key: str, value: object) -> None:
        """Give a key its newest value; nothing happens if it is the same."""
        text = f"{json.dumps(key)}:{json.dumps(value, separators=(',', ':'))}"
        if key in self._values and self._values[key][1] == text:
            return
        self.version += 1
        self._values[key] = self.version, text
        self._messages.clear()
        self._changed.set()
        self._changed = asyncio.Event()

    def since(self, version: int) -> str:
        """A JSON object of what is newer than a version."""
        message = self._messages.get(version)
        if message is None:
            newer = [text for changed, text in self._values.values() if changed > version]
            message = self._messages[version] = "{" + ",".join(newer) + "}"
        return message

    async def beyond(self, version: int) -> None:
        """Wait until something is newer than a version."""
        while self.version <= version:
            await self._changed.wait()


class Follower:
    """A browser that follows channels, no faster than it reads."""

    def __init__(self, websocket: WebSocket) -> None:
        self._websocket = websocket
        self._room = asyncio.Semaphore(_ON_THE_WAY)
        self._on_the_way = 0

    async def follow(self, channel: Channel) -> None:
        """Send what is new, to the end of the connection."""
        version = 0
        with contextlib.suppress(WebSocketDisconnect, RuntimeError):
            while True:
                await channel.beyond(version)
                await self._room.acquire()
                self._on_the_way += 1
                message, version = channel.since(version), channel.version
                await self._websocket.send_text(message)

    def confirmed(self) -> None:
        """Note that the browser has drawn a message."""
        if self._on_the_way:
            self._on_the_way -= 1
            self._room.release()


class ClientCount:
    """How many browsers are connected; `any_connected` is set while there is one."""

    def __init__(self) -> None:
        self.any_connected = asyncio.Event()
        self._count = 0

    @contextlib.contextmanager
    def connected(self) -> Iterator[None]:
        """Count one browser more, to the end of its connection."""
        self._count += 1
        self.any_connected.set()
        try:
            yield
        finally:
            self._count -= 1
            if not self._count:
                self.any_connected.clear()
