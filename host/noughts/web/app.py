"""The application: which address answers with what."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp

from noughts.errors import NoughtsError, error_message
from noughts.web import data_logs, games, learn, live, pages, play, puzzles
from noughts.web.hub import Hub
from noughts.web.safety import Safety, error_answer
from noughts.web.site import Site


def application(site: Site, hub: Hub, ready: Callable[[], object] = lambda: None) -> ASGIApp:
    """What answers on the site's port; `ready` is called once it can.

    The boards of the hub are watched for as long.
    """

    @asynccontextmanager
    async def running(app: Starlette) -> AsyncIterator[None]:
        ready()
        hub.start()
        yield
        await hub.close()

    answers = Starlette(
        routes=[
            *pages.routes(site),
            *play.routes(site),
            *data_logs.routes(site),
            *puzzles.routes(site),
            *learn.routes(site),
            *live.routes(site, hub),
            *games.routes(site),
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
    return error_answer(request.scope, 400, error_message(error))  # type: ignore[arg-type]


async def _not_found(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    return error_answer(request.scope, error.status_code, "there is nothing at this address")


async def _unexpected(request: Request, error: Exception) -> Response:
    text = f"{type(error).__name__} in {request.url.path}; please report it"
    return error_answer(request.scope, 500, text)
