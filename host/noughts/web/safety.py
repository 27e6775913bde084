"""Who may ask the page's server, how much, and what a browser may do with the answers.

The server is for the person at this computer, but every page in the same browser can send requests
to it. So a request names this server as its host (a foreign name that was made to lead here does
not), comes from our own pages, and brings the token of this start if it changes something.
"""

from __future__ import annotations

import asyncio
import hmac
import ipaddress
import time
from collections import Counter, OrderedDict
from collections.abc import Callable
from html import escape
from string import Template

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from noughts.web.site import Site

MAX_BODY = 65_536
"""Bytes; nothing else that a page sends comes near it."""
LOGS = "/api/logs"
MAX_LOG_BODY = 360_000
"""Bytes of a request with the data log of a board: in base64, which takes a third more."""
RATE, BURST = 200, 400
"""Requests a second from one address, and how many at once: twenty browsers load a page. As many
messages on each WebSocket: a page confirms some 70 a second at most."""
_THROTTLE_DELAY_S = 0.05
_ADDRESSES = 4096
_MAX_SOCKETS = 64
"""WebSockets from one address: of more, nobody else would get one."""
TOKEN_HEADER = "x-noughts-token"

_POLICY = (
    "default-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'; "
    "frame-ancestors 'none'"
)
_HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": _POLICY,
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


class RefusedError(Exception):
    """A request that is not answered: a status, and why."""

    def __init__(self, status: int, why: str) -> None:
        super().__init__(why)
        self.status, self.why = status, why


