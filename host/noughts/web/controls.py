"""The WebSocket of a browser that follows all boards: its messages in both directions.

Besides what `live.py` describes, it gets `{"error": …}` if something that it asked for is not done.
It sends `{"token": …}` first, `{"seen": N}` when it has drawn N more messages of `live.py`, and
what `BoardControls` does: `{"board": ID, "do": "tap", "buttons": "A"}`.
"""

import asyncio
from collections.abc import Mapping
from contextlib import suppress

from starlette.websockets import WebSocket, WebSocketDisconnect

from noughts.errors import BoardError, NoughtsError, error_message
from noughts.virtual.board import NUDGE_MG
from noughts.web.live import LiveBoards
from noughts.web.safety import WATCH_ONLY, RateLimit, Site, address_of

_SIGNS = (-1, 0, 1)
_UNSEEN = 8
"""Messages that a browser may not have drawn yet; then it waits, and gets the newest."""


async def live(websocket: WebSocket) -> None:
    site: Site = websocket.app.state.site
    boards: LiveBoards = websocket.app.state.boards
    controls, limit, may = BoardControls(boards), RateLimit(), False
    unseen = asyncio.BoundedSemaphore(_UNSEEN)

    await websocket.accept()
    channels = [boards.words, boards.leds] if "leds" in websocket.query_params else [boards.words]
    sending = (each.follow(unseen.acquire, websocket.send_text) for each in channels)
    tasks = [asyncio.create_task(each) for each in sending]
    try:
        async for message in websocket.iter_json():
            # A browser that sends too many waits, and further messages wait in its own computer.
            while not limit.allows():
                await asyncio.sleep(0.05)
            match message:
                case {"seen": int(count)}:
                    with suppress(ValueError):  # it claims more than it was sent
                        for _ in range(count):
                            unseen.release()
                case {"token": token}:
                    may = site.may_change(address_of(websocket)) and site.is_token(token)
                case dict() if not may:
                    await websocket.send_json({"error": WATCH_ONLY})
                case dict():
                    try:
                        await asyncio.to_thread(controls.do, message)
                    except NoughtsError as error:
                        await websocket.send_json({"error": error_message(error)})
    except (WebSocketDisconnect, RuntimeError, KeyError, ValueError, RecursionError):
        return  # it left before we could answer, or it sent something that is not JSON
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await asyncio.shield(asyncio.to_thread(controls.let_go))


class BoardControls:
    """The actions of one browser on boards; all buttons are released when it disconnects."""

    def __init__(self, boards: LiveBoards) -> None:
        self._boards = boards
        self._used: set[str] = set()
        """Virtual boards: it may have pressed their buttons, or tilted them."""

    def do(self, message: Mapping[str, object]) -> None:
        virtual, name = self._boards.virtual, str(message.get("board", ""))
        self._used |= {name} & virtual.kinds.keys()
        match message:
            case {"do": "update" | "flash" | "check" as what}:
                from noughts.web import tasks  # slow to import, and the page should appear at once

                tasks.begin(self._boards, what, name)
            case _ if name not in virtual.kinds:
                raise BoardError("that is not a virtual board; only those can be pressed from here")
            case {"do": "start"} if name in virtual.errors:
                self._boards.begins_anew(name)
                virtual.again(name)
            case {"do": "tap" | "press" | "release" as do, "buttons": "A" | "B" | "AB" as buttons}:
                getattr(virtual.board(name), do)(*buttons)
            case {"do": "nudge", "x": int(x), "y": int(y)} if x in _SIGNS and y in _SIGNS:
                virtual.board(name).nudge(x, y)
            case {"do": "tilt", "x": int(x), "y": int(y)} if x in _SIGNS and y in _SIGNS:
                virtual.board(name).tilt(x * NUDGE_MG, y * NUDGE_MG)
            case {"do": "reset"}:
                self._boards.begins_anew(name)
                virtual.board(name).reset()
            case _:
                raise BoardError("a board cannot do that; load the page again")

    def let_go(self) -> None:
        """Release all buttons, and hold the boards level, because the browser is gone."""
        for name in self._used:
            with suppress(NoughtsError):  # a board that has ended needs nothing
                self._boards.virtual.board(name).release("A", "B")
                self._boards.virtual.board(name).tilt(0, 0)
