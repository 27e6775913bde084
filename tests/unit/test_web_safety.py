"""Who may ask the page's server, by each request's headers and address."""

import asyncio
import json
from pathlib import Path

import pytest
from starlette.responses import JSONResponse
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket

from noughts.web import app as web_app
from noughts.web import pages
from noughts.web.hub import Hub
from noughts.web.safety import MAX_BODY, RateLimit, Safety, is_token, may_change
from noughts.web.site import Site

HERE = "127.0.0.1:8017"
OURS = {"host": HERE, "origin": f"http://{HERE}"}
SITE = Site(Path("games.db"), 8017)
OPEN = Site(Path("games.db"), 8017, ("127.0.0.1", "localhost", "192.0.2.2"), lan=True)


async def echo(request):
    return JSONResponse({"heard": len(await request.body())})


async def fails(request):
    raise ZeroDivisionError


async def echo_socket(socket: WebSocket):
    await socket.accept()
    async for heard in socket.iter_text():
        await socket.send_text(heard)


@pytest.fixture
def ask(monkeypatch):
    """Asks the application, with some addresses of the test's own, by ASGI alone."""
    more = [
        Route("/api/echo", echo, methods=["GET", "POST"]),
        Route("/api/fails", fails),
        WebSocketRoute("/socket", echo_socket),
    ]
    routes = pages.routes
    monkeypatch.setattr(pages, "routes", lambda site: [*routes(site), *more])

    def asked(headers, method="GET", path="/", body=(b"",), client="127.0.0.1", site=SITE, kind=""):
        pairs = headers.items() if isinstance(headers, dict) else headers
        scope = {
            "type": kind or "http",
            "method": method,
            "path": path,
            "query_string": b"",
            "headers": [(name.encode(), value.encode("latin-1")) for name, value in pairs],
            "client": (client, 50_000),
            "server": ("127.0.0.1", 8017),
            "scheme": "http",
            "http_version": "1.1",
            "subprotocols": [],
        }
        heard = [
            {"type": "http.request", "body": part, "more_body": number < len(body)}
            for number, part in enumerate(body, 1)
        ]
        if kind:
            heard = [{"type": "websocket.connect"}]
            heard += [{"type": "websocket.receive", "text": part} for part in body]
            heard += [{"type": "websocket.disconnect", "code": 1000}]
        said = []

        async def receive():
            return heard.pop(0) if heard else {"type": "http.disconnect"}

        async def send(message):
            said.append(message)

        async def once():
            try:
                await web_app.application(site, Hub(site))(scope, receive, send)
            except ZeroDivisionError:  # raised again after it has been answered
                assert path == "/api/fails"

        asyncio.run(once())
        return said

    return asked


def status(said):
    return said[0]["status"]


def headers(said):
    return {name.decode().lower(): value.decode() for name, value in said[0]["headers"]}


def text(said):
    return b"".join(message.get("body", b"") for message in said[1:]).decode()


@pytest.mark.parametrize("host", [HERE, "localhost:8017"])
def test_own_names(ask, host):
    assert status(ask({"host": host})) == 200


@pytest.mark.parametrize(
    "headers",
    [
        [],
        [("host", "")],
        [("host", "evil.example:8017")],
        [("host", "127.0.0.1")],
        [("host", "127.0.0.1:80")],
        [("host", "LOCALHOST:8017")],
        [("host", "localhost.:8017")],
        [("host", "127.0.0.1:8017.evil.example")],
        [("host", "127.0.0.1:8017@evil.example")],
        [("host", "me@127.0.0.1:8017")],
        [("host", "127.0.0.1:08017")],
        [("host", "127.1:8017")],
        [("host", "0.0.0.0:8017")],
        [("host", "[::1]:8017")],
        [("host", f"{HERE}, evil.example")],
        [("host", HERE), ("host", "evil.example")],
        [("host", HERE), ("host", HERE)],
        [("host", "evil.example"), ("x-forwarded-host", HERE)],
    ],
)
def test_foreign_names(ask, headers):
    said = ask(headers)
    assert status(said) == 421
    assert json.loads(text(said)) == {"error": f"this is http://{HERE}, and no other"}


def test_the_port_of_the_web_itself():
    """A browser does not write it, neither in Host nor in Origin."""
    assert Site(Path("games.db"), 80).addresses == ("127.0.0.1", "localhost")


def change(site=SITE, **more):
    good = {"content-type": "application/json", "x-noughts-token": site.token}
    named = {name.replace("_", "-"): value for name, value in more.items()}
    return {name: value for name, value in (OURS | good | named).items() if value is not None}


FOREIGN = [
    None,
    "null",
    "",
    "http://evil.example",
    "http://127.0.0.1:8018",
    "http://127.0.0.1",
    "http://localhost:8017",
    f"https://{HERE}",
    f"http://{HERE}/",
    f"HTTP://{HERE}",
    f"http://{HERE}.evil.example",
    f"http://{HERE} http://evil.example",
]


@pytest.mark.parametrize("origin", FOREIGN)
def test_foreign_origins(ask, origin):
    assert status(ask(change(origin=origin), "POST", "/api/echo")) == 403
    hand = {name: value for name, value in {**OURS, "origin": origin}.items() if value is not None}
    said = ask(hand, path="/socket", body=("hello",), kind="websocket")
    assert [message["type"] for message in said] == ["websocket.close"]
    if origin is not None:
        assert status(ask(hand, path="/api/echo")) == 403


