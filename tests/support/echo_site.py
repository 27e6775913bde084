"""`noughts web` with addresses of the tests' own, which answer whatever passes its safety.

    python echo_site.py --port 0 --patience 0.2

--patience: seconds instead of those that the server waits for who is silent. --with: of which of
them, `REQUEST`, `STALLED` or `PING`; all by default.
"""

from __future__ import annotations

import argparse
import sys
from contextlib import suppress
from functools import partial
from pathlib import Path

from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route, WebSocketRoute
from starlette.types import Receive, Scope, Send
from starlette.websockets import WebSocket

from noughts.web import app, pages, server
from noughts.web.hub import Hub
from noughts.web.site import Site

_changes = 0
_begun = _on_their_way = 0


async def _change(request: Request) -> Response:
    global _changes
    _changes += 1
    return JSONResponse({"bytes": len(await request.body())})


async def _state(request: Request) -> Response:
    return JSONResponse({"changes": _changes, "begun": _begun, "on_their_way": _on_their_way})


class _Long(StreamingResponse):
    """More than any buffer holds."""

    def __init__(self) -> None:
        super().__init__((b"x" * 100_000 for _ in range(1000)), media_type="text/plain")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        global _begun, _on_their_way
        _on_their_way += 1
        _begun += 1
        try:
            await super().__call__(scope, receive, send)
        finally:
            _on_their_way -= 1


async def _long(request: Request) -> Response:
    return _Long()


async def _echo(socket: WebSocket) -> None:
    await socket.accept()
    async for text in socket.iter_text():
        await socket.send_text(text)


def _main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int)
    parser.add_argument("--patience", type=float)
    parser.add_argument("--with", dest="kinds", nargs="+", default=["REQUEST", "STALLED", "PING"])
    args = parser.parse_args()
    if args.patience:
        for kind in args.kinds:
            setattr(server, f"_{kind}_S", args.patience)
    ours, more = pages.routes, [
        Route("/api/change", _change, methods=["GET", "POST"]),
        Route("/api/state", _state),
        Route("/api/long", _long),
        WebSocketRoute("/echo", _echo),
    ]  # fmt: skip
    pages.routes = lambda site: [*ours(site), *more]  # type: ignore[list-item]
    with server.listening(args.port, lan=False) as sock, suppress(KeyboardInterrupt):
        site = Site(Path.home() / "games.db", sock.getsockname()[1])
        hub = Hub(site)
        said = f"noughts is at http://{site.addresses[0]}/"
        ready = partial(print, said, file=sys.stderr, flush=True)
        server.serve(app.application(site, hub, ready), sock, hub.stop)


if __name__ == "__main__":
    _main()
