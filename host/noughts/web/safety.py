"""Who may ask the page's server, how much, and what a browser may do with the answers.

The server is for the person at this computer, but every page in the same browser can send requests
to it. So a request names this server as its host (a foreign name that was made to lead here does
not), comes from our own pages, and brings the token of this start if it changes something.
"""

from __future__ import annotations

import hmac
import ipaddress
import json
import time
from collections import OrderedDict
from collections.abc import Callable

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from noughts.web.site import Site

MAX_BODY = 65_536
"""Bytes; nothing that a page sends comes near it."""
RATE, BURST = 200, 400
"""Requests a second from one address, and how many at once: twenty browsers load a page."""
_ADDRESSES = 4096
TOKEN_HEADER = "x-noughts-token"

_POLICY = (
    "default-src 'self'; object-src 'none'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'"
)
_HEADERS = {
    "Content-Security-Policy": _POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}


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
        """Whether one more may come now."""
        now_s = self._clock()
        left, since_s = self._left.pop(address, (self._burst, now_s))
        left = min(self._burst, left + (now_s - since_s) * self._rate)
        self._left[address] = (max(left - 1, 0), now_s)
        if len(self._left) > _ADDRESSES:
            self._left.popitem(last=False)
        return left >= 1


class Safety:
    """Refuses what does not come from our pages, and says to the browser what it may do."""

    def __init__(self, app: ASGIApp, site: Site, limit: RateLimit | None = None) -> None:
        self._app, self._site = app, site
        self._limit = limit or RateLimit()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        try:
            self._check(scope)
            if scope["type"] == "http":
                await self._app(scope, _limited(scope, receive), _with_headers(send))
            else:
                await self._app(scope, receive, send)
        except RefusedError as refused:
            await _refuse(scope, send, refused)

    def _check(self, scope: Scope) -> None:
        headers = Headers(scope=scope)
        address = (scope.get("client") or ("?", 0))[0]
        if not self._limit.allows(address):
            raise RefusedError(429, "too many requests at once; wait a second")
        host = headers.get("host", "")
        if host not in self._site.addresses or len(headers.getlist("host")) != 1:
            raise RefusedError(421, f"this is http://{self._site.addresses[0]}, and no other")
        changes = scope["type"] == "websocket" or scope["method"] not in ("GET", "HEAD")
        self._check_source(scope, headers, host, changes)
        if scope["type"] == "http" and changes:
            self._check_change(scope, headers, address)

    def _check_source(self, scope: Scope, headers: Headers, host: str, changes: bool) -> None:
        origin = headers.get("origin")
        if origin != f"http://{host}" and (changes or origin is not None):
            raise RefusedError(403, "only this server's own pages may ask that")
        followed_link = headers.get("sec-fetch-mode") == "navigate" and not changes
        ours = ("same-origin", "none") if followed_link or not changes else ("same-origin",)
        site = headers.get("sec-fetch-site", "same-origin")
        if site not in ours and not (followed_link and headers.get("sec-fetch-dest") == "document"):
            raise RefusedError(403, "only this server's own pages may ask that")

    def _check_change(self, scope: Scope, headers: Headers, address: str) -> None:
        if not may_change(self._site, address):
            raise RefusedError(403, "from another computer you can look on, but change nothing")
        if headers.get("content-type", "").partition(";")[0].strip() != "application/json":
            raise RefusedError(415, "only JSON can be sent here")
        if not is_token(self._site, headers.get(TOKEN_HEADER, "")):
            raise RefusedError(401, "noughts was started again; load the page again")
        length = headers.get("content-length", "0")
        if not length.isdecimal() or int(length) > MAX_BODY:
            raise RefusedError(413, f"a request has {MAX_BODY:,} bytes at most")


def is_token(site: Site, token: str) -> bool:
    """Whether it is this start's."""
    return hmac.compare_digest(token.encode(), site.token.encode())


def may_change(site: Site, address: str) -> bool:
    """Whether somebody at this address may change something: only at this computer."""
    if not site.lan:
        return True
    try:
        return ipaddress.ip_address(address).is_loopback
    except ValueError:
        return False


def _limited(scope: Scope, receive: Receive) -> Receive:
    """A body is refused as soon as it is too long, whatever its header said."""
    size = 0

    async def limited() -> Message:
        nonlocal size
        message = await receive()
        if message["type"] == "http.request":
            size += len(message.get("body", b""))
            if size > MAX_BODY:
                raise RefusedError(413, f"a request has {MAX_BODY:,} bytes at most")
        return message

    return limited


def _with_headers(send: Send) -> Send:
    async def with_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in _HEADERS.items():
                headers[name] = value
            headers.setdefault("Cache-Control", "no-store")
        await send(message)

    return with_headers


async def _refuse(scope: Scope, send: Send, refused: RefusedError) -> None:
    if scope["type"] == "websocket":
        await send({"type": "websocket.close", "code": 1008, "reason": refused.why})
        return
    body = json.dumps({"error": refused.why}).encode()
    start = {
        "type": "http.response.start",
        "status": refused.status,
        "headers": [
            (b"content-type", b"application/json"),
            (b"content-length", str(len(body)).encode()),
            (b"connection", b"close"),  # what is left of the body is never read
        ],
    }
    await _with_headers(send)(start)
    await send({"type": "http.response.body", "body": body})
