"""The page's server against pages from elsewhere, and other computers."""

import http.server
import socket
import threading
from functools import partial

import pytest
from playwright.sync_api import expect

from asking import change
from noughts.web.server import own_addresses
from waiting import LIMIT_S

ATTACK = """
<!doctype html><title>elsewhere</title>
<form action="TARGET/api/echo" method="post" enctype="text/plain">
<input name='{"a":"' value='"}'></form>
<form action="TARGET/api/echo" method="post"><input name="a" value="1"></form>
"""
TRY = """async (target) => {
  const tried = {};
  const json = { 'Content-Type': 'application/json' };
  const attempts = {
    simple: [`${target}/api/echo`, { method: 'POST', mode: 'no-cors', body: '{}' }],
    preflight: [`${target}/api/echo`, { method: 'POST', headers: json, body: '{}' }],
    read: [`${target}/api/play`, {}],
    opaque: [`${target}/api/play`, { mode: 'no-cors' }],
  };
  for (const [name, [address, options]] of Object.entries(attempts)) {
    try {
      tried[name] = (await fetch(address, options)).type;
    } catch {
      tried[name] = 'refused';
    }
  }
  tried.socket = await new Promise((resolve) => {
    const socket = new WebSocket(`${target.replace('http', 'ws')}/socket`);
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


@pytest.fixture
def elsewhere(server, tmp_path):
    """Serves a page of another origin, with forms for our server; gives its port."""
    (tmp_path / "index.html").write_text(ATTACK.replace("TARGET", server.url))
    handler = partial(http.server.SimpleHTTPRequestHandler, directory=tmp_path)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as other:
        thread = threading.Thread(target=other.serve_forever)
        thread.start()
        yield other.server_port
        other.shutdown()
        thread.join()


@pytest.fixture
def stranger(chromium):
    """A page whose console may say what it likes."""
    context = chromium.new_context()
    context.set_default_timeout(LIMIT_S * 1000)
    yield context.new_page()
    context.close()


@pytest.mark.parametrize("name", ["127.0.0.1", "evil.localhost"])
def test_a_page_from_elsewhere_changes_nothing(echo, server, elsewhere, stranger, name):
    there = f"http://{name}:{elsewhere}/"
    stranger.goto(there)
    tried = stranger.evaluate(TRY, server.url)
    assert tried.pop("simple") in ("opaque", "refused")  # it was sent; it was answered 403
    assert tried.pop("opaque") in ("opaque", "refused")
    assert set(tried.values()) == {"refused"}
    for number in (0, 1):
        stranger.goto(there)
        stranger.evaluate(f"document.forms[{number}].submit()")
        stranger.wait_for_url(f"{server.url}/api/echo")
        expect(stranger.locator("body")).to_contain_text(
            "only this server's own pages may ask that"
        )
    assert echo.changes == 0


def test_a_forwarded_address_is_not_believed(serve):
    server = serve(lan=True)
    lie = change(server.site, x_forwarded_for="192.0.2.7")
    assert server.ask("POST", "/nothing", b"{}", **lie)[0] == 404  # not 403


def test_only_this_computer_is_answered_without_lan(server):
    for address in own_addresses():
        with pytest.raises(OSError, match="refused"):
            socket.create_connection((address, server.port), timeout=LIMIT_S).close()
