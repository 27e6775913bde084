"""The page's server against programs that ask oddly, fall silent, or go away."""

import json
import re
import socket
from contextlib import ExitStack, suppress

import pytest
from playwright.sync_api import expect
from websockets.exceptions import ConnectionClosed, InvalidStatus

from raw_requests import WAIT_S, change, head, line, open_socket, rest, state

_TWENTY_MS = 600_000


LONG = b"GET /api/long HTTP/1.1\r\nHost: HERE\r\n\r\n"
SILENT = {
    "nothing": b"",
    "half a head": b"GET / HTTP/1.1\r\nHost: HERE\r\n",
    "half a second request": b"GET /static/icon.svg HTTP/1.1\r\nHost: HERE\r\n\r\nG",
    "no body": b"GET / HTTP/1.1\r\nHost: HERE\r\nContent-Length: 9\r\n\r\n12",
}


@pytest.fixture
def many_files():
    """Lets this process open as many files as it may."""
    import resource

    limit = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(4096, limit[1]) if limit[1] > 0 else 4096,
                                               limit[1]))  # fmt: skip
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, limit)


@pytest.mark.parametrize("said", SILENT.values(), ids=SILENT)
def test_a_thousand_half_open_connections(serve, page, many_files, said):
    server = serve("--boards", "0", files=256)
    with ExitStack() as stack:
        lines = [stack.enter_context(line(server, said)) for _ in range(1000)]
        page.goto(server.url)
        expect(page.get_by_text("Your turn: you are X.")).to_be_visible()
        for sock in lines[:500]:
            rest(sock)
    assert server.end() == (0, f"noughts is at {server.url}/ (Ctrl-C ends)\n")


@pytest.mark.parametrize("said", SILENT.values(), ids=SILENT)
def test_who_falls_silent_is_closed(echo, said):
    """The first byte of a second request is no reason to wait for ever for the next."""
    server = echo("--patience", "0.2")
    begun, end, more = said.partition(b"\r\n\r\nG")
    asked = False
    while not asked:  # on a busy computer it may be closed before all is said
        with line(server, begun + end.removesuffix(b"G")) as sock, suppress(ConnectionError):
            answer = b""
            while end and not answer.endswith(b"</svg>\n") and (part := sock.recv(65_536)):
                answer += part
            asked = not end or bool(answer)
            sock.sendall(end[-1:] + more)
            rest(sock)
    assert server.ask("GET", "/")[0] == 200


@pytest.mark.parametrize("length", ["Content-Length: 9", "Transfer-Encoding: chunked"])
def test_a_body_that_never_comes(echo, length):
    server = echo("--patience", "0.2")
    name, _, value = length.partition(": ")
    with line(server, head("POST", "/api/change", change(server, **{name: value})) + b"1") as sock:
        assert rest(sock) == b""
    assert state(server)["changes"] == 0


def test_a_body_that_comes_byte_by_byte(echo):
    """Each byte is no new grace: else one connection could be held for ever."""
    server = echo("--patience", "0.5")
    length = change(server, **{"Content-Length": "60000"})
    with line(server, head("POST", "/api/change", length)) as sock:
        sock.settimeout(0.05)
        closed = False
        while not closed:
            try:
                sock.sendall(b"x")
                closed = not sock.recv(1)
            except TimeoutError:
                pass
            except ConnectionError:
                closed = True
    assert state(server)["changes"] == 0


def test_bodies_that_are_too_long(echo):
    server = echo()
    long = b"x" * 70_000
    status, _, said = server.ask("POST", "/api/change", long, **change(server))
    assert (status, json.loads(said)) == (413, {"error": "a request has 65,536 bytes at most"})
    chunks = head("POST", "/api/change", change(server, **{"Transfer-Encoding": "chunked"}))
    with line(server, chunks + b"11170\r\n" + long) as sock:
        assert rest(sock).startswith(b"HTTP/1.1 413 ")
    fits = b"x" * 65_536
    assert json.loads(server.ask("POST", "/api/change", fits, **change(server))[2]) == {
        "bytes": 65_536
    }
    assert state(server)["changes"] == 1


def test_a_browser_goes_away_in_the_middle(echo):
    server = echo()
    with line(server, LONG) as sock:
        assert sock.recv(1000).startswith(b"HTTP/1.1 200 ")
        while not state(server)["begun"]:
            pass
        assert state(server)["on_their_way"] == 1
    while state(server)["on_their_way"]:
        pass
    assert server.end() == (0, f"noughts is at {server.url}/\n")


def test_a_browser_that_takes_nothing(echo):
    server = echo("--patience", "0.2", "--with", "STALLED")
    with line(server, LONG):
        while (now := state(server))["on_their_way"] or not now["begun"]:
            pass
    assert server.end() == (0, f"noughts is at {server.url}/\n")


ADDRESSES = [
    "/static/../pages/play.html", "/static/%2e%2e/app.py", "/static/..%2fapp.py",
    "/static/..\\app.py", "/static/..%5capp.py", "/static/%252e%252e/app.py", "/static/",
    "/static", "/static//etc/passwd", "//etc/passwd", "/../../../../../etc/passwd",
    "/%2e%2e/%2e%2e/%2e%2e/etc/passwd", "/etc/passwd%00.js", "/static/style.css%00",
    "/app.py", "/pages/play.html", "/static/%00", "/%ff%fe", "/%",
    "http://evil.example/", "file:///etc/passwd", "*", "/.git/config", "/games.db",
]  # fmt: skip