class RateLimit:
    """So many requests a second from an address, and so many at once."""

    def __init__(
        self, rate: float = RATE, burst: float = BURST, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._rate, self._burst, self._clock = rate, burst, clock
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def allows(self, address: str) -> bool:
        """Whether one more may come now; one that may not takes nothing from the next."""
        now_s = self._clock()
        left, since_s = self._left.pop(address, (self._burst, now_s))
        left = min(self._burst, left + (now_s - since_s) * self._rate)
        allowed = left >= 1
        self._left[address] = (left - allowed, now_s)
        if len(self._left) > _ADDRESSES:
            self._left.popitem(last=False)
        return allowed


class Safety:
    """Refuses what does not come from our pages, and says to the browser what it may do.

    It stands around the whole application, so that what fails there has its headers too.
    """

    def __init__(
        self,
        app: ASGIApp,
        site: Site,
        limit: RateLimit | None = None,
        messages: Callable[[], RateLimit] = RateLimit,
    ) -> None:
        self._app, self._site = app, site
        self._limit = limit or RateLimit()
        self._messages = messages
        self._sockets: Counter[str] = Counter()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
        elif scope["type"] == "websocket":
            await self._socket(scope, receive, send)
        else:
            await self._request(scope, receive, _with_headers(send))

    async def _request(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            self._check(scope)
            body = await _body(receive, _limit(scope)) if _changes(scope) else b""
        except RefusedError as refused:
            answer = error_answer(scope, refused.status, refused.why)
            answer.headers["Connection"] = "close"  # what is left of the body is never read
            await answer(scope, receive, send)
            return
        if body is not None:
            await self._app(scope, _after(body, receive), send)

    async def _socket(self, scope: Scope, receive: Receive, send: Send) -> None:
        address = _address(scope)
        try:
            self._check(scope)
            if self._sockets[address] >= _MAX_SOCKETS:
                raise RefusedError(429, "too many pages are open; close some")
        except RefusedError as refused:
            await send({"type": "websocket.close", "code": 1008, "reason": refused.why})
            return

        limit = self._messages()

        async def limited() -> Message:
            message = await receive()
            # Who sends too many waits, and what comes next waits in its own computer.
            while message["type"] == "websocket.receive" and not limit.allows(address):
                await asyncio.sleep(_THROTTLE_DELAY_S)
            return message

        self._sockets[address] += 1
        try:
            await self._app(scope, limited, send)
        finally:
            self._sockets[address] -= 1

    def _check(self, scope: Scope) -> None:
        headers = Headers(scope=scope)
        self._check_source(scope, headers)
        # What other pages in the same browser ask for takes nothing from what ours may.
        if not self._limit.allows(_address(scope)):
            raise RefusedError(429, "too many requests at once; wait a second")
        if scope["type"] == "http" and _changes(scope):
            self._check_change(headers, _address(scope), _limit(scope))

    def _check_source(self, scope: Scope, headers: Headers) -> None:
        host = headers.get("host", "")
        if host not in self._site.addresses or len(headers.getlist("host")) != 1:
            here = f"http://{self._site.addresses[0]}/"
            raise RefusedError(421, f"noughts does not answer to this address; open {here} instead")
        changes = _changes(scope)
        origins = headers.getlist("origin")
        if origins != [f"http://{host}"] and (changes or origins):
            raise RefusedError(403, "only this server's own pages may ask that")
        site = headers.get("sec-fetch-site", "same-origin")
        ours = ("same-origin",) if changes else ("same-origin", "none")
        if site not in ours and (changes or not _follows_link(scope, headers)):
            raise RefusedError(403, "only this server's own pages may ask that")

    def _check_change(self, headers: Headers, address: str, limit: int) -> None:
        if not may_change(self._site, address):
            raise RefusedError(403, "from another computer you can watch, but not change anything")
        if headers.get("content-type", "").partition(";")[0].strip() != "application/json":
            raise RefusedError(415, "only JSON can be sent here")
        if not is_token(self._site, headers.get(TOKEN_HEADER)):
            raise RefusedError(401, "noughts was started again; load the page again")
        length = headers.get("content-length", "0")
        if not length.isdecimal() or len(length) > 20 or int(length) > limit:
            raise _too_long(limit)


def is_token(site: Site, token: object) -> bool:
    """Whether it is this start's, whatever somebody may have sent as one."""
    if not isinstance(token, str):
        return False
    return hmac.compare_digest(token.encode(errors="replace"), site.token.encode())


def may_change(site: Site, address: str) -> bool:
    """Whether somebody at this address may change something: only at this computer."""
    if not site.lan:
        return True
    try:
        return ipaddress.ip_address(address).is_loopback
    except ValueError:
        return False


def _address(scope: Scope) -> str:
    """Where the connection comes from; what a header may say of that is not believed."""
    return str((scope.get("client") or ("?", 0))[0])


def _changes(scope: Scope) -> bool:
    return scope["type"] == "websocket" or scope["method"] not in ("GET", "HEAD")


def _follows_link(scope: Scope, headers: Headers) -> bool:
    """Whether somebody follows a link to a page of ours; what pages ask has none."""
    return (
        headers.get("sec-fetch-mode") == "navigate"
        and headers.get("sec-fetch-dest") == "document"
        and not scope["path"].startswith("/api/")
    )


def _limit(scope: Scope) -> int:
    return MAX_LOG_BODY if scope["path"] == LOGS else MAX_BODY


def _too_long(limit: int) -> RefusedError:
    return RefusedError(413, f"a request has {limit:,} bytes at most")


async def _body(receive: Receive, limit: int) -> bytes | None:
    """All of it, whatever a header said of its length; None if who sends it has gone away."""
    body, more = b"", True
    while more:
        message = await receive()
        if message["type"] != "http.request":
            return None
        body += message.get("body", b"")
        more = message.get("more_body", False)
        if len(body) > limit:
            raise _too_long(limit)
    return body


def _after(body: bytes, receive: Receive) -> Receive:
    """What an application hears: the body at once, and then what happens to the connection."""
    heard = False

    async def after() -> Message:
        nonlocal heard
        if not heard:
            heard = True
            return {"type": "http.request", "body": body, "more_body": False}
        return await receive()

    return after


def _with_headers(send: Send) -> Send:
    async def with_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in _HEADERS.items():
                headers[name] = value
        await send(message)

    return with_headers


def error_answer(scope: Scope, status: int, why: str) -> Response:
    """Why a request is not answered: as a page for a person, as JSON for our own pages."""
    wanted = Headers(scope=scope).get("accept", "")
    if scope["path"].startswith("/api/") or "text/html" not in wanted:
        return JSONResponse({"error": why}, status)
    return HTMLResponse(_ERROR_PAGE.substitute(why=escape(why[:1].upper() + why[1:])), status)
