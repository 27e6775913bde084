"""Access to the page's server: who may ask, how often, and what browsers may do with answers.

The server is for the person at this computer, but every page in the same browser can send requests
to it. So a request names this server as its host (a foreign name that was made to lead here does
not), comes from our own pages, and brings the token of this start if it changes something.
"""

import asyncio
import ipaddress
import os
import re
import secrets
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import h11
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.requests import HTTPConnection
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

from noughts.protocol.data_log import MAX_SIZE
from noughts.web.pages import framed

MAX_BODY = MAX_SIZE + 1
"""Bytes: a page sends nothing longer than a data log, and of a longer file one byte too many."""
_MAX_PATH = 1000
"""Characters: Python refuses to read a game's number of thousands of digits."""
RATE = 400
"""Requests in a second from one address: twenty browsers load a page."""
MAX_STREAMS = 64
"""Pages of one address that follow boards, so that others can too."""
MAX_OPEN = 128
"""HTTP connections: macOS lets a process open 256 files."""
WATCH_ONLY = "from another computer you can watch, but not change anything"
NO_SUCH_PAGE = "there is no such page"

_PERSON = re.compile(r"((?:/media|/home|[/\\]Users)[/\\])[^/\\]+(?=[/\\])")
"""A folder that is named after a person, such as that of a drive: /run/media/ann/MICROBIT."""

HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "default-src 'self'; object-src 'none'; base-uri 'none'; "
    "form-action 'self'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}


@dataclass(frozen=True)
class Site:
    """The settings of one start of the page."""

    db: Path
    """The store that was asked for; it may not exist yet, and `Watch.store_path` may replace it."""
    port: int
    hosts: tuple[str, ...] = ("127.0.0.1", "localhost")
    """Names under which a browser may ask for it."""
    lan: bool = False
    """Whether other computers may watch. They cannot change anything."""
    boards: int = 0
    """How many virtual boards run."""
    token: str = field(default_factory=lambda: secrets.token_urlsafe(24))
    """Proof that a page is from this start; every request that changes something needs it."""

    @property
    def addresses(self) -> tuple[str, ...]:
        """The exact hosts that a browser may name. It leaves out the web's own port, 80."""
        return tuple(f"{host}:{self.port}" if self.port != 80 else host for host in self.hosts)

    def for_all_readers(self, text: str) -> str:
        """A text without the folders of this computer, if other computers can read it.

        They name the person, and perhaps the class.
        """
        if self.lan:
            for folder in (self.db.absolute().parent, self.db.parent):
                text = text.replace(f"{folder}{os.sep}", "")
            text = text.replace(str(Path.home()), "~")
            text = _PERSON.sub(r"\1…", text)
        return text

    def may_change(self, address: str) -> bool:
        """Whether this IP address may change something; with `lan`, only this computer may."""
        return not self.lan or ipaddress.ip_address(address).is_loopback


def address_of(connection: HTTPConnection) -> str:
    """The IP address of a connection; headers are not trusted."""
    return connection.client.host if connection.client else "?"


def answer(request: HTTPConnection, name: str, status: int = 200, **values: object) -> Response:
    """A page, filled with these values; a browser that may only watch gets no token."""
    site: Site = request.app.state.site
    token = site.token if site.may_change(address_of(request)) else ""
    return HTMLResponse(framed(name, token, **values), status)


def error_answer(scope: Scope, status: int, error: str) -> Response:
    """The reason why a request is refused: a page for people, JSON for our own pages."""
    close = {"Connection": "close"}  # the rest of a body is never read
    accepted = Headers(scope=scope).get("accept", "")
    if scope["path"].startswith("/api/") or "text/html" not in accepted:
        return JSONResponse({"error": error}, status, close)
    return HTMLResponse(framed("error", error=error), status, close)


