"""Boards in the browser: a stream of what changes, and what people do with them.

    GET  /api/live      what `live.py` describes, for an `EventSource`; with `?leds`, the LEDs too
    POST /api/boards    `{"board": ID, "do": "tap", "buttons": "A"}`, and what else `do` knows

A page sends one after the other, so what is pressed and released stays in order.
"""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import suppress

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse

from noughts.errors import BoardError
from noughts.virtual.board import NUDGE_MG
from noughts.web.live import LiveBoards
from noughts.web.safety import address_of

_SIGNS = (-1, 0, 1)


async def live(request: Request) -> Response:
    boards: LiveBoards = request.app.state.boards
    leds = "leds" in request.query_params
    presses = leds and request.app.state.site.may_change(address_of(request))
    return StreamingResponse(_events(boards, leds, presses), media_type="text/event-stream")


async def _events(boards: LiveBoards, leds: bool, presses: bool) -> AsyncIterator[str]:
    """All values, and then all changes, for one browser; presses: whether it may press buttons."""
    channels = [boards.words, boards.leds] if leds else [boards.words]
    versions = dict.fromkeys(channels, 0)
    try:
        while True:
            for channel in channels:
                versions[channel], news = channel.since(versions[channel])
                if news:
                    yield f"data: {{{news}}}\n\n"
            await asyncio.sleep(min(channel.every_s for channel in channels))
    finally:
        if presses:
            _let_go(boards)


def _let_go(boards: LiveBoards) -> None:
    """Release all buttons and hold the boards level, because a page that may press is gone."""
    for board in list(boards.virtual.running.values()):
        with suppress(BoardError):  # one that has ended needs nothing
            board.release("A", "B")
            board.tilt(0, 0)


async def act(request: Request) -> Response:
    try:
        message = dict(await request.json())
    except (ValueError, TypeError, RecursionError) as error:
        raise BoardError("that is not an action; reload the page") from error
    await run_in_threadpool(do, request.app.state.boards, message)
    return JSONResponse({})


def do(boards: LiveBoards, message: Mapping[str, object]) -> None:
    """Do something with a board. Raises `NoughtsError` if that is not possible."""
    virtual, name = boards.virtual, str(message.get("board", ""))
    match message:
        case {"do": "update" | "flash" | "check" as what}:
            from noughts.web import tasks  # slow to import, and the page should appear at once

            tasks.begin(boards, what, name)
        case _ if name not in virtual.kinds:
            raise BoardError("that is not a virtual board; only those can be pressed from here")
        case {"do": "start"}:
            if name in virtual.errors:  # else another click was first
                boards.begins_anew(name)
                virtual.again(name)
        case {"do": "tap" | "press" | "release" as do, "buttons": "A" | "B" | "AB" as buttons}:
            getattr(virtual.board(name), do)(*buttons)
        case {"do": "nudge", "x": int(x), "y": int(y)} if x in _SIGNS and y in _SIGNS:
            virtual.board(name).nudge(x, y)
        case {"do": "tilt", "x": int(x), "y": int(y)} if x in _SIGNS and y in _SIGNS:
            virtual.board(name).tilt(x * NUDGE_MG, y * NUDGE_MG)
        case {"do": "reset"}:
            boards.begins_anew(name)
            virtual.board(name).reset()
        case _:
            raise BoardError("a board cannot do that; reload the page")
