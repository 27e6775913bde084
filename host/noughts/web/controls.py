"""The WebSocket of a browser that follows all boards: what it gets, and what somebody does there.

Besides what `live.py` describes, a browser gets

    you             whether it may do something
    error           why something that it asked for is not done

It sends `{"token": …}` first, `{"seen": N}` when it has drawn N more messages of `live.py`, and
what `BoardControls` does: `{"board": ID, "do": "tap", "buttons": "A"}`.
"""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from starlette.websockets import WebSocket, WebSocketDisconnect

from noughts.errors import BoardError, NoughtsError, error_message
from noughts.virtual.board import NUDGE_MG
from noughts.web.live import LiveBoards
from noughts.web.safety import WATCH_ONLY, Site, address_of

_SIGNS = (-1, 0, 1)
_UNSEEN = 8
"""Messages that a browser has not drawn; beyond them it waits, and then gets the newest."""
_WAITING = 64
"""Messages of a browser that are not carried out yet; more are dropped."""


async def live(websocket: WebSocket) -> None:
    """Serve a browser that follows all boards, until it goes away."""
    await websocket.accept()
    await _Browser(websocket).run()


class _Browser:
    def __init__(self, websocket: WebSocket) -> None:
        self._websocket = websocket
        self._site: Site = websocket.app.state.site
        self._boards: LiveBoards = websocket.app.state.boards
        self._controls = BoardControls(self._boards)
        self._sent = self._seen = 0
        self._drawn = asyncio.Event()
        self._may = False
        self._wanted: asyncio.Queue[dict[str, Any]] = asyncio.Queue(_WAITING)

    async def run(self) -> None:
        channels = [self._boards.words]
        if "leds" in self._websocket.query_params:
            channels.append(self._boards.leds)
        work = [self._obey(), *(each.follow(self._ready, self._send) for each in channels)]
        tasks = [asyncio.create_task(each) for each in work]
        try:
            while True:
                await self._take(await self._websocket.receive_text())
        except (WebSocketDisconnect, RuntimeError, KeyError):
            return  # it went away before we could answer, or has sent bytes
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            await asyncio.shield(asyncio.to_thread(self._controls.let_go))

    async def _ready(self) -> None:
        while self._sent - self._seen >= _UNSEEN:
            self._drawn.clear()
            await self._drawn.wait()

    async def _send(self, text: str) -> None:
        self._sent += 1
        await self._websocket.send_text(text)

    async def _take(self, text: str) -> None:
        try:
            message = json.loads(text)
        except (ValueError, RecursionError):
            message = None
        match message:
            case {"seen": int(count)}:
                self._seen = min(self._seen + count, self._sent)
                self._drawn.set()
            case {"token": token}:
                known = self._site.may_change(address_of(self._websocket))
                self._may = known and self._site.is_token(token)
                await self._say(you={"may": self._may})
            case dict() if not self._may:
                await self._say(error=WATCH_ONLY)
            case dict():
                if not self._wanted.full():
                    self._wanted.put_nowait(message)
            case _:
                await self._say(error="a message is a JSON object; load the page again")

    async def _obey(self) -> None:
        while True:
            message = await self._wanted.get()
            try:
                await asyncio.to_thread(self._controls.do, message)
            except NoughtsError as error:
                await self._say(error=error_message(error))

    async def _say(self, **content: object) -> None:
        await self._websocket.send_text(json.dumps(content))


class BoardControls:
    """What one browser does with boards; all buttons are released when it disconnects."""

    def __init__(self, boards: LiveBoards) -> None:
        self._boards = boards
        self._held: set[str] = set()
        """Boards on which it has pressed buttons, or that it has tilted."""
        self._gone = False
        self._lock = threading.Lock()

    def do(self, message: Mapping[str, object]) -> None:
        """Do what a message asks for; nothing after `let_go()`. Raises `NoughtsError`."""
        with self._lock:
            if not self._gone:
                self._do(message)

    def _do(self, message: Mapping[str, object]) -> None:
        virtual, name = self._boards.virtual, message.get("board", "")
        match message:
            case {"do": "update" | "flash" | "check" as what} if isinstance(name, str):
                from noughts.web import tasks  # takes long, and the page is to be there at once

                tasks.begin(self._boards, what, name)
                return
        if not isinstance(name, str) or name not in virtual.kinds:
            raise BoardError("that is not a virtual board; only those can be pressed from here")
        match message:
            case {"do": "start"}:
                if name in virtual.errors:
                    self._boards.begins_anew(name)
                    virtual.again(name)
            case {"do": "tap" | "press" | "release" as do, "buttons": "A" | "B" | "AB" as buttons}:
                if do == "press":
                    self._held.add(name)
                getattr(virtual.board(name), do)(*buttons)
            case {"do": "nudge", "x": int(x), "y": int(y)} if x in _SIGNS and y in _SIGNS:
                virtual.board(name).nudge(x, y)
            case {"do": "tilt", "x": int(x), "y": int(y)} if x in _SIGNS and y in _SIGNS:
                self._held.add(name)
                virtual.board(name).tilt(x * NUDGE_MG, y * NUDGE_MG)
            case {"do": "reset"}:
                self._boards.begins_anew(name)
                virtual.board(name).reset()
            case _:
                raise BoardError("a board cannot do that; load the page again")

    def let_go(self) -> None:
        """Release all buttons, and hold the boards level: the browser has gone away."""
        with self._lock:  # what is being done for it may be a press
            self._gone = True
            for name in self._held:
                with suppress(NoughtsError):  # a board that has ended holds nothing
                    self._boards.virtual.board(name).release("A", "B")
                    self._boards.virtual.board(name).tilt(0, 0)
