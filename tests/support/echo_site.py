"""`noughts web` with addresses of the tests' own, which answer whatever passes its safety.

    python echo_site.py --port 0 --patience 0.2

--patience: seconds instead of those that the server waits for who is silent. --with: of which of
them, `REQUEST`, `STALLED` or `PING`; all by default.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path

from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route, WebSocketRoute
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


def _long(request: Request) -> Response:
    """More than any buffer holds."""

    def parts() -> Iterator[bytes]:
        global _begun, _on_their_way
        _on_their_way += 1
        _begun += 1
        try:
            for _ in range(1000):
                yield b"x" * 100_000
        finally:
            _on_their_way -= 1

    return StreamingResponse(parts(), media_type="text/plain")


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
