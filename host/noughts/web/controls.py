"""Boards in the browser: a stream of what changes, and what people do with them.

    GET  /api/live      what `live.py` describes, for an `EventSource`; with `?leds`, the LEDs too
    POST /api/boards    `{"board": ID, "do": "tap", "buttons": "A"}`, and what else `do` knows

A page sends one after the other, so what is pressed and released stays in order.
"""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse

from noughts.errors import BoardError
from noughts.virtual.board import NUDGE_MG
from noughts.web.live import Channel, LiveBoards

_SIGNS = (-1, 0, 1)


async def live(request: Request) -> Response:
    boards: LiveBoards = request.app.state.boards
    channels = [boards.words, boards.leds] if "leds" in request.query_params else [boards.words]
    return StreamingResponse(_events(channels), media_type="text/event-stream")


async def _events(channels: Sequence[Channel]) -> AsyncIterator[str]:
    """All values, and then all changes, for one browser."""
    versions = dict.fromkeys(channels, 0)
    while True:
        for channel in channels:
            versions[channel], news = channel.since(versions[channel])
            if news:
                yield f"data: {{{news}}}\n\n"
        await asyncio.sleep(min(channel.every_s for channel in channels))


async def act(request: Request) -> Response:
    try:
        message = dict(await request.json())
    except (ValueError, TypeError, RecursionError) as error:
        raise BoardError("that is not an action; load the page again") from error
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
        case {"do": "start"} if name in virtual.errors:
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
            raise BoardError("a board cannot do that; load the page again")