def test_ways_out_of_the_folder(serve):
    server = serve("--boards", "0")
    for address in ADDRESSES:
        asked = f"GET {address} HTTP/1.1\r\nHost: HERE\r\nConnection: close\r\n\r\n"
        with line(server, asked.encode()) as sock:
            said = rest(sock)
        assert re.match(rb"HTTP/1\.1 (404|400) ", said), address
        assert not re.search(rb"root:|import|<h1>", said), address


HOSTILE = [
    b"BREW / HTTP/1.1\r\nHost: HERE\r\n\r\n",
    b"TRACE / HTTP/1.1\r\nHost: HERE\r\n\r\n",
    b"CONNECT 127.0.0.1:22 HTTP/1.1\r\nHost: HERE\r\n\r\n",
    b"GET / HTTP/1.1\r\n\r\n",
    b"GET / HTTP/1.0\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: HERE\r\nHost: HERE\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n",
    b"GET http://HERE/ HTTP/1.1\r\nHost: evil.example\r\n\r\n",
    b"GET /" + b"a" * 100_000 + b" HTTP/1.1\r\nHost: HERE\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: HERE\r\nX: " + b"a" * 200_000,
    b"GET / HTTP/1.1\r\nHost: HERE\r\n" + b"X: a\r\n" * 50_000,
    b"POST / HTTP/1.1\r\nHost: HERE\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
    b"POST / HTTP/1.1\r\nHost: HERE\r\nContent-Length: +1\r\n\r\n",
    b"POST / HTTP/1.1\r\nHost: HERE\r\nTransfer-Encoding: chunked, gzip\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: HERE\r\nX: a\r\n b\r\n\x00: c\r\n\r\n",
    b"GET /\r\n\r\n",
    b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\xff" * 512,
    b"GET /echo HTTP/1.1\r\nHost: HERE\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: HERE\r\nUpgrade: h2c\r\nOrigin: null\r\n\r\n",
]


def test_hostile_requests(serve):
    server = serve("--boards", "0")
    for asked in HOSTILE:
        with line(server, asked) as sock:
            with suppress(OSError):  # it may be closed already
                sock.shutdown(socket.SHUT_WR)
            said = rest(sock)
        # What is long may be reset before it is all sent, and then the answer is lost.
        assert re.match(rb"HTTP/1\.1 4\d\d ", said) or (len(asked) > 65_536 and not said), asked
    status, said = server.end()
    assert (status, said.count("\n")) == (0, 1)


@pytest.mark.parametrize("size", [70_000, 10_000_000])
@pytest.mark.parametrize("compression", [None, "deflate"])
def test_a_message_that_is_too_long(echo, size, compression):
    server = echo()
    with open_socket(server, compression=compression) as sock:
        sock.send("x" * 65_000)
        assert len(sock.recv(WAIT_S)) == 65_000
        with pytest.raises(ConnectionClosed):
            sock.send("x" * size)
            sock.recv(WAIT_S)
        assert sock.protocol.close_code in (1009, 1006)  # or reset while all of it was sent
    assert server.ask("GET", "/")[0] == 200


def test_too_many_websockets(echo):
    server = echo()
    with ExitStack() as stack:
        first, *_ = [stack.enter_context(open_socket(server)) for _ in range(64)]
        with pytest.raises(InvalidStatus):
            stack.enter_context(open_socket(server))
        first.close()
        stack.enter_context(open_socket(server)).send("hello")


def test_a_websocket_whose_browser_is_gone(echo):
    """Its computer sleeps: the connection stands, and nobody answers."""
    server = echo("--patience", "0.2", "--with", "PING")
    key = {"Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==", "Sec-WebSocket-Version": "13"}
    upgrade = {"Host": "HERE", "Origin": server.url, "Connection": "Upgrade", **key}
    with line(server, head("GET", "/echo", upgrade | {"Upgrade": "websocket"})) as sock:
        assert rest(sock).startswith(b"HTTP/1.1 101 ")


def test_a_websocket_outlives_the_patience_with_requests(echo):
    server = echo("--patience", "0.2", "--with", "REQUEST")
    with open_socket(server) as socket:
        with line(server) as later:
            rest(later)
        socket.send("still there")
        assert socket.recv(WAIT_S) == "still there"


@pytest.mark.timeout(1800)
def test_twenty_browsers_at_once(serve, chromium):
    server = serve("--boards", "0")
    contexts = [chromium.new_context() for _ in range(20)]
    try:
        errors = []
        opened = [context.new_page() for context in contexts]
        for one in opened:
            one.on("console", lambda said: errors.append(said.text))
            one.on("pageerror", lambda error: errors.append(str(error)))
            one.evaluate(f"setTimeout(() => location.assign('{server.url}/'))")
        for one in opened:
            one.wait_for_url(f"{server.url}/**", timeout=_TWENTY_MS)
            expect(one.get_by_role("heading", level=1)).to_be_visible(timeout=_TWENTY_MS)
        assert errors == []
    finally:
        for context in contexts:
            context.close()
