"""Storing the games in a V2's data log, a file that somebody has dropped on the page."""

from __future__ import annotations

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from noughts.errors import printable
from noughts.protocol.data_log import games
from noughts.protocol.describe import counted
from noughts.recording.data_logs import name_of_copy
from noughts.store import timestamps
from noughts.store.lines import Received
from noughts.store.store import Store
from noughts.web.site import Site

_MAX_NAME = 100


def routes(site: Site) -> list[Route]:
    """Address of this part."""

    async def store(request: Request) -> Response:
        """Store the games of the log that is the request's body, and say how many there were."""
        name = printable(request.query_params.get("name", "")[:_MAX_NAME])
        message = await run_in_threadpool(_stored, site, name, await request.body())
        return JSONResponse({"said": message})

    return [Route("/api/logs", store, methods=["POST"])]


def _stored(site: Site, name: str, content: bytes) -> str:
    found = games(content, name)
    if not found:
        return f"{name}: no games yet"
    at = timestamps.now()
    received = [Received.of(name_of_copy(name), game, at, late=True) for game in found]
    with Store(site.db, create=True) as store:
        new = sum(kept.new for kept in store.keep_many(received))
    return f"{name}: {counted(len(found), 'game')}, {new:,} new"
