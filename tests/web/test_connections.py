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

from asking import change
from noughts.web import app, play, safety
from noughts.web import server as web_server
from noughts.web.server import own_addresses
from waiting import LIMIT_S, until

SILENT = {
    "nothing": (b"", b""),
    "half a head": (b"GET / HTTP/1.1\r\nHost: HERE\r\n", b""),
    "half a second request": (b"GET / HTTP/1.1\r\nHost: HERE\r\n\r\n", b"G"),
    "no body": (b"GET / HTTP/1.1\r\nHost: HERE\r\nContent-Length: 9\r\n\r\n", b"12"),
    "no reader": (b"GET /long HTTP/1.1\r\nHost: HERE\r\n\r\n", b""),
}
"""What each sends, and what once that is answered. uvicorn itself closes a connection on which
nothing follows an answer for five seconds."""
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


def is_answered(sock, message="{}"):
    sock.send(message)
    while "error" not in json.loads(sock.recv(LIMIT_S)):
        pass


@pytest.mark.parametrize(("sent", "later"), SILENT.values(), ids=SILENT)
def test_half_open_connections_make_room_for_others(serve, monkeypatch, sent, later):
    ours = app.routes
    long_one = Route("/long", lambda _: StreamingResponse(b"x" * 100_000 for _ in range(1000)))
    monkeypatch.setattr(app, "routes", lambda: [*ours(), long_one])
    monkeypatch.setattr(safety, "_MAX_OPEN", 4)
    server = serve()
    with ExitStack() as stack:
        lines = []
        for _ in range(12):
            lines.append(stack.enter_context(line(server, sent)))
            if sent.endswith(b"\r\n\r\n"):  # else a later one, not yet answered, may have to go
                lines[-1].recv(1, socket.MSG_PEEK)
                lines[-1].sendall(later)
        assert server.ask("GET", "/")[0] == 200
        for sock in lines[:8]:
            assert len(rest(sock)) < LENGTH


def test_a_signal_ends_the_server(command):
    status, printed = command("--boards", "0").end(signal.SIGTERM)
    assert status == -signal.SIGTERM and printed.count("\n") == 1


@pytest.mark.parametrize(
    "address",
    [
        "/static/../pages/play.html", "/static/%2e%2e/app.py", "/static/..%5capp.py", "/static/",
        "/static//etc/passwd", "/static/style.css%00", "//etc/passwd", "/%ff%fe", "/games.db",
        "http://evil.example/", "/games/..%2f..%2fetc%2fpasswd/x",
    ],
)  # fmt: skip
def test_no_address_leads_out_of_the_folder(server, address):
    asked = f"GET {address} HTTP/1.1\r\nHost: HERE\r\nConnection: close\r\n\r\n"
    with line(server, asked.encode()) as sock:
        answer = rest(sock)
    assert re.match(rb"HTTP/1\.1 (404|400) ", answer)
    assert not re.search(rb"root:|import|<h1>", answer)


@pytest.mark.parametrize(
    ("path", "method", "expected"),
    [
        ("/", "GET", 200),
        ("/static/style.css", "GET", 200),
        ("/nothing", "GET", 404),
        ("/api/play?moves=1", "GET", 500),
        *(("/", method, 403) for method in ("PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "BREW")),
    ],
)
def test_what_a_browser_may_do_with_an_answer(server, path, method, expected, monkeypatch):
    monkeypatch.setattr(play, "described", lambda *_: 1 / 0)
    status, given, body = server.ask(method, path)
    assert status == expected
    assert given["content-security-policy"].startswith("default-src 'self'; ")
    assert "frame-ancestors 'none'" in given["content-security-policy"]
    assert given["x-content-type-options"] == "nosniff"
    assert given["cross-origin-resource-policy"] == "same-origin"
    assert given["referrer-policy"] == "no-referrer"
    assert given["cache-control"] == "no-store"
    assert not {"server", "access-control-allow-origin", "set-cookie"} & set(given)
    if expected != 200:
        assert list(json.loads(body)) == ["error"] and b"Traceback" not in body


def test_a_message_that_is_too_long_ends_its_websocket(serve):
    server = serve()
    with open_socket(server) as sock:
        is_answered(sock, json.dumps({"x": "x" * 65_000}))
        with pytest.raises(ConnectionClosed):
            is_answered(sock, json.dumps({"x": "x" * 70_000}))
    assert server.ask("GET", "/")[0] == 200


def test_an_address_has_only_so_many_websockets(serve, monkeypatch):
    monkeypatch.setattr(safety, "_MAX_SOCKETS", 3)
    server = serve()
    with ExitStack() as stack:
        first, *_ = [stack.enter_context(open_socket(server)) for _ in range(3)]
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


def test_a_forwarded_address_is_not_believed(serve):
    server = serve(lan=True)
    lie = change(server.site, x_forwarded_for="192.0.2.7")
    assert server.ask("POST", "/nothing", b"{}", **lie)[0] == 404  # not 403


def test_only_this_computer_is_answered_without_lan(server):
    for address in own_addresses():
        with pytest.raises(OSError, match="refused"):
            socket.create_connection((address, server.port), timeout=LIMIT_S).close()
