"""Boards in the browser: a stream of what changes, and what people do with them.

    GET  /api/live      what `live.py` describes, for an `EventSource`; with `?leds`, the LEDs too
    POST /api/boards    `{"board": ID, "do": "tap", "buttons": "A"}`, and what else `do` knows;
                        to press or tilt, also `"stream"`, as its stream has named itself

A page sends one after the other, so what is pressed and released stays in order. What it holds is
let go when its stream ends.
"""

import asyncio
import secrets
from collections.abc import AsyncIterator, Mapping
from contextlib import suppress
from importlib import import_module

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse

from noughts.errors import BoardError
from noughts.virtual.board import NUDGE_MG
from noughts.virtual.virtual_boards import RestartableBoard
from noughts.web.live import Hold, LiveBoards
from noughts.web.safety import address_of

_SIGNS = (-1, 0, 1)


async def live(request: Request) -> Response:
    """The stream of what changes, which ends when the browser closes it."""
    boards: LiveBoards = request.app.state.boards
    leds = "leds" in request.query_params
    presses = leds and request.app.state.site.may_change(address_of(request))
    return StreamingResponse(_events(boards, leds, presses), media_type="text/event-stream")


async def _events(boards: LiveBoards, leds: bool, presses: bool) -> AsyncIterator[str]:
    """All values, and then all changes, for one browser; presses: whether it may press buttons."""
    channels = [boards.words, boards.leds] if leds else [boards.words]
    versions = dict.fromkeys(channels, 0)
    stream = secrets.token_hex(8)
    try:
        if presses:
            boards.holds[stream] = set()
            yield f'data: {{"stream":"{stream}"}}\n\n'
        while True:
            for channel in channels:
                versions[channel], news = channel.since(versions[channel])
                if news:
                    yield f"data: {{{news}}}\n\n"
            await asyncio.sleep(min(channel.every_s for channel in channels))
    finally:
        held = boards.end_holds(stream, boards.holds.pop(stream, set()))
        # In a thread, as a board may be slow. Nobody awaits it: this stream was cancelled.
        asyncio.get_running_loop().run_in_executor(None, _let_go, boards, held)


def _let_go(boards: LiveBoards, holds: set[Hold]) -> None:
    """Release these buttons, and hold boards level again."""
    for name in {name for name, _ in holds}:
        held = sorted(control for board, control in holds if board == name)
        virtual = boards.boards[name].virtual
        assert virtual is not None, "a real board cannot be held"
        with suppress(BoardError):  # one that has ended needs nothing
            device = virtual.running()
            if buttons := [control for control in held if control != "tilt"]:
                device.release(*buttons)
            if "tilt" in held:
                device.tilt(0, 0)


async def act(request: Request) -> Response:
    """Do something with a board."""
    try:
        message = dict(await request.json())
    except (ValueError, TypeError, RecursionError) as error:
        raise BoardError("that is not an action; reload the page") from error
    await do(request.app.state.boards, message)
    return JSONResponse({})


async def do(boards: LiveBoards, message: Mapping[str, object]) -> None:
    """Do something with a board. Raises `NoughtsError` if that is not possible.

    It runs in the event loop, so two tasks cannot begin on one board. A thread sends what is for a
    board, which may be slow to take it.
    """
    name = str(message.get("board", ""))
    match message:
        case {"do": "update" | "flash" | "check" as action}:
            # It is slow to import, and the page should appear at once.
            tasks = await run_in_threadpool(import_module, "noughts.web.tasks")
            tasks.begin(boards, action, name)
            return
    board = boards.boards.get(name)
    if board is None or board.virtual is None:
        raise BoardError("that is not a virtual board; only those can be pressed from here")
    match message:
        case {"do": "press" | "release", "buttons": "A" | "B" | "AB" as buttons}:
            await _hold(boards, board.virtual, message, {(name, button) for button in buttons})
        case {"do": "tilt", "x": int(x), "y": int(y)} if x in _SIGNS and y in _SIGNS:
            await _hold(boards, board.virtual, message, {(name, "tilt")})
        case _:
            await run_in_threadpool(_do_at_once, boards, board.virtual, message)


async def _hold(
    boards: LiveBoards, board: RestartableBoard, message: Mapping[str, object], holds: set[Hold]
) -> None:
    """Press, release or tilt a board: what a page holds ends with the page's stream."""
    stream = str(message.get("stream", ""))
    device = board.running()
    match message:
        case {"do": "release"} | {"do": "tilt", "x": 0, "y": 0}:
            await run_in_threadpool(_let_go, boards, boards.end_holds(stream, holds))
            return
        case _ if stream not in boards.holds:
            raise BoardError("the page has lost its connection; try again in a moment")
        case {"do": "press", "buttons": str(buttons)}:
            await run_in_threadpool(device.press, *buttons)
        case {"x": int(x), "y": int(y)}:
            await run_in_threadpool(device.tilt, x * NUDGE_MG, y * NUDGE_MG)
    if stream in boards.holds:
        boards.holds[stream] |= holds
    else:  # it has ended in the meantime
        await run_in_threadpool(_let_go, boards, boards.end_holds(stream, holds))


def _do_at_once(boards: LiveBoards, board: RestartableBoard, message: Mapping[str, object]) -> None:
    """Do what a page does not hold, in a thread."""
    match message:
        case {"do": "start"}:
            if board.error:  # else another click was first
                boards.note_reset(board.name)
                boards.virtual.restart(board)
        case {"do": "tap", "buttons": "A" | "B" | "AB" as buttons}:
            board.running().tap(*buttons)
        case {"do": "nudge", "x": int(x), "y": int(y)} if x in _SIGNS and y in _SIGNS:
            board.running().nudge(x, y)
        case {"do": "touch"}:
            board.running().touch_logo()
        case {"do": "reset"}:
            boards.note_reset(board.name)
            board.running().reset()
        case _:
            raise BoardError("a board cannot do that; reload the page")
