"""The WebSocket that sends browsers the state of all boards, and takes presses of virtual ones.

To a browser: a JSON object of what has changed, by key.

    site            what is wrong with the store, ports that wait
    order           the boards' ids, sorted by what people call them
    board/ID        all about one board: `LiveBoard.record`
    leds/ID         25 digits and the device clock in ms; only with `?leds`
    doctor          what `doctor` has found so far
    you             whether this browser may do something
    error           why something that it asked for is not done

From a browser: `{"token": …}` first, `{"seen": true}` for each message that it has drawn, and what
`BoardControls` does.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import Callable
from functools import cache, partial
from typing import TYPE_CHECKING, Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from noughts.errors import BoardError, NoughtsError, error_message
from noughts.web.channel import Follower
from noughts.web.controls import BoardControls
from noughts.web.hub import Hub
from noughts.web.safety import is_token, may_change
from noughts.web.site import Site

if TYPE_CHECKING:
    from noughts.web.tasks import BoardTasks

_WAITING = 64
"""Messages of a browser that are not carried out yet; more are dropped."""


def routes(site: Site, hub: Hub) -> list[BaseRoute]:
    """The WebSocket, and what begins a task with a board; the WebSocket sends its progress."""

    @cache
    def tasks() -> BoardTasks:
        # Imported here: it takes long, and the page is to be there at once.
        from noughts.web.tasks import BoardTasks

        return BoardTasks(hub)

    begin: dict[str, Callable[[str], None]] = {
        "update": lambda board: tasks().update(board),
        "flash": lambda board: tasks().flash(board),
        "check": lambda board: tasks().check(),
    }

    async def live(websocket: WebSocket) -> None:
        await websocket.accept()
        await _Client(site, hub, websocket).run()

    async def work(begin: Callable[[str], None], request: Request) -> Response:
        begin(await _board(request))
        return JSONResponse({})

    return [
        WebSocketRoute("/api/live", live),
        *(
            Route(f"/api/boards/{what}", partial(work, begin[what]), methods=["POST"])
            for what in begin
        ),
    ]


async def _board(request: Request) -> str:
    """The board that a request names."""
    try:
        board = (await request.json()).get("board", "")
    except (ValueError, AttributeError, RecursionError):
        board = None
    if not isinstance(board, str):
        raise BoardError("a request names a board; load the page again")
    return board


class _Client:
    """One browser, from its connection to its end."""

    def __init__(self, site: Site, hub: Hub, websocket: WebSocket) -> None:
        self._site, self._hub, self._websocket = site, hub, websocket
        self._follower = Follower(websocket)
        self._controls = BoardControls(hub)
        self._may = False
        self._wanted: asyncio.Queue[dict[str, Any]] = asyncio.Queue(_WAITING)

    async def run(self) -> None:
        hub = self._hub
        with contextlib.ExitStack() as connections:
            connections.enter_context(hub.clients.connected())
            work = [self._follower.follow(hub.words), self._obey()]
            if "leds" in self._websocket.query_params:
                connections.enter_context(hub.led_clients.connected())
                work.append(self._follower.follow(hub.leds))
            tasks = [asyncio.create_task(each) for each in work]
            try:
                while (text := await self._received()) is not None:
                    await self._take(text)
            finally:
                for task in tasks:
                    task.cancel()
                await asyncio.shield(asyncio.to_thread(self._controls.let_go))

    async def _received(self) -> str | None:
        """The next message; None at the end, which bytes are too."""
        message = await self._websocket.receive()
        return message.get("text") if message["type"] == "websocket.receive" else None

    async def _take(self, text: str) -> None:
        try:
            message = json.loads(text)
        except (ValueError, RecursionError):
            message = None
        if not isinstance(message, dict):
            await self._say(error="a message is a JSON object; load the page again")
        elif "seen" in message:
            self._follower.confirmed()
        elif "token" in message:
            client = self._websocket.client
            known = isinstance(message["token"], str) and is_token(self._site, message["token"])
            self._may = known and may_change(self._site, client.host if client else "?")
            await self._say(you={"may": self._may})
        elif not self._may:
            await self._say(error="from another computer you can watch, but not change anything")
        elif not self._wanted.full():
            self._wanted.put_nowait(message)

    async def _obey(self) -> None:
        while True:
            message = await self._wanted.get()
            try:
                await asyncio.to_thread(self._controls.do, message)
            except NoughtsError as error:
                await self._say(error=error_message(error))

    async def _say(self, **content: object) -> None:
        with contextlib.suppress(WebSocketDisconnect, RuntimeError):
            await self._websocket.send_text(json.dumps(content))
