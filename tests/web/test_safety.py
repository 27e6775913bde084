"""The page's server against other pages, other programs, and browsers that go away."""

import http.server
import json
import re
import socket
import threading
from contextlib import ExitStack, contextmanager, suppress
from functools import partial

import pytest
from playwright.sync_api import expect
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect

import echo_site
from noughts.web.server import own_addresses

WAIT_S = 120
_TWENTY_MS = 600_000


@pytest.fixture
def echo(serve):
    """Starts a server that has something to change."""
    return partial(serve, program=(echo_site.__file__,), command=())


@contextmanager
def line(server, said=b""):
    """A connection that says this much; `HERE` stands for the server's name."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=WAIT_S) as sock:
        with suppress(ConnectionError):  # it may be closed before all is said
            sock.sendall(said.replace(b"HERE", f"127.0.0.1:{server.port}".encode()))
        yield sock


def rest(sock):
    """All that comes until the server closes the connection."""
    parts = []
    with suppress(ConnectionError):
        while part := sock.recv(65_536):
            parts.append(part)
    return b"".join(parts)


def change(server, **more):
    """Headers of a page of ours that changes something."""
    good = {
        "Host": f"127.0.0.1:{server.port}",
        "Origin": server.url,
        "Content-Type": "application/json",
        "X-Noughts-Token": server.token(),
    }
    return good | more


def head(method, address, headers):
    lines = [f"{method} {address} HTTP/1.1", *(f"{k}: {v}" for k, v in headers.items())]
    return "\r\n".join([*lines, "", ""]).encode()


def state(server):
    while (answer := server.ask("GET", "/api/state"))[0] == 429:
        pass
    return json.loads(answer[2])


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
    server = echo("--patience", "0.2")
    with line(server, said) as sock:
        rest(sock)
    assert server.ask("GET", "/")[0] == 200


def test_half_a_second_request(echo):
    """The first byte of one is no reason to wait for ever for the next."""
    server = echo("--patience", "0.2")
    with line(server, b"GET /static/icon.svg HTTP/1.1\r\nHost: HERE\r\n\r\n") as sock:
        answer = b""
        while not answer.endswith(b"</svg>\n"):
            answer += sock.recv(65_536)
        with suppress(ConnectionError):
            sock.sendall(b"G")
        assert rest(sock) == b""


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
            sock.shutdown(socket.SHUT_WR)
            said = rest(sock)
        # What is long may be reset before it is all sent, and then the answer is lost.
        assert re.match(rb"HTTP/1\.1 4\d\d ", said) or (len(asked) > 65_536 and not said), asked
    status, said = server.end()
    assert (status, said.count("\n")) == (0, 1)


def open_socket(server, **named):
    named = {"origin": server.url, "open_timeout": WAIT_S} | named
    return connect(f"ws://127.0.0.1:{server.port}/echo", **named)


@pytest.mark.parametrize("origin", ["http://evil.example", "null", None])
def test_a_foreign_websocket(echo, origin):
    with pytest.raises(InvalidStatus) as refused, open_socket(echo(), origin=origin):
        pass
    assert refused.value.response.status_code == 403


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


ATTACK = """
<!doctype html><title>elsewhere</title>
<form action="TARGET/api/change" method="post" enctype="text/plain">
<input name='{"a":"' value='"}'></form>
<form action="TARGET/api/change" method="post"><input name="a" value="1"></form>
"""
TRY = """async (target) => {
  const tried = {};
  const json = { 'Content-Type': 'application/json' };
  const attempts = {
    simple: [`${target}/api/change`, { method: 'POST', mode: 'no-cors', body: '{}' }],
    preflight: [`${target}/api/change`, { method: 'POST', headers: json, body: '{}' }],
    read: [`${target}/api/state`, {}],
    opaque: [`${target}/api/state`, { mode: 'no-cors' }],
  };
  for (const [name, [address, options]] of Object.entries(attempts)) {
    try {
      tried[name] = (await fetch(address, options)).type;
    } catch {
      tried[name] = 'refused';
    }
  }
  tried.socket = await new Promise((resolve) => {
    const socket = new WebSocket(`${target.replace('http', 'ws')}/echo`);
    socket.onopen = () => resolve('open');
    socket.onerror = () => resolve('refused');
  });
  tried.script = await new Promise((resolve) => {
    const script = document.createElement('script');
    script.src = `${target}/static/server.js`;
    script.onload = () => resolve('loaded');
    script.onerror = () => resolve('refused');
    document.head.append(script);
  });
  return tried;
}"""


class Elsewhere(http.server.BaseHTTPRequestHandler):
    page = b""

    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(self.page)

    def log_message(self, *words):
        pass


@pytest.fixture
def elsewhere():
    """Serves a page of another origin; gives its port."""
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Elsewhere) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server.server_port
        server.shutdown()
        thread.join()


@pytest.fixture
def stranger(chromium):
    """A page whose console may say what it likes."""
    context = chromium.new_context()
    context.set_default_timeout(WAIT_S * 1000)
    yield context.new_page()
    context.close()


@pytest.mark.parametrize("name", ["127.0.0.1", "evil.localhost"])
def test_a_page_from_elsewhere(echo, elsewhere, stranger, name, monkeypatch):
    server = echo()
    monkeypatch.setattr(Elsewhere, "page", ATTACK.replace("TARGET", server.url).encode())
    there = f"http://{name}:{elsewhere}/"
    stranger.goto(there)
    tried = stranger.evaluate(TRY, server.url)
    assert tried.pop("simple") in ("opaque", "refused")  # it was sent; it was answered 403
    assert tried.pop("opaque") in ("opaque", "refused")
    assert set(tried.values()) == {"refused"}
    for number in (0, 1):
        stranger.goto(there)
        stranger.evaluate(f"document.forms[{number}].submit()")
        stranger.wait_for_url(f"{server.url}/api/change")
        expect(stranger.locator("body")).to_contain_text(
            "only this server's own pages may ask that"
        )
    assert state(server)["changes"] == 0


def test_a_frame_and_a_link_elsewhere(echo, elsewhere, stranger, monkeypatch):
    server = echo()
    frame = f'<a href="{server.url}/">page</a> <iframe src="{server.url}/"></iframe>'
    monkeypatch.setattr(Elsewhere, "page", frame.encode())
    with stranger.expect_response(f"{server.url}/") as framed:
        stranger.goto(f"http://evil.localhost:{elsewhere}/")
    assert framed.value.status == 403
    stranger.get_by_role("link", name="page").click()
    expect(stranger).to_have_title(re.compile("noughts$"))


def test_a_name_that_was_made_to_lead_here(serve, stranger):
    """DNS rebinding: for the browser that page is of the stranger's own origin."""
    server = serve("--boards", "0")
    answered = stranger.goto(f"http://rebound.localhost:{server.port}/")
    assert answered.status == 421
    assert server.token() not in stranger.content()


