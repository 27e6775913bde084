"""The page's server: who may ask, what a request needs, how long it waits, its port and its end."""

import errno
import json
import os
import signal
import socket
from functools import partial
from pathlib import Path

import pytest
import uvicorn
from starlette.responses import JSONResponse

from asking import HERE, OURS, SITE, ask, change, headers, status, text
from echo_site import EchoSite
from noughts.cli import web
from noughts.errors import NoughtsError
from noughts.web import safety, server
from noughts.web.safety import MAX_BODY, RateLimit, Safety, Site

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
    assert json.loads(text(said)) == {
        "error": f"noughts does not answer to this address; open http://{HERE}/ instead"
    }


def test_a_guest_is_sent_to_an_address_for_guests():
    refused = ask({"host": "192.0.2.3:8017"}, site=OPEN, client="192.0.2.7")
    assert text(refused).endswith('open http://192.0.2.2:8017/ instead"}')


def test_own_names(monkeypatch):
    for host in (HERE, "localhost:8017"):
        ours = change(host=host, origin=f"http://{host}")
        assert status(ask({"host": host})) == status(ask(ours, "POST", "/api/echo")) == 200
    for header, page in (("text/html", True), ("*/*", False)):
        said = ask([("host", "evil.example:8017"), ("accept", header)])
        assert ("<h1>That did not work</h1>" in text(said)) == page and status(said) == 421
    monkeypatch.setattr(socket, "gethostname", lambda: "Class-PC.school")
    assert server.own_names() == ["class-pc.school", "class-pc.local"]
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
    said = ask({"host": HERE}, method, "/api/echo")
    assert status(said) == 403
    assert not [name for name in headers(said) if name.startswith("access-control")]


def test_who_may_change_something():
    addresses = "127.0.0.1", "::1", "192.0.2.2", "0.0.0.0", "fe80::1%eth0"
    assert [OPEN.may_change(address) for address in addresses] == [True, True, False, False, False]


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
        403, "from another computer you can watch, but not change anything"
    )  # fmt: skip
    assert status(ask(change(OPEN), "POST", "/api/echo", site=OPEN)) == 200


@pytest.mark.parametrize("token", ["", None, 0, [], {}, "x", "\ud800", "ÿ" * 32, True])
def test_a_change_needs_the_token(token):
    assert not SITE.is_token(token)
    if token in ("x", None):
        assert status(ask(change(x_noughts_token=token), "POST", "/api/echo")) == 401
    assert status(ask(change(), "POST", "/api/echo")) == 200


def test_a_body_in_pieces():
    piece = b"x" * (MAX_BODY // 2)
    assert status(ask(change(), "POST", "/api/echo", (piece, piece))) == 200
    refused = ask(change(), "POST", "/api/echo", (piece, piece, b"x"))
    assert status(refused) == 413
    assert headers(refused)["connection"] == "close"  # for the rest is never read


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
    limit = RateLimit(rate=5, clock=lambda: now_s)
    for _ in range(2):  # whoever asks too often is not shut out
        assert [limit.allows("here") for _ in range(7)] == [True] * 5 + [False] * 2
        assert limit.allows("there")
        now_s += 1


@pytest.mark.anyio
async def test_what_is_refused_takes_nothing_from_our_pages(monkeypatch):
    """Else any page in the same browser could use up what ours may ask."""
    monkeypatch.setattr(safety, "RateLimit", partial(RateLimit, rate=2, clock=lambda: 0))
    guarded, said = Safety(JSONResponse({}), SITE), []

    async def send(message):
        said.append(message.get("status"))

    foreign = {"host": HERE, "sec-fetch-site": "cross-site"}
    for asked in (foreign, foreign, foreign, {"host": HERE}, {"host": HERE}, {"host": HERE}):
        named = [(name.encode(), value.encode()) for name, value in asked.items()]
        scope = {"type": "http", "method": "GET", "path": "/", "client": ("x", 1), "headers": named}
        await guarded(scope, None, send)
    assert said[::2] == [403, 403, 403, 200, 200, 429]


def test_a_range_of_taken_ports_is_an_error(monkeypatch):
    def bind(sock, address):
        raise OSError(errno.EADDRINUSE, "taken")

    monkeypatch.setattr(socket.socket, "bind", bind)
    with pytest.raises(NoughtsError, match="ports 65530 to 65535 are taken; choose another one"):
        server.listening(65_530, lan=False)


def test_a_taken_port_is_replaced_by_the_next():
    with server.listening(0, lan=False) as taken:
        port = taken.getsockname()[1]
        with server.listening(port, lan=False) as next_one:
            assert next_one.getsockname()[1] > port


def test_the_command_says_where_the_page_is_and_warns_of_others(tmp_path, capsys):
    site = Site(tmp_path / "games.db", 8017, (*Site.hosts, "192.0.2.2"), lan=True)
    web._ready(site, browse=False)
    here, warning = capsys.readouterr().err.splitlines()
    assert here == "noughts is at http://127.0.0.1:8017/ (Ctrl-C ends)"
    assert warning == (
        "other computers can watch at http://192.0.2.2:8017/: anyone on your network "
        "can see the boards' names and all games, but cannot change anything"
    )


@pytest.mark.skipif(not hasattr(signal, "SIGHUP"), reason="Windows has none")
@pytest.mark.parametrize(("before", "ends"), [(signal.SIG_DFL, True), (signal.SIG_IGN, False)])
def test_a_hang_up_ends_the_server_but_not_under_nohup(monkeypatch, before, ends):
    monkeypatch.setattr(uvicorn.Server, "run", lambda self, sockets: None)
    raised = []
    monkeypatch.setattr(signal, "raise_signal", raised.append)
    found = signal.signal(signal.SIGHUP, before)
    try:
        server.serve(lambda scope: None, None)
        os.kill(os.getpid(), signal.SIGHUP)
        assert raised == [signal.SIGTERM] * ends
    finally:
        signal.signal(signal.SIGHUP, found)