class Safety:
    """Refuses requests that do not come from our pages; it stands around the whole application."""

    def __init__(self, app: ASGIApp, site: Site) -> None:
        self._app, self._site = app, site
        self._second = 0
        self._requests: Counter[str] = Counter()
        """In this second, by address."""
        self._streams: Counter[str] = Counter()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or refuse it: what an ASGI application does."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        app, request, is_stream = self._app, HTTPConnection(scope), scope["path"] == "/api/live"
        try:
            self._check(request)
        except HTTPException as refused:
            app = error_answer(scope, refused.status_code, refused.detail)
        self._streams[address_of(request)] += is_stream
        try:
            await app(scope, receive, send)
        finally:
            self._streams[address_of(request)] -= is_stream

    def _check(self, request: HTTPConnection) -> None:
        """Raise `HTTPException` for a request that is not answered."""
        if len(request.scope["path"]) > _MAX_PATH:
            raise HTTPException(404, NO_SUCH_PAGE)
        changes = request.scope["method"] not in ("GET", "HEAD")
        self._check_host(request)
        _check_origin(request, changes)
        # Requests of other pages in the same browser do not count against ours.
        self._check_rate(request)
        if changes:
            self._check_change(request)

    def _check_host(self, request: HTTPConnection) -> None:
        """Refuse a foreign name that was made to lead here."""
        hosts = request.headers.getlist("host")
        # Starlette's TrustedHostMiddleware would accept any port, and a second Host.
        if len(hosts) != 1 or hosts[0] not in self._site.addresses:
            here, _, *others = self._site.addresses
            is_guest = others and not self._site.may_change(address_of(request))
            address = others[0] if is_guest else here
            why = f"noughts does not answer to this address; open http://{address}/ instead"
            raise HTTPException(421, why)

    def _check_rate(self, request: HTTPConnection) -> None:
        address = address_of(request)
        if self._second != (second := int(time.monotonic())):
            self._second = second
            self._requests.clear()
        self._requests[address] += 1
        if self._requests[address] > RATE:
            raise HTTPException(429, "too many requests at once; wait a second")
        if request.scope["path"] == "/api/live" and self._streams[address] >= MAX_STREAMS:
            raise HTTPException(429, "too many pages are open; close some")

    def _check_change(self, request: HTTPConnection) -> None:
        """Refuse a change by another computer, without this start's token, or of any size."""
        if not self._site.may_change(address_of(request)):
            raise HTTPException(403, WATCH_ONLY)
        token = request.headers.get("x-noughts-token", "")
        if not secrets.compare_digest(token.encode(), self._site.token.encode()):
            raise HTTPException(401, "noughts has restarted; reload the page")
        length = request.headers.get("content-length", MAX_BODY + 1)
        # Chunks have any length.
        if "transfer-encoding" in request.headers or int(length) > MAX_BODY:
            raise HTTPException(413, f"a request has {MAX_BODY:,} bytes at most")


def _check_origin(request: HTTPConnection, changes: bool) -> None:
    """Refuse requests of other sites' pages; those that change something must name our own."""
    hosts, origins = request.headers.getlist("host"), request.headers.getlist("origin")
    is_own = origins == [f"http://{hosts[0]}"] or not (changes or origins)
    if not is_own or not _is_from_here(request, changes):
        raise HTTPException(403, "only this server's own pages may ask that")


def _is_from_here(request: HTTPConnection, changes: bool) -> bool:
    """Whether a browser says that our page asks, or that somebody opens a page."""
    site = request.headers.get("sec-fetch-site", "same-origin")
    if site == "same-origin" or changes:
        return site == "same-origin"
    link = request.headers.get("sec-fetch-mode"), request.headers.get("sec-fetch-dest")
    return site == "none" or (
        link == ("navigate", "document") and not request.scope["path"].startswith("/api/")
    )


class LimitedConnection(H11Protocol):
    """HTTP with a limited number of connections: a new one replaces another.

    There is no plain way. uvicorn has no time-out for the rest of a header or of a body, and none
    for a reader of its answer; its `limit_concurrency` answers 503 to everybody as long as 500
    clients with half a header stay, which cost them nothing.
    """

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """If there are too many connections, close the oldest that waits for a request."""
        self._began_s = time.monotonic()
        super().connection_made(transport)
        others = [
            connection
            for connection in self.connections
            if isinstance(connection, LimitedConnection) and connection is not self
            if not connection.transport.is_closing()
        ]
        if len(others) >= MAX_OPEN:
            min(others, key=LimitedConnection._value).transport.abort()

    def _value(self) -> tuple[bool, float]:
        """Connections that wait for our answer are worth more than those that are to send."""
        return self.conn.their_state not in (h11.IDLE, h11.SEND_BODY), self._began_s
