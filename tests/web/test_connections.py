"""The page's server against clients that send odd requests, fall silent, or go away."""

import json
import re
import signal
import socket
from contextlib import ExitStack, contextmanager, suppress

import pytest
from starlette.responses import StreamingResponse
from starlette.routing import Route

from asking import change
from noughts.web import app, play, safety
from noughts.web.server import own_addresses
from waiting import LIMIT_S, until

SILENT = {
    "no request": (b"", b""),
    "half a header": (b"GET / HTTP/1.1\r\nHost: HERE\r\n", b""),
    "half a second request": (b"GET / HTTP/1.1\r\nHost: HERE\r\n\r\n", b"G"),
    "no body": (b"GET / HTTP/1.1\r\nHost: HERE\r\nContent-Length: 9\r\n\r\n", b"12"),
    "unread answer": (b"GET /long HTTP/1.1\r\nHost: HERE\r\n\r\n", b""),
}
"""What each client sends, at first and after an answer. uvicorn itself closes a connection that is
idle for five seconds after an answer."""
LENGTH = 100_000_000


@contextmanager
def line(server, sent=b""):
    """A connection that sends this; `HERE` stands for the server's address."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=LIMIT_S) as sock:
        with suppress(ConnectionError):  # it may be closed before all is sent
            sock.sendall(sent.replace(b"HERE", f"127.0.0.1:{server.port}".encode()))
        yield sock


def rest(sock):
    """Everything that arrives until the server closes the connection."""
    parts = []
    with suppress(ConnectionError):
        while part := sock.recv(65_536):
            parts.append(part)
    return b"".join(parts)


@pytest.mark.parametrize(("sent", "later"), SILENT.values(), ids=SILENT)
def test_half_open_connections_make_room_for_others(serve, monkeypatch, sent, later):
    ours = app.routes
    long_one = Route("/long", lambda _: StreamingResponse(b"x" * 100_000 for _ in range(1000)))
    monkeypatch.setattr(app, "routes", lambda: [*ours(), long_one])
    monkeypatch.setattr(safety, "MAX_OPEN", 4)
    server = serve()
    with ExitStack() as stack:
        lines = []
        for _ in range(12):
            lines.append(stack.enter_context(line(server, sent)))
            if sent.endswith(b"\r\n\r\n"):  # wait, or a later, unanswered one may be closed
                lines[-1].recv(1, socket.MSG_PEEK)
                lines[-1].sendall(later)
        assert server.ask("GET", "/")[0] == 200
        for sock in lines[:8]:
            assert len(rest(sock)) < LENGTH


def test_signal_ends_the_server(command):
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
def test_address_cannot_escape_the_static_folder(server, address):
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
def test_every_answer_has_security_headers(server, path, method, expected, monkeypatch):
    monkeypatch.setattr(play, "analysis_of", lambda *_: 1 / 0)
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


STREAM = b"GET /api/live HTTP/1.1\r\nHost: HERE\r\n\r\n"


def status(sock):
    return sock.recv(65_536).split(b" ", 2)[1]


def test_streams_per_address_are_limited(serve, monkeypatch):
    monkeypatch.setattr(safety, "MAX_STREAMS", 3)
    server = serve()
    with line(server, b"GET / HTTP/1.1\r\nHost: HERE\r\n\r\n") as other:
        assert status(other) == b"200"  # this does not make room for another stream
    with ExitStack() as stack:
        lines = [stack.enter_context(line(server, STREAM)) for _ in range(3)]
        assert [status(line) for line in lines] == [b"200"] * 3
        with line(server, STREAM) as refused:
            assert status(refused) == b"429"
        lines[0].close()

        def is_opened():  # once the server has ended the first one
            with line(server, STREAM) as sock:
                return status(sock) == b"200"

        until(is_opened)


def test_new_connection_replaces_an_idle_one_but_not_a_stream(serve, monkeypatch):
    monkeypatch.setattr(safety, "MAX_OPEN", 2)
    server = serve()
    with line(server, STREAM) as sock, line(server) as silent:
        assert status(sock) == b"200"
        assert server.ask("GET", "/")[0] == 200
        assert rest(silent) == b""
        server.live_boards.words.set("news", "of today")
        received = b""
        while b"of today" not in received:
            received += (part := sock.recv(65_536))
            assert part


def test_forwarded_address_is_not_trusted(serve):
    server = serve(lan=True)
    lie = change(server.site, x_forwarded_for="192.0.2.7")
    assert server.ask("POST", "/nothing", b"{}", **lie)[0] == 404  # not 403


def test_server_without_lan_refuses_connections_from_the_network(server):
    for address in own_addresses():
        with pytest.raises(OSError, match="refused"):
            socket.create_connection((address, server.port), timeout=LIMIT_S).close()
