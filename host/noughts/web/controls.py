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
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import cache
from typing import TYPE_CHECKING, Any

from starlette.routing import WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from noughts.errors import BoardError, NoughtsError, error_message
from noughts.virtual.board import NUDGE_MG
from noughts.web.live import LiveBoards
from noughts.web.safety import is_token, may_change
from noughts.web.site import Site

if TYPE_CHECKING:
    from noughts.web.tasks import BoardTasks

_BUTTONS = {"A": ("A",), "B": ("B",), "AB": ("A", "B")}
_SIGNS = (-1, 0, 1)
_UNSEEN = 8
"""Messages that a browser has not drawn; beyond them it waits, and then gets the newest."""
_WAITING = 64
"""Messages of a browser that are not carried out yet; more are dropped."""


def routes(site: Site, boards: LiveBoards) -> list[WebSocketRoute]:
    """Address of this part."""

    @cache
    def tasks() -> BoardTasks:
        # Imported here: it takes long, and the page is to be there at once.
        from noughts.web.tasks import BoardTasks

        return BoardTasks(boards)

    async def live(websocket: WebSocket) -> None:
        await websocket.accept()
        await _Browser(site, boards, BoardControls(boards, tasks), websocket).run()

    return [WebSocketRoute("/api/live", live)]


class _Browser:
    """One browser, from its connection to its end."""

    def __init__(
        self, site: Site, boards: LiveBoards, controls: BoardControls, websocket: WebSocket
    ) -> None:
        self._site, self._boards, self._controls = site, boards, controls
        self._websocket = websocket
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
            while (text := await self._received()) is not None:
                await self._take(text)
        except (WebSocketDisconnect, RuntimeError):
            return  # it went away before we could answer
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            await asyncio.shield(asyncio.to_thread(self._controls.let_go))

    async def _received(self) -> str | None:
        """The next message; None at the end, which bytes are too."""
        message = await self._websocket.receive()
        return message.get("text") if message["type"] == "websocket.receive" else None

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
                client = self._websocket.client
                known = may_change(self._site, client.host if client else "?")
                self._may = known and is_token(self._site, token)
                await self._say(you={"may": self._may})
            case dict() if not self._may:
                why = "from another computer you can watch, but not change anything"
                await self._say(error=why)
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
    """What one browser does with boards; all buttons are released when it disconnects.

    tasks: begins long-running tasks.
    """

    def __init__(self, boards: LiveBoards, tasks: Callable[[], BoardTasks]) -> None:
        self._boards, self._tasks = boards, tasks
        self._held: set[tuple[str, str]] = set()
        self._tilted: set[str] = set()
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
                self._tasks().begin(what, name)
                return
        if not isinstance(name, str) or name not in virtual.kinds:
            raise BoardError("that is not a virtual board; only those can be pressed from here")
        match message:
            case {"do": "start"}:
                if name in virtual.errors:
                    self._boards.begins_anew(name)
                    virtual.again(name)
            case {"do": "tap", "buttons": "A" | "B" | "AB" as buttons}:
                virtual.board(name).tap(*_BUTTONS[buttons])
            case {"do": "press", "buttons": "A" | "B" | "AB" as buttons}:
                self._held.update((name, button) for button in _BUTTONS[buttons])
                virtual.board(name).press(*_BUTTONS[buttons])
            case {"do": "release", "buttons": "A" | "B" | "AB" as buttons}:
                self._held.difference_update((name, button) for button in _BUTTONS[buttons])
                virtual.board(name).release(*_BUTTONS[buttons])
            case {"do": "nudge", "x": int(x), "y": int(y)} if x in _SIGNS and y in _SIGNS:
                virtual.board(name).nudge(x, y)
            case {"do": "tilt", "x": int(x), "y": int(y)} if x in _SIGNS and y in _SIGNS:
                (self._tilted.add if x or y else self._tilted.discard)(name)
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
            for name, button in self._held:
                with suppress(NoughtsError):  # a board that has ended holds nothing
                    self._boards.virtual.board(name).release(button)
            for name in self._tilted:
                with suppress(NoughtsError):
                    self._boards.virtual.board(name).tilt(0, 0)
