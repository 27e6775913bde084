"""The application: which address answers with what."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp

from noughts.errors import NoughtsError, in_words
from noughts.web import games, kept_games, learn, pages, play, puzzles, statistics
from noughts.web.safety import Safety
from noughts.web.site import Site


def application(site: Site, ready: Callable[[], object] = lambda: None) -> ASGIApp:
    """What answers on the site's port; `ready` is called once it can."""

    @asynccontextmanager
    async def running(app: Starlette) -> AsyncIterator[None]:
        ready()
        yield

    answers = Starlette(
        routes=[
            *pages.routes(site),
            *play.routes(site),
            *kept_games.routes(site),
            *puzzles.routes(site),
            *learn.routes(site),
            *games.routes(site),
            *statistics.routes(site),
        ],
        exception_handlers={
            NoughtsError: _expected,
            OSError: _expected,
            HTTPException: _not_found,
            Exception: _unexpected,
        },
        lifespan=running,
    )
    return Safety(answers, site)


async def _expected(request: Request, error: Exception) -> Response:
    return JSONResponse({"error": in_words(error)}, 400)  # type: ignore[arg-type]


async def _not_found(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    return JSONResponse({"error": "there is nothing at this address"}, error.status_code)


async def _unexpected(request: Request, error: Exception) -> Response:
    text = f"{type(error).__name__} in {request.url.path}; please report it"
    return JSONResponse({"error": text}, 500)
