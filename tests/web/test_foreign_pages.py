"""The page's server against pages from elsewhere, and other computers."""

import http.server
import socket
import threading
from functools import partial

import pytest
from playwright.sync_api import expect

from asking import change
from noughts.store.store import Store
from noughts.web.server import own_addresses
from waiting import LIMIT_S

ATTACK = """
<!doctype html><title>elsewhere</title>
<form action="TARGET/api/games" method="post" enctype="text/plain">
<input name='{"a":"' value='"}'></form>
<form action="TARGET/api/games" method="post"><input name="a" value="1"></form>
"""
TRY = """async (target) => {
  const tried = {};
  const json = { 'Content-Type': 'application/json' };
  const attempts = {
    simple: [`${target}/api/games`, { method: 'POST', mode: 'no-cors', body: '{}' }],
    preflight: [`${target}/api/games`, { method: 'POST', headers: json, body: '{}' }],
    read: [`${target}/api/play`, {}],
    opaque: [`${target}/api/play`, { mode: 'no-cors' }],
  };
  for (const [name, [address, options]] of Object.entries(attempts)) {
    tried[name] = await fetch(address, options).then((answer) => answer.type, () => 'refused');
  }
  const outcome = (made) => new Promise((resolve) => {
    made.onopen = made.onload = () => resolve('open');
    made.onerror = () => resolve('refused');
  });
  tried.socket = await outcome(new WebSocket(`${target.replace('http', 'ws')}/api/live`));
  const script = document.createElement('script');
  script.src = `${target}/static/server.js`;
  document.head.append(script);
  tried.script = await outcome(script);
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


@pytest.mark.parametrize("name", ["127.0.0.1", "evil.localhost"])
def test_a_page_from_elsewhere_changes_nothing(server, elsewhere, own_page, name):
    there = f"http://{name}:{elsewhere}/"
    own_page.goto(there)
    tried = own_page.evaluate(TRY, server.url)
    assert tried.pop("simple") in ("opaque", "refused")  # it was sent; it was answered 403
    assert tried.pop("opaque") in ("opaque", "refused")
    assert set(tried.values()) == {"refused"}
    for number in (0, 1):
        own_page.goto(there)
        own_page.evaluate(f"document.forms[{number}].submit()")
        own_page.wait_for_url(f"{server.url}/api/games")
        why = "only this server's own pages may ask that"
        expect(own_page.locator("body")).to_contain_text(why)
    with Store(server.db, create=True) as store:
        assert store.read("SELECT count(*) FROM games") == [(0,)]


def test_a_forwarded_address_is_not_believed(serve):
    server = serve(lan=True)
    lie = change(server.site, x_forwarded_for="192.0.2.7")
    assert server.ask("POST", "/nothing", b"{}", **lie)[0] == 404  # not 403


def test_only_this_computer_is_answered_without_lan(server):
    for address in own_addresses():
        with pytest.raises(OSError, match="refused"):
            socket.create_connection((address, server.port), timeout=LIMIT_S).close()
