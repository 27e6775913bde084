"""The application: its addresses, and their answers."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route
from starlette.types import ASGIApp

from noughts.errors import NoughtsError, error_message
from noughts.web import controls, games, play
from noughts.web.live import LiveBoards
from noughts.web.pages import PAGES, framed
from noughts.web.safety import NO_SUCH_PAGE, Safety, Site, answer, error_answer

_TYPES = {".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}


def application(
    site: Site, boards: LiveBoards, ready: Callable[[], object] = lambda: None
) -> ASGIApp:
    """The web application with these boards; calls `ready` once it can answer."""

    @asynccontextmanager
    async def running(app: Starlette) -> AsyncIterator[None]:
        framed("play", opponents=())  # compile it before boards take the processor
        ready()
        boards.start()
        yield
        await asyncio.to_thread(boards.close)

    failures = NoughtsError, OSError, HTTPException, Exception
    app = Starlette(
        routes=routes(), exception_handlers=dict.fromkeys(failures, _failed), lifespan=running
    )
    app.state.site, app.state.boards, app.state.counting = site, boards, asyncio.Lock()
    return Safety(app, site)


def routes() -> list[BaseRoute]:
    """All addresses. Files are read once: an update during a run would mix two versions.

    That is why Starlette's `StaticFiles` does not serve them: it reads a file for each request.
    """
    pages: dict[str, Callable[..., object]] = {
        "play": play.page,
        "puzzles": play.puzzles,
        "learn": play.learn,
        "boards": partial(answer, name="boards"),
        "class": partial(answer, name="class"),
        "games": games.list_page,
        "game": games.game_page,
        "statistics": games.statistics_page,
    }
    files = {
        file.name: Response(file.read_bytes(), media_type=_TYPES[file.suffix])
        for file in Path(__file__).with_name("static").iterdir()
        if file.suffix in _TYPES
    }
    return [
        *(Route(PAGES[name].address, page, methods=["GET"]) for name, page in pages.items()),
        *(Route(f"/static/{name}", file, methods=["GET"]) for name, file in files.items()),
        Route("/api/play", play.state, methods=["GET"]),
        Route("/api/games", games.store_game, methods=["POST"]),
        Route("/api/logs", games.store_log, methods=["POST"]),
        Route("/api/live", controls.live, methods=["GET"]),
        Route("/api/boards", controls.act, methods=["POST"]),
    ]


async def _failed(request: Request, error: Exception) -> Response:
    match error:
        case HTTPException(status_code=404):
            status, why = 404, NO_SUCH_PAGE
        case HTTPException():
            status, why = error.status_code, error.detail
        case NoughtsError() | OSError():
            status, why = 400, error_message(error)
        case _:
            status, why = 500, f"{type(error).__name__} in {request.url.path}; please report it"
    site: Site = request.app.state.site
    return error_answer(request.scope, status, site.for_all_readers(why))
