"""Who may ask the page's server, how much, and what a browser may do with the answers.

The server is for the person at this computer, but every page in the same browser can send requests
to it. So a request names this server as its host (a foreign name that was made to lead here does
not), comes from our own pages, and brings the token of this start if it changes something.
"""

from __future__ import annotations

import asyncio
import hmac
import ipaddress
import itertools
import time
from collections import Counter
from collections.abc import Callable
from html import escape
from string import Template

import h11
from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

from noughts.web.site import Site

MAX_BODY = 300_000
"""Bytes: nothing that a page sends is longer than a data log, of which it sends 262,145 at most."""
RATE = 400
"""Requests in a second from one address: twenty browsers load a page. As many messages on each
WebSocket: a page sends some 70 at most."""
_THROTTLE_DELAY_S = 0.05
_MAX_SOCKETS = 64
"""WebSockets from one address: of more, nobody else would get one."""
_MAX_OPEN = 128
"""HTTP connections: macOS lets a process open 256 files."""
TOKEN_HEADER = "x-noughts-token"

_HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "default-src 'self'; object-src 'none'; base-uri 'none'; "
    "form-action 'self'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}
_ERROR_PAGE = Template("""\
<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>noughts</title>
<link rel="stylesheet" href="/static/style.css">
<main>
<h1>noughts</h1>
<p>$why.</p>
<p><a href="/">Play</a></p>
</main>
</html>
""")


class RefusedError(HTTPException):
    """A request that is not answered: a status, and why."""


class RateLimit:
    """So many requests from an address, or messages, in each second of a clock."""

    def __init__(self, rate: int = RATE, clock: Callable[[], float] = time.monotonic) -> None:
        self._rate, self._clock = rate, clock
        self._second = 0
        self._count: Counter[str] = Counter()

    def allows(self, address: str = "") -> bool:
        """Count one more, and say whether it may come in this second."""
        if self._second != (second := int(self._clock())):
            self._second = second
            self._count.clear()
        self._count[address] += 1
        return self._count[address] <= self._rate


class Safety:
    """Refuses what does not come from our pages, and says to the browser what it may do.

    It stands around the whole application, so that what fails there has its headers too.
    """

    def __init__(self, app: ASGIApp, site: Site) -> None:
        self._app, self._site = app, site
        self._limit = RateLimit()
        self._sockets: Counter[str] = Counter()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
        elif scope["type"] == "http":
            await self._request(scope, receive, _with_headers(send))
        else:
            await self._socket(scope, receive, send)

    async def _request(self, scope: Scope, receive: Receive, send: Send) -> None:
        left = MAX_BODY

        async def measured() -> Message:
            nonlocal left
            message = await receive()
            left -= len(message.get("body", b""))
            if left < 0:
                raise RefusedError(413, f"a request has {MAX_BODY:,} bytes at most")
            return message

        try:
            self._check(scope)
        except RefusedError as refused:
            await error_answer(scope, refused.status_code, refused.detail)(scope, receive, send)
        else:
            await self._app(scope, measured, send)

    async def _socket(self, scope: Scope, receive: Receive, send: Send) -> None:
        address, limit = _address(scope), RateLimit()

        async def limited() -> Message:
            message = await receive()
            # Whoever sends too many waits, and what comes next waits in their own computer.
            while message["type"] == "websocket.receive" and not limit.allows():
                await asyncio.sleep(_THROTTLE_DELAY_S)
            return message

        try:
            self._check(scope)
            if self._sockets[address] >= _MAX_SOCKETS:
                raise RefusedError(429, "too many pages are open; close some")
        except RefusedError as refused:
            await send({"type": "websocket.close", "code": 1008, "reason": refused.detail})
            return
        self._sockets[address] += 1
        try:
            await self._app(scope, limited, send)
        finally:
            self._sockets[address] -= 1

    def _check(self, scope: Scope) -> None:
        headers, address = Headers(scope=scope), _address(scope)
        changes = scope["type"] == "websocket" or scope["method"] not in ("GET", "HEAD")
        hosts, origins = headers.getlist("host"), headers.getlist("origin")
        # Starlette's TrustedHostMiddleware would take any port, and a second Host.
        if len(hosts) != 1 or hosts[0] not in self._site.addresses:
            here = f"http://{self._site.addresses[0]}/"
            raise RefusedError(421, f"noughts does not answer to this address; open {here} instead")
        own = origins == [f"http://{hosts[0]}"] or not (changes or origins)
        if not own or not _is_from_here(scope, headers, changes):
            raise RefusedError(403, "only this server's own pages may ask that")
        # What other pages in the same browser ask for takes nothing from what ours may.
        if not self._limit.allows(address):
            raise RefusedError(429, "too many requests at once; wait a second")
        if changes and scope["type"] == "http":
            if not may_change(self._site, address):
                why = "from another computer you can watch, but not change anything"
                raise RefusedError(403, why)
            if not is_token(self._site, headers.get(TOKEN_HEADER)):
                raise RefusedError(401, "noughts was started again; load the page again")


def _is_from_here(scope: Scope, headers: Headers, changes: bool) -> bool:
    """Whether a browser says that our page asks, or that somebody opens one."""
    site = headers.get("sec-fetch-site", "same-origin")
    if site == "same-origin" or changes:
        return site == "same-origin"
    link = headers.get("sec-fetch-mode"), headers.get("sec-fetch-dest")
    return site == "none" or (
        link == ("navigate", "document") and not scope["path"].startswith("/api/")
    )


def is_token(site: Site, token: object) -> bool:
    """Whether it is this start's token."""
    return isinstance(token, str) and hmac.compare_digest(
        token.encode(errors="replace"), site.token.encode()
    )


def may_change(site: Site, address: str) -> bool:
    """Whether somebody at this address may change something: only at this computer."""
    if not site.lan:
        return True
    try:
        return ipaddress.ip_address(address).is_loopback
    except ValueError:
        return False


def _address(scope: Scope) -> str:
    """Where the connection comes from; headers are not trusted for that."""
    return str((scope.get("client") or ("?", 0))[0])


def _with_headers(send: Send) -> Send:
    async def with_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            MutableHeaders(scope=message).update(_HEADERS)
        await send(message)

    return with_headers


def error_answer(scope: Scope, status: int, why: str) -> Response:
    """Why a request is not answered: as a page for a person, as JSON for our own pages."""
    wanted = Headers(scope=scope).get("accept", "")
    close = {"Connection": "close"}  # what is left of a body is never read
    if scope["path"].startswith("/api/") or "text/html" not in wanted:
        return JSONResponse({"error": why}, status, close)
    page = _ERROR_PAGE.substitute(why=escape(why[:1].upper() + why[1:]))
    return HTMLResponse(page, status, close)


class LimitedConnection(H11Protocol):
    """HTTP, in so many connections at most: a new one takes the place of another.

    uvicorn waits without end for the rest of a request, and for a reader of its answer; with its
    `limit_concurrency`, slow clients would block all others.
    """

    _numbers = itertools.count()

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Count it; if there are too many, the oldest that waits for a request has to go."""
        self._number = next(self._numbers)
        super().connection_made(transport)
        others = [
            each
            for each in self.connections
            if isinstance(each, LimitedConnection) and each is not self
            if not each.transport.is_closing()
        ]
        if len(others) >= _MAX_OPEN:
            min(others, key=LimitedConnection._worth).transport.abort()

    def _worth(self) -> tuple[bool, int]:
        """Those that are answered count more than those that have something to send."""
        return self.conn.their_state not in (h11.IDLE, h11.SEND_BODY), self._number
