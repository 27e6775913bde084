"""Browsers that watch, by messages alone, boards that do what a test wants."""

import asyncio
import json
import threading
from collections.abc import Callable
from typing import Any

from starlette.types import Message

from noughts.errors import BoardError, BoardGoneError
from noughts.protocol.sentences import Sentence
from noughts.recording.events import PortOpened
from noughts.recording.sources import DataReceived
from noughts.web.app import application
from noughts.web.live import LiveBoards
from noughts.web.safety import Site
from sample_games import wire

DARK = bytes(25)


class Board:
    """Shows what the test wants it to, and notes what is done with it."""

    firmware = "MicroPython"

    def __init__(self) -> None:
        self.shown, self.ms, self.flash, self.ended = DARK, 1000, b"", False
        self.done: list[tuple[object, ...]] = []
        self.goes_on = threading.Event()
        self.goes_on.set()

    def leds(self) -> bytes:
        if self.ended:
            raise BoardGoneError("it was killed; start again")
        return self.shown

    def clock_us(self) -> int:
        return self.ms * 1000

    def memory(self) -> bytes:
        return self.flash

    def __getattr__(self, name: str) -> Callable[..., None]:
        def do(*given: object) -> None:
            assert self.goes_on.wait(120)
            if self.ended:
                raise BoardGoneError("it was killed; start again")
            self.done.append((name, *given))

        return do


class Boards:
    """Stands in for virtual boards: all run, and nothing is emulated."""

    def __init__(
        self, count: int, follow: Callable[..., object], changed: Callable[[str], object]
    ) -> None:
        self.kinds = {f"virtual-{number + 1}": "V2" for number in range(count)}
        self.running = {name: Board() for name in self.kinds}
        self.names: dict[str, str] = {}
        self.errors: dict[str, str] = {}
        self._changed = changed

    def start(self) -> None:
        for name in self.kinds:
            self._changed(name)

    def board(self, name: str) -> Board:
        if name not in self.running:
            raise BoardError("it does not run")
        return self.running[name]

    def close(self) -> None:
        self.running.clear()
        self.recorded = "record games" not in [thread.name for thread in threading.enumerate()]


class Browser:
    """One that watches until `leave()`; the newest values that it received are in `now`."""

    def __init__(
        self,
        site: Site,
        live_boards: LiveBoards,
        client: str = "127.0.0.1",
        leds: bool = True,
        token: bool = True,
        confirms: bool = True,
    ) -> None:
        self._confirms = confirms
        self._in: asyncio.Queue[Message] = asyncio.Queue()
        self._out: asyncio.Queue[Message] = asyncio.Queue()
        self.now: dict[str, Any] = {}
        self.messages: list[dict[str, Any]] = []
        here = site.addresses[0].encode()
        scope = {
            "type": "websocket", "path": "/api/live", "query_string": b"leds" * leds,
            "headers": [(b"host", here), (b"origin", b"http://" + here)],
            "client": (client, 50_000), "subprotocols": [],
        }  # fmt: skip
        app = application(site, live_boards)
        self._in.put_nowait({"type": "websocket.connect"})
        self.task = asyncio.ensure_future(app(scope, self._in.get, self._out.put))
        if token:
            self.say(token=site.token)

    def say(self, **message: object) -> None:
        self.send(json.dumps(message))

    def send(self, text: str) -> None:
        self._in.put_nowait({"type": "websocket.receive", "text": text})

    async def until(self, holds: Callable[[dict[str, Any]], object]) -> None:
        while not holds(self.now):
            sent = await asyncio.wait_for(self._out.get(), 120)
            if sent["type"] != "websocket.send":
                continue
            message: dict[str, Any] = json.loads(sent["text"])
            self.messages.append(message)
            self.now |= message
            if self._confirms and not {"you", "error"} & message.keys():
                self.say(seen=1)

    async def leave(self, how: Message | None = None) -> None:
        self._in.put_nowait(how or {"type": "websocket.disconnect", "code": 1001})
        await asyncio.wait_for(self.task, 120)


def told(live_boards: LiveBoards, *sentences: Sentence) -> None:
    """Let the first virtual board be plugged in, and say something."""
    live_boards._recorded.put(PortOpened("virtual-1", "there"))
    live_boards._recorded.put(DataReceived("virtual-1", wire(*sentences), None))


async def settled(holds: Callable[[], object]) -> None:
    """Let everything else go on until something holds."""
    for _ in range(12_000):
        if holds():
            return
        await asyncio.sleep(0.01)
    raise AssertionError("it never came")
