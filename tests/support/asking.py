"""Asking the page's application by ASGI alone: any headers, from any address."""

import asyncio
import json
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from starlette.types import Message

from html_page import HtmlPage
from noughts.web.app import application
from noughts.web.live import LiveBoards
from noughts.web.safety import Site

HERE = "127.0.0.1:8017"
OURS = {"host": HERE, "origin": f"http://{HERE}"}
SITE = Site(Path("no such folder", "games.db"), 8017)

Headers = Mapping[str, str] | Iterable[tuple[str, str]]


def ask(
    headers: Headers,
    method: str = "GET",
    path: str = "/",
    body: Sequence[Any] = (b"",),
    client: str = "127.0.0.1",
    site: Site = SITE,
    kind: str = "http",
) -> list[Message]:
    """All that the application says."""
    pairs = headers.items() if isinstance(headers, Mapping) else headers
    path, _, query = path.partition("?")
    scope = {
        "type": kind,
        "method": method,
        "path": path,
        "query_string": query.encode(),
        "headers": [(name.encode(), value.encode("latin-1")) for name, value in pairs],
        "client": (client, 50_000),
        "server": ("127.0.0.1", 8017),
        "scheme": "http",
        "http_version": "1.1",
        "subprotocols": [],
    }
    incoming: list[Message] = [
        {"type": "http.request", "body": part, "more_body": number < len(body)}
        for number, part in enumerate(body, 1)
    ]
    if kind == "websocket":
        incoming = [{"type": "websocket.connect"}]
        incoming += [{"type": "websocket.receive", "text": part} for part in body]
        incoming += [{"type": "websocket.disconnect", "code": 1000}]
    messages: list[Message] = []

    async def receive() -> Message:
        return incoming.pop(0) if incoming else {"type": "http.disconnect"}

    async def send(message: Message) -> None:
        messages.append(message)

    async def once() -> None:
        with suppress(ZeroDivisionError):  # raised again after it has been answered
            await application(site, LiveBoards(site))(scope, receive, send)

    asyncio.run(once())
    return messages


def get(address: str, db: Path = SITE.db, expected: int = 200) -> Any:
    """What an address answers, as JSON."""
    messages = ask({"host": HERE}, path=address, site=Site(db, 8017))
    assert status(messages) == expected, text(messages)
    return json.loads(text(messages))


def page(address: str, db: Path = SITE.db, expected: int = 200) -> HtmlPage:
    """What an address answers, as HTML."""
    named = {"host": HERE, "accept": "text/html"}
    messages = ask(named, path=address, site=Site(db, 8017))
    assert status(messages) == expected, text(messages)
    return HtmlPage(text(messages))


def change(site: Site = SITE, **more: str | None) -> dict[str, str]:
    """The headers of our own page when it changes something; `_` in a name stands for `-`."""
    here = site.addresses[0]
    ours = {"host": here, "origin": f"http://{here}"}
    good = {"content-type": "application/json", "x-noughts-token": site.token}
    named = {name.replace("_", "-"): value for name, value in more.items()}
    return {name: value for name, value in (ours | good | named).items() if value is not None}


def status(messages: list[Message]) -> int:
    """The status of an answer."""
    number: int = messages[0]["status"]
    return number


def headers(messages: list[Message]) -> dict[str, str]:
    """The headers of an answer, in lower case."""
    return {name.decode().lower(): value.decode() for name, value in messages[0]["headers"]}


def text(messages: list[Message]) -> str:
    """The body of an answer."""
    return b"".join(message.get("body", b"") for message in messages[1:]).decode()