def test_two_origins(ask):
    twice = [*change().items(), ("origin", OURS["origin"])]
    assert status(ask(twice, "POST", "/api/echo")) == 403


def test_our_own_page(ask):
    fetched = change(sec_fetch_site="same-origin", sec_fetch_mode="cors", sec_fetch_dest="empty")
    said = ask(fetched, "POST", "/api/echo", (b"[1,", b" 2]"))
    assert (status(said), json.loads(text(said))) == (200, {"heard": 6})
    said = ask(OURS, path="/socket", body=("hello",), kind="websocket")
    assert [message["type"] for message in said] == ["websocket.accept", "websocket.send"]


@pytest.mark.parametrize(
    ("site", "mode", "dest", "page", "api"),
    [
        ("none", "navigate", "document", 200, 200),  # typed, or a bookmark
        ("same-origin", "navigate", "document", 200, 200),
        ("same-origin", "cors", "empty", 200, 200),
        ("cross-site", "navigate", "document", 200, 403),  # a link in somebody's page
        ("same-site", "navigate", "document", 200, 403),
        ("cross-site", "navigate", "iframe", 403, 403),
        ("cross-site", "no-cors", "script", 403, 403),
        ("cross-site", "no-cors", "image", 403, 403),
        ("cross-site", "no-cors", "document", 403, 403),
        ("same-site", "cors", "empty", 403, 403),
        ("nonsense", "navigate", "embed", 403, 403),
    ],
)
def test_what_a_browser_says_of_the_asker(ask, site, mode, dest, page, api):
    said = {"sec-fetch-site": site, "sec-fetch-mode": mode, "sec-fetch-dest": dest}
    assert status(ask({"host": HERE} | said)) == page
    assert status(ask({"host": HERE} | said, path="/api/echo")) == api
    changing = {f"sec-fetch-{name[10:]}": value for name, value in said.items()}
    expected = 200 if site == "same-origin" else 403
    assert status(ask(change() | changing, "POST", "/api/echo")) == expected


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
        ({"content_length": str(MAX_BODY + 1)}, 413),
        ({"content_length": "9" * 5000}, 413),
        ({"content_length": "-1"}, 413),
    ],
)
def test_what_a_change_needs(ask, more, expected):
    assert status(ask(change(**more), "POST", "/api/echo")) == expected


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "BREW"])
def test_other_methods_need_it_too(ask, method):
    assert status(ask({"host": HERE}, method, "/api/echo")) == 403
    said = ask({"host": HERE, "origin": "http://evil.example"}, method, "/api/echo")
    assert status(said) == 403
    assert not [name for name in headers(said) if name.startswith("access-control")]


def test_a_body_in_pieces(ask):
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
def test_what_a_browser_may_do_with_an_answer(ask, path, method, expected):
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


@pytest.mark.parametrize(
    ("address", "at_this_computer"),
    [
        ("127.0.0.1", True),
        ("127.8.9.10", True),
        ("::1", True),
        ("192.0.2.2", False),
        ("10.0.0.1", False),
        ("169.254.1.1", False),
        ("0.0.0.0", False),
        ("fe80::1%eth0", False),
        ("?", False),
        ("", False),
        ("localhost", False),
        ("127.0.0.1.evil.example", False),
    ],
)
def test_who_may_change_something(address, at_this_computer):
    assert may_change(OPEN, address) is at_this_computer


def test_from_another_computer_one_looks_on(ask):
    """And is not told the token, nor believed to be somebody else."""
    guest = {"site": OPEN, "client": "192.0.2.7"}
    there = {"host": "192.0.2.2:8017"}
    told = text(ask(there, **guest))
    assert '<meta name="token" content="">' in told and OPEN.token not in told
    assert f'content="{OPEN.token}"' in text(ask({"host": HERE}, site=OPEN))
    assert status(ask(there, path="/api/echo", **guest)) == 200
    lies = change(OPEN, x_forwarded_for="127.0.0.1", forwarded="for=127.0.0.1")
    said = ask(lies, "POST", "/api/echo", **guest)
    assert (status(said), json.loads(text(said))["error"]) == (
        403, "from another computer you can look on, but change nothing"
    )  # fmt: skip
    assert status(ask(change(OPEN), "POST", "/api/echo", site=OPEN)) == 200


@pytest.mark.parametrize("token", ["", None, 0, [], {}, "x", "\ud800", "ÿ" * 32, True])
def test_wrong_tokens(token):
    assert not is_token(SITE, token)
    assert is_token(SITE, SITE.token)


def test_pages_hold_nothing_inline(ask):
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


def refusals(limit, headers, times=3, kind="http", parts=()):
    """What `Safety` alone says of the same request again and again."""
    said = []

    async def answer(scope, receive, send):
        while kind == "websocket" and (await receive())["type"] != "websocket.disconnect":
            await send({"type": "websocket.send", "text": "heard"})
        if kind == "http":
            await JSONResponse({})(scope, receive, send)

    async def ask():
        guarded = Safety(answer, SITE, limit)
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


def test_messages_have_a_rate_too():
    limit = RateLimit(rate=0, burst=4)
    message = {"type": "websocket.receive", "text": "press"}
    said = refusals(limit, OURS, times=1, kind="websocket", parts=[message] * 9)
    assert said == ["websocket.send"] * 4 + ["websocket.close"]
