"""The page's server: who may ask, what a request needs, how long it waits, its port and its end."""

import asyncio
import errno
import json
import signal
import socket
from pathlib import Path
from unittest.mock import Mock

import pytest
import uvicorn
from starlette.responses import JSONResponse
from uvicorn.server import ServerState

from asking import HERE, OURS, SITE, ask, change, headers, status, text
from echo_site import EchoSite
from noughts.cli import web
from noughts.errors import NoughtsError
from noughts.web import safety, server
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
    assert json.loads(text(said)) == {
        "error": f"noughts does not answer to this address; open http://{HERE}/ instead"
    }


def test_own_names(monkeypatch):
    for host in (HERE, "localhost:8017"):
        ours = change(host=host, origin=f"http://{host}")
        assert status(ask({"host": host})) == status(ask(ours, "POST", "/api/echo")) == 200
    for header, page in (("text/html", True), ("*/*", False)):
        said = ask([("host", "evil.example:8017"), ("accept", header)])
        assert ("<h1>noughts</h1>" in text(said)) == page and status(said) == 421
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
        403, "from another computer you can watch, but not change anything"
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


HALF = b"GET / HTTP/1.1\r\nHost: here\r\n"


class Loop:
    """Takes timers, and runs none by itself."""

    def __init__(self):
        self.timers = []

    def call_later(self, delay, callback, *args):
        timer = asyncio.TimerHandle(delay, callback, args, self)
        self.timers.append(timer)
        return timer

    def create_task(self, work, **named):
        work.close()
        return asyncio.Future(loop=self)

    def get_debug(self):
        return False

    def _timer_handle_cancelled(self, handle):
        pass

    def call_soon(self, *args, **named):
        pass

    def left(self):
        """What still waits, with its delay."""
        return [timer for timer in self.timers if not timer.cancelled()]

    def expire(self):
        """Let what waits be called; as asyncio does, once."""
        for timer in self.left():
            self.timers.remove(timer)
            timer._run()


@pytest.fixture
def connect():
    """A connection with nobody there yet: its protocol, its line, and the loop."""

    def start(kind):
        loop = Loop()
        config = uvicorn.Config(lambda scope: None, http=server._Protocol, ws=server._Socket)
        protocol = kind(config=config, server_state=ServerState(), app_state={}, _loop=loop)
        line = Mock(spec=asyncio.Transport)
        line.get_protocol.return_value = protocol
        line.is_closing.side_effect = lambda: line.close.called
        protocol.connection_made(line)
        return protocol, line, loop

    yield start
    assert not server._Protocol._silent


@pytest.mark.parametrize("kind", [server._Protocol, server._Socket])
def test_a_resumed_reader_is_not_disconnected(connect, kind):
    protocol, line, loop = connect(kind)
    for _ in range(2):
        protocol.pause_writing()
        assert line.abort in [timer._callback for timer in loop.left()]
        protocol.resume_writing()
        assert line.abort not in [timer._callback for timer in loop.left()]
    protocol.pause_writing()
    loop.expire()
    line.abort.assert_called_once()
    protocol.connection_lost(None)


@pytest.mark.parametrize("said", [b"", HALF])
def test_a_silent_connection_is_closed_and_if_that_takes_too_long_aborted(connect, said):
    protocol, line, loop = connect(server._Protocol)
    if said:
        protocol.data_received(said)
    loop.expire()
    assert line.close.called and not line.abort.called
    protocol.data_received(HALF)  # after the end, it starts no timer
    assert [timer._callback for timer in loop.left()] == [line.abort]
    loop.expire()
    line.abort.assert_called_once()
    protocol.connection_lost(None)


@pytest.mark.parametrize("closes", [True, False])
def test_no_timer_outlives_its_connection(connect, closes):
    """Least of all to abort the connection: asyncio fails at that, with a traceback."""
    protocol, _, loop = connect(server._Protocol)
    protocol.data_received(HALF)
    if closes:
        loop.expire()
    protocol.pause_writing()
    protocol.connection_lost(None)
    assert loop.left() == []


def test_an_answer_has_no_time_limit(connect):
    """Only the rest of a request is waited for."""
    protocol, _, loop = connect(server._Protocol)
    protocol.data_received(HALF)
    assert len(loop.left()) == 1
    protocol.data_received(b"\r\n")
    assert loop.left() == []
    protocol.connection_lost(None)


def refusing(monkeypatch, number):
    def bind(sock, address):
        raise OSError(number, "refused")

    monkeypatch.setattr(socket.socket, "bind", bind)


def test_a_range_of_taken_ports_is_an_error(monkeypatch):
    refusing(monkeypatch, errno.EADDRINUSE)
    with pytest.raises(NoughtsError, match="ports 65530 to 65535 are taken; choose another one"):
        server.listening(65_530, lan=False)
    refusing(monkeypatch, errno.ENOBUFS)
    with pytest.raises(OSError, match="refused"):
        server.listening(8017, lan=False)


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
        "other computers can watch at http://192.0.2.2:8017/: whoever is in your network "
        "sees the boards' names and all games, and can change nothing"
    )


def ending(calls):
    return server._Server(uvicorn.Config(lambda scope: None), lambda: calls.append("ending"))


@pytest.mark.skipif(not hasattr(signal, "SIGHUP"), reason="Windows has none")
def test_a_hang_up_ends_the_server_but_not_under_nohup():
    before = signal.getsignal(signal.SIGHUP)
    one = ending([])
    try:
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
        with one.capture_signals():
            assert signal.getsignal(signal.SIGHUP) == signal.SIG_IGN
        signal.signal(signal.SIGHUP, signal.SIG_DFL)
        with one.capture_signals():
            assert signal.getsignal(signal.SIGHUP) == one.handle_exit
        assert signal.getsignal(signal.SIGHUP) == signal.SIG_DFL
    finally:
        signal.signal(signal.SIGHUP, before)


@pytest.mark.anyio
async def test_boards_begin_to_end_before_answers_are_waited_for(monkeypatch):
    calls = []

    async def shutdown(self, sockets=None):
        calls.append("shutdown")

    monkeypatch.setattr(uvicorn.Server, "shutdown", shutdown)
    await ending(calls).shutdown()
    assert calls == ["ending", "shutdown"]


@pytest.mark.parametrize(
    ("soft", "hard", "asked"),
    [(256, -1, [(4096, -1)]), (256, 1000, [(1000, 1000)]), (8192, 8192, []), (-1, -1, [])],
)
def test_the_server_may_open_as_many_files_as_the_system_allows(monkeypatch, soft, hard, asked):
    resource = pytest.importorskip("resource")
    unlimited, given = resource.RLIM_INFINITY, []
    limit = tuple(unlimited if each == -1 else each for each in (soft, hard))
    monkeypatch.setattr(resource, "getrlimit", lambda what: limit)
    monkeypatch.setattr(resource, "setrlimit", lambda what, wanted: given.append(wanted))
    monkeypatch.setattr(uvicorn.Server, "run", lambda self, sockets: None)
    server.serve(lambda scope: None, None)
    assert given == [tuple(unlimited if each == -1 else each for each in pair) for pair in asked]
