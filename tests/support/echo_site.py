"""Addresses of the tests' own on the page's server, which answer whatever passes its safety."""

from __future__ import annotations

import pytest
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import BaseRoute, Route, WebSocketRoute
from starlette.types import Receive, Scope, Send
from starlette.websockets import WebSocket

from noughts.web import app
from noughts.web.safety import body_of


class EchoSite:
    """What has come of the requests to applications that are made from now on."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.changes = 0
        self.on_their_way = 0
        """Long answers."""
        self._ours = app.routes
        monkeypatch.setattr(app, "routes", self._routes)

    def _routes(self) -> list[BaseRoute]:
        return [
            *self._ours(),
            Route("/api/echo", self._echo, methods=["GET", "POST"]),
            Route("/api/fails", self._fails),
            Route("/api/long", self._long),
            WebSocketRoute("/socket", self._echo_socket),
        ]

    async def _echo(self, request: Request) -> Response:
        self.changes += 1
        return JSONResponse({"heard": len(await body_of(request))})

    async def _fails(self, request: Request) -> Response:
        raise ZeroDivisionError

    def _long(self, request: Request) -> Response:
        return _LongAnswer(self)

    async def _echo_socket(self, socket: WebSocket) -> None:
        await socket.accept()
        async for heard in socket.iter_text():
            await socket.send_text(heard)


class _LongAnswer(StreamingResponse):
    """More than any buffer holds."""

    def __init__(self, site: EchoSite) -> None:
        super().__init__(b"x" * 100_000 for _ in range(1000))
        self._site = site

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self._site.on_their_way += 1
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._site.on_their_way -= 1
