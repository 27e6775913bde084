"""The site opens without the internet, once it was open, and brings itself up to date."""

import functools
import http.server
import re
import threading

import pytest
from playwright.sync_api import expect

import build_page
from noughts.boards.flash import our_hex
from waiting import until


class Handler(http.server.SimpleHTTPRequestHandler):
    """Browsers may keep each file for ten minutes, as those of GitHub Pages."""

    def do_GET(self):
        del self.headers["If-Modified-Since"]  # in seconds: two versions may be of the same one
        super().do_GET()

    def end_headers(self):
        self.send_header("Cache-Control", "max-age=600")
        super().end_headers()

    def log_message(self, *_):
        pass


@pytest.fixture
def site(tmp_path, no_library):
    """The site's address, and what stops its server."""
    build_page.build_site(tmp_path, our_hex(), build_page.UsbLibrary(no_library, ""))
    handler = functools.partial(Handler, directory=tmp_path)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()

    def stop():
        server.shutdown()
        thread.join()
        server.server_close()

    yield f"http://127.0.0.1:{server.server_port}/", stop
    if thread.is_alive():
        stop()


def test_site_opens_without_the_internet_in_its_latest_version(chromium, site, tmp_path):
    address, stop = site
    page = chromium.new_page()
    page.goto(address)
    page.wait_for_selector("html[data-ready]")
    page.evaluate("navigator.serviceWorker.ready.then(() => caches.open('of another page'))")
    index, worker = tmp_path / "index.html", tmp_path / "service_worker.js"
    index.write_text(index.read_text("utf-8") + "<!-- later -->", "utf-8")
    worker.write_text(re.sub("noughts-[0-9a-f]+", "noughts-later", worker.read_text("utf-8")))
    page.evaluate("navigator.serviceWorker.ready.then((worker) => worker.update())")
    names = ["noughts-later", "of another page"]
    until(lambda: sorted(page.evaluate("caches.keys()")) == names, "only the later version")
    stop()
    shown = page.evaluate("fetch('./').then((response) => response.text())")
    assert shown == index.read_text("utf-8")
    for name in ("noughts.hex", "manifest.webmanifest", "icon.svg"):
        assert page.evaluate("(name) => fetch(name).then((response) => response.ok)", name), name
    page.goto(f"{address}?from=elsewhere")
    page.wait_for_selector("html[data-ready]")
    page.keyboard.press("5")
    expect(page.get_by_text("The chip played")).to_be_visible()
    assert sorted(page.evaluate("caches.keys()")) == names
    page.close()