def test_our_own_page_in_a_real_browser(echo, page):
    server = echo()
    for name in ("127.0.0.1", "localhost"):
        page.goto(f"http://{name}:{server.port}/")
        post = "import('/static/server.js').then((m) => m.post('/api/change', { a: 1 }))"
        assert page.evaluate(post) == {"bytes": 7}
        heard = page.evaluate(
            """import('/static/server.js').then((m) => new Promise((resolve) => {
                m.connect('/echo', resolve);
            }))"""
        )
        assert heard == {"token": server.token()}


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


def test_other_computers_look_on(serve):
    server = serve("--boards", "0", "--lan")
    others = own_addresses()
    where = ", ".join(f"http://{address}:{server.port}/" for address in others)
    token = server.token()
    for address in others[:1]:
        there = f"{address}:{server.port}"
        with socket.create_connection((address, server.port), timeout=WAIT_S) as sock:
            sock.sendall(head("GET", "/", {"Host": there, "Connection": "close"}))
            told = rest(sock)
        assert told.startswith(b"HTTP/1.1 200 ") and token.encode() not in told
        lie = {"X-Forwarded-For": "127.0.0.1", "Content-Length": "2"}
        headers = change(server, Host=there, Origin=f"http://{there}") | lie
        with socket.create_connection((address, server.port), timeout=WAIT_S) as sock:
            sock.sendall(head("POST", "/api/change", headers) + b"{}")
            refused = rest(sock)
        assert refused.startswith(b"HTTP/1.1 403 ") and b"but change nothing" in refused
    _, said = server.end()
    here, warning = said.splitlines()
    assert here == f"noughts is at {server.url}/ (Ctrl-C ends)"
    assert warning == (
        f"other computers can look on at {where or 'no other address'}: whoever is in your network "
        "sees the boards' names and all games, and can change nothing"
    )


def test_only_this_computer_without_lan(serve):
    server = serve("--boards", "0")
    for address in own_addresses():
        with pytest.raises(OSError, match="refused"):
            socket.create_connection((address, server.port), timeout=WAIT_S).close()
