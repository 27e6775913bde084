"""The application: which address answers with what."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import lru_cache, partial
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route, WebSocketRoute
from starlette.types import ASGIApp

from noughts.engines.search_tree import Search, unfinished
from noughts.errors import NoughtsError, StoreError, error_message
from noughts.game.board import Board
from noughts.game.positions import EMPTY
from noughts.game.puzzles import LEVELS
from noughts.game.puzzles import draw as draw_puzzle
from noughts.store.people_moves import met_positions
from noughts.store.queries import GameFilter
from noughts.store.store import Store
from noughts.views.puzzles import Met, level_among, parsed_puzzle, posed
from noughts.views.search import SEARCHES, followed
from noughts.web import controls, games, play
from noughts.web.live import LiveBoards
from noughts.web.pages import PAGES
from noughts.web.safety import Safety, Site, answer, error_answer

_TYPES = {".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}
_READING = threading.Lock()
_LESSON = "..XXOO.XO"


def application(
    site: Site, boards: LiveBoards, ready: Callable[[], object] = lambda: None
) -> ASGIApp:
    """The web application, with these boards; `ready` is called once it can."""

    @asynccontextmanager
    async def running(app: Starlette) -> AsyncIterator[None]:
        ready()
        boards.start()
        yield
        await boards.close()

    failures = NoughtsError, OSError, HTTPException, Exception
    app = Starlette(
        routes=routes(), exception_handlers=dict.fromkeys(failures, _failed), lifespan=running
    )
    app.state.site, app.state.boards = site, boards
    return Safety(app, site)


def routes() -> list[BaseRoute]:
    """What answers at each address, and every file that pages load."""
    pages: dict[str, Callable[..., Response]] = {
        "play": play.page,
        "puzzles": _puzzles,
        "learn": _learn,
        "boards": partial(answer, name="boards"),
        "class": partial(answer, name="class"),
        "games": games.listed,
        "game": games.one,
        "statistics": games.figures,
    }
    files = {
        file.name: Response(file.read_bytes(), media_type=_TYPES[file.suffix])
        for file in Path(__file__).with_name("static").iterdir()
        if file.suffix in _TYPES
    }
    return [
        *(Route(PAGES[name].address, each, methods=["GET"]) for name, each in pages.items()),
        *(Route(f"/static/{name}", file, methods=["GET"]) for name, file in files.items()),
        Route("/api/play", play.played, methods=["GET"]),
        Route("/api/games", play.keep, methods=["POST"]),
        Route("/api/logs", games.keep_log, methods=["POST"]),
        WebSocketRoute("/api/live", controls.live),
    ]


async def _failed(request: Request, error: Exception) -> Response:
    match error:
        case HTTPException(status_code=404 | 405):
            status, why = error.status_code, "there is nothing at this address"
        case HTTPException():
            status, why = error.status_code, error.detail
        case NoughtsError() | OSError():
            status, why = 400, error_message(error)
        case _:
            status, why = 500, f"{type(error).__name__} in {request.url.path}; please report it"
    return error_answer(request.scope, status, why)


def _learn(request: Request) -> Response:
    """The search that the address names; or a message that the position cannot be followed."""
    text = request.query_params.get("position", _LESSON)
    search: Search = "minimax" if request.query_params.get("search") == "minimax" else "alphabeta"
    form: dict[str, Any] = {"search": search, "searches": SEARCHES}
    try:
        return answer(request, "learn", **form | followed(unfinished(text), search))
    except NoughtsError as error:
        return answer(request, "learn", 400, **form, position=text, message=str(error))


def _puzzles(request: Request) -> Response:
    """The puzzle that is asked for, or one of a level, other than the one before."""
    asked = request.query_params
    with _READING:
        met = _people_met(request.app.state.site.db, int(time.monotonic() // 60))
    wanted = asked.get("level", "")
    if wanted not in ("", *map(str, LEVELS)):
        raise NoughtsError(f"{wanted[:20]!r} is not a level; choose 1, 2 or 3")
    if "position" in asked:
        shown = posed(parsed_puzzle(asked["position"]), met)
        return answer(request, "puzzles", wanted=wanted, **shown)
    after = Board(asked["after"]).position if "after" in asked else EMPTY
    level = int(wanted) if wanted else random.choice(LEVELS)
    drawn = draw_puzzle(random.Random(), lambda each: level_among(each, met) == level, after)
    query = {"position": drawn.position, "level": wanted, "next": "after" in asked or ""}
    words = urlencode([(name, text) for name, text in query.items() if text])
    return RedirectResponse(f"{request.url.path}?{words}", 303)


@lru_cache(1)
def _people_met(db: Path, minute: int) -> Met:
    """What people did in the games of a store: reading 100,000 games takes a second."""
    try:
        with Store(db) as store:
            found = met_positions(store, GameFilter())
    except StoreError:
        return {}
    return {each.position: (each.met, each.mistakes) for each in found}
