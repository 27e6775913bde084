"""Who may ask the page's server, what a request needs, how many there may be, and the answers."""

import json
from pathlib import Path

import pytest
from starlette.responses import JSONResponse

from asking import HERE, OURS, SITE, ask, change, headers, status, text
from echo_site import EchoSite
from noughts.web import safety
from noughts.web.safety import MAX_BODY, RateLimit, Safety, is_token, may_change
from noughts.web.site import Site

OPEN = Site(Path("games.db"), 8017, ("127.0.0.1", "localhost", "192.0.2.2"), lan=True)


@pytest.fixture(autouse=True)
def echo(monkeypatch):
    return EchoSite(monkeypatch)


@pytest.mark.parametrize(
    "headers",
    [
        [],
        [("host", "evil.example:8017")],
        [("host", "127.0.0.1")],
        [("host", "LOCALHOST:8017")],
        [("host", f"{HERE}, evil.example")],
        [("host", HERE), ("host", "evil.example")],
    ],
)
def test_foreign_names(headers):
    said = ask(headers)
    assert status(said) == 421
    assert json.loads(text(said)) == {"error": f"this is http://{HERE}, and no other"}


def test_own_names():
    for host in (HERE, "localhost:8017"):
        ours = change(host=host, origin=f"http://{host}")
        assert status(ask({"host": host})) == status(ask(ours, "POST", "/api/echo")) == 200
    # A browser does not write the port of the web itself, neither in Host nor in Origin.
    assert Site(Path("games.db"), 80).addresses == ("127.0.0.1", "localhost")


FOREIGN = [
    None,
    "null",
    "",
    "http://evil.example",
    "http://localhost:8017",
    f"https://{HERE}",
    f"http://{HERE}/",
]


@pytest.mark.parametrize("origin", FOREIGN)
def test_foreign_origins(origin):
    assert status(ask(change(origin=origin), "POST", "/api/echo")) == 403
    hand = {name: value for name, value in {**OURS, "origin": origin}.items() if value is not None}
    said = ask(hand, path="/socket", body=("hello",), kind="websocket")
    assert [message["type"] for message in said] == ["websocket.close"]
    if origin is not None:
        assert status(ask(hand, path="/api/echo")) == 403


def test_our_own_page_names_itself_once():
    twice = [*change().items(), ("origin", OURS["origin"])]
    assert status(ask(twice, "POST", "/api/echo")) == 403
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
        ("cross-site", "no-cors", "document", 403, 403),
        ("same-site", "cors", "empty", 403, 403),
    ],
)
def test_what_a_browser_says_of_the_ask(site, mode, dest, page, api):
    said = {"sec-fetch-site": site, "sec-fetch-mode": mode, "sec-fetch-dest": dest}
    assert status(ask({"host": HERE} | said)) == page
    assert status(ask({"host": HERE} | said, path="/api/echo")) == api
    changing = {f"sec-fetch-{name[10:]}": value for name, value in said.items()}
    expected = 200 if site == "same-origin" else 403
    assert status(ask(change() | changing, "POST", "/api/echo")) == expected


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "BREW"])
def test_other_methods_need_it_too(method):
    assert status(ask({"host": HERE}, method, "/api/echo")) == 403
    said = ask({"host": HERE, "origin": "http://evil.example"}, method, "/api/echo")
    assert status(said) == 403
    assert not [name for name in headers(said) if name.startswith("access-control")]


@pytest.mark.parametrize(
    ("address", "at_this_computer"),
    [
        ("127.0.0.1", True),
        ("::1", True),
        ("192.0.2.2", False),
        ("0.0.0.0", False),
        ("fe80::1%eth0", False),
    ],
)
def test_who_may_change_something(address, at_this_computer):
    assert may_change(OPEN, address) is at_this_computer


def test_from_another_computer_one_looks_on():
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


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ({"content_type": "text/plain"}, 415),
        ({"content_type": None}, 415),
        ({"content_type": "application/json; charset=utf-8"}, 200),
        ({"x_noughts_token": None}, 401),
        ({"x_noughts_token": "wrong"}, 401),
        ({"content_length": str(MAX_BODY)}, 200),
        ({"content_length": str(MAX_BODY + 1)}, 413),
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


def test_rates():
    now_s = 1000.0
    limit = RateLimit(rate=10, burst=5, clock=lambda: now_s)
    assert [limit.allows("here") for _ in range(7)] == [True] * 5 + [False] * 2
    assert limit.allows("there")
    now_s += 0.2
    assert [limit.allows("here") for _ in range(3)] == [True, True, False]
    now_s += 60
    assert sum(limit.allows("here") for _ in range(100)) == 5

    # Who asks ten times too often is not shut out: a tenth is answered, not none.
    answered = 0
    for _ in range(1000):
        now_s += 0.01
        answered += limit.allows("here")
    assert 95 <= answered <= 105


def test_the_addresses_that_ask_last_are_remembered():
    limit = RateLimit(rate=0, burst=1)
    assert all(limit.allows(f"{number}") for number in range(5000))
    assert not limit.allows("4999")
    assert limit.allows("0")


async def refusals(limit, headers, times=3, kind="http", parts=(), messages=RateLimit):
    """What `Safety` alone says of the same request again and again."""
    said = []

    async def answer(scope, receive, send):
        while kind == "websocket" and (await receive())["type"] != "websocket.disconnect":
            await send({"type": "websocket.send", "text": "heard"})
        if kind == "http":
            await JSONResponse({})(scope, receive, send)

    async def send(message):
        said.append(message.get("status", message["type"]))

    named = [(name.encode(), value.encode()) for name, value in headers.items()]
    scope = {"type": kind, "method": "GET", "path": "/", "client": ("here", 1), "headers": named}
    guarded = Safety(answer, SITE, limit, messages)
    for _ in range(times):
        waiting = iter([{"type": "websocket.connect"}, *parts])

        async def receive(waiting=waiting):
            return next(waiting, {"type": "websocket.disconnect"})

        await guarded(scope, receive, send)
    return said


@pytest.mark.anyio
async def test_what_is_refused_takes_nothing_from_our_pages():
    """Else any page in the same browser could use up what ours may ask."""
    limit = RateLimit(rate=0, burst=2)
    foreign = {"host": HERE, "sec-fetch-site": "cross-site"}
    assert (await refusals(limit, foreign))[::2] == [403, 403, 403]
    assert (await refusals(limit, {"host": HERE}))[::2] == [200, 200, 429]


@pytest.mark.anyio
async def test_messages_have_a_rate_too_and_wait(monkeypatch):
    """The same for each WebSocket: what one of them sends takes nothing from another."""
    slept_s = 0.0

    async def sleep(seconds):
        nonlocal slept_s
        slept_s += seconds

    monkeypatch.setattr(safety.asyncio, "sleep", sleep)
    message = {"type": "websocket.receive", "text": "press"}
    said = await refusals(
        RateLimit(rate=0, burst=2), OURS, times=2, kind="websocket", parts=[message] * 10,
        messages=lambda: RateLimit(rate=2, burst=4, clock=lambda: slept_s),
    )  # fmt: skip
    assert said == ["websocket.send"] * 22  # with that for the connection
    assert slept_s == pytest.approx(6, abs=0.2)
