"""Keeping the games in a V2's data log, a file that somebody has dropped on the page."""

from __future__ import annotations

import base64
import json

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from noughts.errors import NoughtsError, printable
from noughts.protocol.data_log import games
from noughts.protocol.describe import counted
from noughts.store import timestamps
from noughts.store.lines import Received
from noughts.store.store import Store
from noughts.watch.data_logs import name_of_copy
from noughts.web.safety import LOGS
from noughts.web.site import Site

_MAX_NAME = 100


def routes(site: Site) -> list[BaseRoute]:
    """Addresses of this part."""

    async def keep(request: Request) -> Response:
        """Store the games of a log, and say how many there were."""
        said = await run_in_threadpool(_kept, site, *read(await request.body()))
        return JSONResponse({"said": said})

    return [Route(LOGS, keep, methods=["POST"])]


def read(body: bytes) -> tuple[str, bytes]:
    """The name and the content of the file that a page has sent. Raises `NoughtsError`."""
    try:
        match json.loads(body):
            case {"name": str(name), "content": str(content)}:
                return printable(name[:_MAX_NAME]), base64.b64decode(content, validate=True)
            case _:
                raise ValueError
    except (ValueError, RecursionError) as error:
        raise NoughtsError("that is not a file; load the page again") from error


def _kept(site: Site, name: str, content: bytes) -> str:
    found = games(content, name)
    if not found:
        return f"{name}: no games yet"
    at = timestamps.now()
    told = [Received.of(name_of_copy(name), game, at, late=True) for game in found]
    with Store(site.db, create=True) as store:
        new = sum(kept.new for kept in store.keep_many(told))
    return f"{name}: {counted(len(found), 'game')}, {new:,} new"
