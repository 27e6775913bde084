"""Requests to the page's application through ASGI, from any address; and HTML as people read it."""

import asyncio
import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

from starlette.types import Message

from live_page import idle_boards
from noughts.web.app import application
from noughts.web.live import LiveBoards
from noughts.web.safety import Site

_VOID = {"meta", "link", "input", "img"}


class HtmlPage(HTMLParser):
    """The tags, table rows and text of a page; it asserts that tags are closed."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.source = text
        self.tags: Counter[str] = Counter()
        self.attributes: list[tuple[str, str | None]] = []
        self.rows: list[list[str]] = []
        self.status = ""
        """What a screen reader reads first."""
        self.data = ""
        """The data for its script."""
        self._open: list[str] = []
        self._in_status = False
        self._text = ""
        self.feed(text)
        self.close()
        assert not self._open

    @property
    def text(self) -> str:
        """All of it, with single spaces."""
        return " ".join(self._text.split())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags[tag] += 1
        self.attributes += attrs
        if tag not in _VOID:
            self._open.append(tag)
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")
        self._in_status = ("role", "status") in attrs

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag
        self._in_status = False

    def handle_data(self, data: str) -> None:
        if self._open[-1:] == ["script"]:
            self.data += data
            return
        self._text += data
        if self._in_status:
            self.status += data
        if {"td", "th"} & set(self._open):
            self.rows[-1][-1] = " ".join(f"{self.rows[-1][-1]} {data}".split())


HERE = "127.0.0.1:8017"
OURS = {"host": HERE, "origin": f"http://{HERE}"}
SITE = Site(Path("no such folder", "games.db"), 8017)


class Answer:
    """The application's response."""

    def __init__(self, messages: list[Message]) -> None:
        start, *rest = messages
        self.status = start.get("status")
        pairs = start.get("headers", ())
        self.headers = {name.decode().lower(): value.decode() for name, value in pairs}
        self.text = b"".join(message.get("body", b"") for message in rest).decode()

    @property
    def json(self) -> Any:
        return json.loads(self.text)


Headers = Mapping[str, str] | Iterable[tuple[str, str]]


def ask(
    headers: Headers,
    method: str = "GET",
    path: str = "/",
    body: Sequence[Any] = (b"",),
    client: str = "127.0.0.1",
    site: Site = SITE,
    live_boards: LiveBoards | None = None,
) -> Answer:
    pairs = [*(headers.items() if isinstance(headers, Mapping) else headers)]
    if method == "POST":
        pairs.append(("content-length", str(sum(map(len, body)))))
    path, _, query = path.partition("?")
    scope = {
        "type": "http",
        "method": method,
        "path": path,
        "query_string": query.encode(),
        "headers": [(name.encode(), value.encode("latin-1")) for name, value in pairs],
        "client": (client, 50_000),
        "server": ("127.0.0.1", 8017),
        "scheme": "http",
        "http_version": "1.1",
    }
    incoming: list[Message] = [
        {"type": "http.request", "body": part, "more_body": number < len(body)}
        for number, part in enumerate(body, 1)
    ]
    messages: list[Message] = []

    async def receive() -> Message:
        return incoming.pop(0) if incoming else {"type": "http.disconnect"}

    async def send(message: Message) -> None:
        messages.append(message)

    async def once() -> None:
        with suppress(ZeroDivisionError):  # the server re-raises it after answering
            await application(site, live_boards or idle_boards(site))(scope, receive, send)

    asyncio.run(once())
    return Answer(messages)


def get(address: str, db: Path = SITE.db, expected: int = 200) -> Any:
    answer = ask({"host": HERE}, path=address, site=Site(db, 8017))
    assert answer.status == expected, answer.text
    return answer.json


def page(address: str, db: Path = SITE.db, expected: int = 200) -> HtmlPage:
    named = {"host": HERE, "accept": "text/html"}
    answer = ask(named, path=address, site=Site(db, 8017))
    assert answer.status == expected, answer.text
    return HtmlPage(answer.text)


def change(site: Site = SITE, **more: str | None) -> dict[str, str]:
    """The headers of our own page when it changes something; `_` in a name stands for `-`."""
    here = site.addresses[0]
    ours = {"host": here, "origin": f"http://{here}"}
    good = {"content-type": "application/json", "x-noughts-token": site.token}
    named = {name.replace("_", "-"): value for name, value in more.items()}
    return {name: value for name, value in (ours | good | named).items() if value is not None}
