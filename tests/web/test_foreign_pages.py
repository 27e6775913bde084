"""The page's server against pages from elsewhere, and other computers."""

import http.server
import re
import socket
import threading

import pytest
from playwright.sync_api import expect
from websockets.exceptions import InvalidStatus

from noughts.web.server import own_addresses
from raw_requests import WAIT_S, change, head, open_socket, rest, state


@pytest.mark.parametrize("origin", ["http://evil.example", "null", None])
def test_a_foreign_websocket(echo, origin):
    with pytest.raises(InvalidStatus) as refused, open_socket(echo(), origin=origin):
        pass
    assert refused.value.response.status_code == 403


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
    status, _, _ = server.ask(
        "POST", "/nothing", b"{}", **change(server, X_Forwarded_For="192.0.2.7")
    )
    assert status == 404  # not 403: that is not believed here either
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
