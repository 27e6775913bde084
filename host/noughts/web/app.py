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
from noughts.web import controls, data_logs, games, learn, pages, play, puzzles
from noughts.web.live import LiveBoards
from noughts.web.safety import RefusedError, Safety, error_answer
from noughts.web.site import Site


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

    answers = Starlette(
        routes=[
            *pages.routes(site),
            *play.routes(site),
            *data_logs.routes(site),
            *puzzles.routes(site),
            *learn.routes(site),
            *controls.routes(site, boards),
            *games.routes(site),
        ],
        exception_handlers=dict.fromkeys(
            (NoughtsError, OSError, HTTPException, Exception), _failed
        ),
        lifespan=running,
    )
    return Safety(answers, site)


async def _failed(request: Request, error: Exception) -> Response:
    match error:
        case RefusedError():
            status, why = error.status_code, error.detail
        case HTTPException():
            status, why = error.status_code, "there is nothing at this address"
        case NoughtsError() | OSError():
            status, why = 400, error_message(error)
        case _:
            status, why = 500, f"{type(error).__name__} in {request.url.path}; please report it"
    return error_answer(request.scope, status, why)
