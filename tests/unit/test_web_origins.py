"""Who may ask the page's server, by each request's headers and address."""

import json
from pathlib import Path

import pytest

from asking import HERE, OURS, SITE, ask, change, headers, status, text
from echo_site import EchoSite
from noughts.web.safety import is_token, may_change
from noughts.web.site import Site

OPEN = Site(Path("games.db"), 8017, ("127.0.0.1", "localhost", "192.0.2.2"), lan=True)


@pytest.fixture(autouse=True)
def echo(monkeypatch):
    return EchoSite(monkeypatch)


@pytest.mark.parametrize("host", [HERE, "localhost:8017"])
def test_own_names(host):
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
def test_foreign_names(headers):
    said = ask(headers)
    assert status(said) == 421
    assert json.loads(text(said)) == {"error": f"this is http://{HERE}, and no other"}


def test_the_port_of_the_web_itself():
    """A browser does not write it, neither in Host nor in Origin."""
    assert Site(Path("games.db"), 80).addresses == ("127.0.0.1", "localhost")


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
def test_foreign_origins(origin):
    assert status(ask(change(origin=origin), "POST", "/api/echo")) == 403
    hand = {name: value for name, value in {**OURS, "origin": origin}.items() if value is not None}
    said = ask(hand, path="/socket", body=("hello",), kind="websocket")
    assert [message["type"] for message in said] == ["websocket.close"]
    if origin is not None:
        assert status(ask(hand, path="/api/echo")) == 403


def test_two_origins():
    twice = [*change().items(), ("origin", OURS["origin"])]
    assert status(ask(twice, "POST", "/api/echo")) == 403


def test_our_own_page():
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
