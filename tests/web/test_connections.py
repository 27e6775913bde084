"""The page's server against programs that ask oddly, fall silent, or go away."""

import json
import re
import signal
import socket
from contextlib import ExitStack, contextmanager, suppress

import pytest
from starlette.responses import StreamingResponse
from starlette.routing import Route
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect

from needed import long
from noughts.web import app, safety
from noughts.web import server as web_server
from waiting import LIMIT_S, until

SILENT = {
    "nothing": b"",
    "half a head": b"GET / HTTP/1.1\r\nHost: HERE\r\n",
    "half a second request": b"GET /static/icon.svg HTTP/1.1\r\nHost: HERE\r\n\r\nG",
    "no body": b"GET / HTTP/1.1\r\nHost: HERE\r\nContent-Length: 9\r\n\r\n12",
    "no reader": b"GET /long HTTP/1.1\r\nHost: HERE\r\n\r\n",
}
LENGTH = 100_000_000


@contextmanager
def line(server, sent=b""):
    """A connection that sends this much; `HERE` stands for the server's name."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=LIMIT_S) as sock:
        with suppress(ConnectionError):  # it may be closed before all is sent
            sock.sendall(sent.replace(b"HERE", f"127.0.0.1:{server.port}".encode()))
        yield sock


def rest(sock):
    """All that comes until the server closes the connection."""
    parts = []
    with suppress(ConnectionError):
        while part := sock.recv(65_536):
            parts.append(part)
    return b"".join(parts)


def open_socket(server):
    address = f"ws://127.0.0.1:{server.port}/api/live"
    return connect(address, origin=server.url, open_timeout=LIMIT_S)


def is_answered(sock, message="[]"):
    sock.send(message)
    while "error" not in json.loads(sock.recv(LIMIT_S)):
        pass


@pytest.mark.parametrize("sent", [long(SILENT[name], id=name) for name in list(SILENT)[:4]])
def test_hundreds_of_half_open_connections_keep_nobody_out(command, sent):
    server = command("--boards", "0", files=256)
    with ExitStack() as stack:
        lines = [stack.enter_context(line(server, sent)) for _ in range(600)]
        assert server.ask("GET", "/")[0] == 200
        for sock in lines[:400]:
            rest(sock)


@pytest.mark.parametrize("sent", SILENT.values(), ids=SILENT)
def test_half_open_connections_make_room_for_others(serve, monkeypatch, sent):
    ours = app.routes
    long_one = Route("/long", lambda _: StreamingResponse(b"x" * 100_000 for _ in range(1000)))
    monkeypatch.setattr(app, "routes", lambda: [*ours(), long_one])
    monkeypatch.setattr(safety, "_MAX_OPEN", 4)
    server = serve()
    with ExitStack() as stack:
        lines = [stack.enter_context(line(server, sent)) for _ in range(12)]
        assert server.ask("GET", "/")[0] == 200
        for sock in lines[:8]:
            assert len(rest(sock)) < LENGTH


def test_a_signal_ends_the_server(command):
    status, printed = command("--boards", "0").end(signal.SIGTERM)
    assert status == -signal.SIGTERM and printed.count("\n") == 1


ADDRESSES = [
    "/static/../pages/play.html", "/static/%2e%2e/app.py", "/static/..%2fapp.py",
    "/static/..\\app.py", "/static/..%5capp.py", "/static/%252e%252e/app.py", "/static/",
    "/static", "/static//etc/passwd", "//etc/passwd", "/../../../../../etc/passwd",
    "/%2e%2e/%2e%2e/%2e%2e/etc/passwd", "/etc/passwd%00.js", "/static/style.css%00",
    "/app.py", "/pages/play.html", "/static/%00", "/%ff%fe", "/%",
    "http://evil.example/", "file:///etc/passwd", "*", "/.git/config", "/games.db",
    "/games/../../etc/passwd", "/games/..%2f..%2fetc%2fpasswd/x", "/api/games/..%5cpasswd",
]  # fmt: skip


def test_no_address_leads_out_of_the_folder(server):
    for address in ADDRESSES:
        asked = f"GET {address} HTTP/1.1\r\nHost: HERE\r\nConnection: close\r\n\r\n"
        with line(server, asked.encode()) as sock:
            answer = rest(sock)
        assert re.match(rb"HTTP/1\.1 (404|400) ", answer), address
        assert not re.search(rb"root:|import|<h1>", answer), address


HOSTILE = [
    b"TRACE / HTTP/1.1\r\nHost: HERE\r\n\r\n",
    b"GET / HTTP/1.1\r\n\r\n",
    b"GET http://HERE/ HTTP/1.1\r\nHost: evil.example\r\n\r\n",
    b"GET /" + b"a" * 100_000 + b" HTTP/1.1\r\nHost: HERE\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: HERE\r\nX: " + b"a" * 200_000,
    b"GET / HTTP/1.1\r\nHost: HERE\r\n" + b"X: a\r\n" * 50_000,
    b"POST / HTTP/1.1\r\nHost: HERE\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
    b"POST / HTTP/1.1\r\nHost: HERE\r\nTransfer-Encoding: chunked, gzip\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: HERE\r\nX: a\r\n b\r\n\x00: c\r\n\r\n",
    b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\xff" * 512,
    b"GET /api/live HTTP/1.1\r\nHost: HERE\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n",
]


def test_hostile_requests_are_refused(server):
    for asked in HOSTILE:
        with line(server, asked) as sock:
            with suppress(OSError):  # it may be closed already
                sock.shutdown(socket.SHUT_WR)
            answer = rest(sock)
        # What is long may be reset before it is all sent, and then the answer is lost.
        refused = re.match(rb"HTTP/1\.1 4\d\d ", answer)
        assert refused or (len(asked) > 65_536 and not answer), asked


@pytest.mark.parametrize("size", [70_000, 10_000_000])
def test_a_message_that_is_too_long_ends_its_websocket(serve, size):
    server = serve()
    with open_socket(server) as sock:
        is_answered(sock, "x" * 65_000)
        with pytest.raises(ConnectionClosed):
            is_answered(sock, "x" * size)
        assert sock.protocol.close_code in (1009, 1006)  # or reset while all of it was sent
    assert server.ask("GET", "/")[0] == 200


@pytest.mark.parametrize("most", [3, long(safety._MAX_SOCKETS)])
def test_an_address_has_only_so_many_websockets(serve, monkeypatch, most):
    monkeypatch.setattr(safety, "_MAX_SOCKETS", most)
    server = serve()
    with ExitStack() as stack:
        first, *_ = [stack.enter_context(open_socket(server)) for _ in range(most)]
        with pytest.raises(InvalidStatus):
            stack.enter_context(open_socket(server))
        first.close()

        def is_opened():
            with suppress(InvalidStatus):  # until the server has ended the first one
                return stack.enter_context(open_socket(server))

        until(is_opened)


def test_a_websocket_whose_browser_is_gone_is_closed(serve, monkeypatch):
    """Its computer sleeps: the connection stands, and nobody answers."""
    monkeypatch.setattr(web_server, "_PING_S", 0.2)
    upgrade = (
        b"GET /api/live HTTP/1.1\r\nHost: HERE\r\nOrigin: http://HERE\r\nConnection: Upgrade\r\n"
        b"Upgrade: websocket\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
        b"Sec-WebSocket-Version: 13\r\n\r\n"
    )
    with line(serve(), upgrade) as sock:
        assert rest(sock).startswith(b"HTTP/1.1 101 ")


def test_new_connections_do_not_replace_a_websocket(serve, monkeypatch):
    monkeypatch.setattr(safety, "_MAX_OPEN", 1)
    server = serve()
    with open_socket(server) as sock:
        for _ in range(3):
            assert server.ask("GET", "/")[0] == 200
        is_answered(sock)
