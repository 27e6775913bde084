"""What a request to the page's server needs, how many there may be, and what an answer allows."""

import asyncio
import json

import pytest
from starlette.responses import JSONResponse

from asking import HERE, OURS, SITE, ask, change, headers, status, text
from echo_site import EchoSite
from noughts.web import pages, safety
from noughts.web.safety import MAX_BODY, RateLimit, Safety


@pytest.fixture(autouse=True)
def echo(monkeypatch):
    return EchoSite(monkeypatch)


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ({"content_type": "text/plain"}, 415),
        ({"content_type": "application/x-www-form-urlencoded"}, 415),
        ({"content_type": "multipart/form-data; boundary=application/json"}, 415),
        ({"content_type": None}, 415),
        ({"content_type": "application/json; charset=utf-8"}, 200),
        ({"x_noughts_token": None}, 401),
        ({"x_noughts_token": "wrong"}, 401),
        ({"x_noughts_token": "ÿ" * 32}, 401),
        ({"x_noughts_token": SITE.token + "x"}, 401),
        ({"content_length": str(MAX_BODY)}, 200),
        ({"content_length": str(MAX_BODY + 1)}, 413),
        ({"content_length": "9" * 5000}, 413),
        ({"content_length": "-1"}, 413),
    ],
)
def test_what_a_change_needs(more, expected):
    assert status(ask(change(**more), "POST", "/api/echo")) == expected


def test_a_body_in_pieces():
    piece = b"x" * 40_000
    assert status(ask(change(), "POST", "/api/echo", (piece,))) == 200
    refused = ask(change(), "POST", "/api/echo", (piece, piece, piece))
    assert status(refused) == 413
    assert headers(refused)["connection"] == "close"  # for the rest is never read
    said = ask({"host": HERE}, "GET", "/api/echo", (piece, piece))
    assert json.loads(text(said)) == {"heard": 0}  # what only asks has none


@pytest.mark.parametrize(
    ("path", "method", "expected"),
    [
        ("/", "GET", 200),
        ("/static/style.css", "GET", 200),
        ("/api/echo", "GET", 200),
        ("/nothing", "GET", 404),
        ("/api/fails", "GET", 500),
        ("/", "DELETE", 403),
    ],
)
def test_what_a_browser_may_do_with_an_answer(path, method, expected):
    said = ask({"host": HERE}, method, path)
    assert status(said) == expected
    given = headers(said)
    assert given["content-security-policy"].startswith("default-src 'self'; ")
    assert "frame-ancestors 'none'" in given["content-security-policy"]
    assert given["x-content-type-options"] == "nosniff"
    assert given["cross-origin-resource-policy"] == "same-origin"
    assert given["referrer-policy"] == "no-referrer"
    assert given["cache-control"] == "no-store"
    assert not {"server", "access-control-allow-origin", "set-cookie"} & set(given)
    if expected != 200:
        assert list(json.loads(text(said))) == ["error"] and "Traceback" not in text(said)


def test_pages_hold_nothing_inline():
    """For the Content-Security-Policy would stop it."""
    from html.parser import HTMLParser

    class Inline(HTMLParser):
        def __init__(self):
            super().__init__()
            self.found, self.inside = [], ""

        def handle_starttag(self, tag, attributes):
            self.inside = tag if tag in ("script", "style") else ""
            for name, value in attributes:
                if name.startswith("on") or name == "style" or "javascript:" in (value or ""):
                    self.found.append((tag, name, value))
                if name in ("src", "href", "action") and not (value or "").startswith(("/", "#")):
                    self.found.append((tag, name, value))
                if name in ("src", "href") and (value or "").startswith("//"):
                    self.found.append((tag, name, value))

        def handle_data(self, data):
            if self.inside and data.strip():
                self.found.append((self.inside, data))

        def handle_endtag(self, tag):
            self.inside = ""

    for address, _, _ in pages.PAGES.values():
        if "{" not in address:
            parser = Inline()
            parser.feed(text(ask({"host": HERE}, path=address)))
            assert parser.found == []


class Clock:
    now_s = 1000.0

    def __call__(self):
        return self.now_s


def test_rates():
    clock = Clock()
    limit = RateLimit(rate=10, burst=5, clock=clock)
    assert [limit.allows("here") for _ in range(7)] == [True] * 5 + [False] * 2
    assert limit.allows("there")
    clock.now_s += 0.2
    assert [limit.allows("here") for _ in range(3)] == [True, True, False]
    clock.now_s += 60
    assert sum(limit.allows("here") for _ in range(100)) == 5


def test_who_asks_too_often_is_not_shut_out():
    """Ten times too many: a tenth of them is answered, not none."""
    clock = Clock()
    limit = RateLimit(rate=10, burst=5, clock=clock)
    answered = 0
    for _ in range(1000):
        clock.now_s += 0.01
        answered += limit.allows("here")
    assert 100 <= answered <= 105


def test_the_addresses_that_ask_last_are_remembered():
    limit = RateLimit(rate=0, burst=1)
    assert all(limit.allows(f"{number}") for number in range(5000))
    assert not limit.allows("4999")
    assert limit.allows("0")


def refusals(limit, headers, times=3, kind="http", parts=(), messages=RateLimit):
    """What `Safety` alone says of the same request again and again."""
    said = []

    async def answer(scope, receive, send):
        while kind == "websocket" and (await receive())["type"] != "websocket.disconnect":
            await send({"type": "websocket.send", "text": "heard"})
        if kind == "http":
            await JSONResponse({})(scope, receive, send)

    async def ask():
        guarded = Safety(answer, SITE, limit, messages)
        for _ in range(times):
            waiting = [{"type": "websocket.connect"}, *parts]
            scope = {
                "type": kind,
                "method": "GET",
                "path": "/",
                "client": ("127.0.0.1", 1),
                "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
            }

            async def receive(waiting=waiting):
                return waiting.pop(0) if waiting else {"type": "websocket.disconnect"}

            async def send(message):
                said.append(message.get("status", message["type"]))

            await guarded(scope, receive, send)

    asyncio.run(ask())
    return said


def test_what_is_refused_takes_nothing_from_our_pages():
    """Else any page in the same browser could use up what ours may ask."""
    limit = RateLimit(rate=0, burst=2)
    foreign = {"host": HERE, "sec-fetch-site": "cross-site"}
    assert refusals(limit, foreign)[::2] == [403, 403, 403]
    assert refusals(limit, {"host": HERE})[::2] == [200, 200, 429]


def test_messages_have_a_rate_too_and_wait(monkeypatch):
    """The same for each WebSocket: what one of them sends takes nothing from another."""
    slept_s = 0.0

    async def sleep(seconds):
        nonlocal slept_s
        slept_s += seconds

    monkeypatch.setattr(safety.asyncio, "sleep", sleep)
    message = {"type": "websocket.receive", "text": "press"}
    said = refusals(
        RateLimit(rate=0, burst=2), OURS, times=2, kind="websocket", parts=[message] * 10,
        messages=lambda: RateLimit(rate=2, burst=4, clock=lambda: slept_s),
    )  # fmt: skip
    assert said == ["websocket.send"] * 22  # with that for the connection
    assert slept_s == pytest.approx(6, abs=0.2)
