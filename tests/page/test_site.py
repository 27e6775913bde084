"""The site opens without the internet, once it was open."""

import functools
import http.server
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


def test_site_opens_without_the_internet(chromium, site):
    address, stop = site
    page = chromium.new_page()
    page.goto(address)
    page.wait_for_selector("html[data-ready]")
    page.evaluate("navigator.serviceWorker.ready.then(() => true)")
    assert page.evaluate("fetch('noughts.hex').then((response) => response.ok)")
    stop()
    page.reload()
    page.wait_for_selector("html[data-ready]")
    page.keyboard.press("5")
    expect(page.get_by_text("The chip played")).to_be_visible()
    page.close()


@pytest.mark.long
def test_later_version_replaces_the_stored_one(chromium, site, tmp_path, no_library):
    address, _ = site
    page = chromium.new_page()
    page.goto(address)
    page.wait_for_selector("html[data-ready]")
    page.evaluate("navigator.serviceWorker.ready.then(() => true)")
    (first_cache,) = page.evaluate("caches.keys()")
    library = build_page.UsbLibrary(f"{no_library}\nexport const isLater = true;", "")
    build_page.build_site(tmp_path, our_hex(), library)
    page.evaluate("navigator.serviceWorker.ready.then((worker) => worker.update())")
    until(lambda: page.evaluate("caches.keys()") not in ([], [first_cache]), "the later version")
    until(lambda: len(page.evaluate("caches.keys()")) == 1, "the end of the first version")
    index = page.evaluate("fetch('./').then((response) => response.text())")
    assert index == (tmp_path / "index.html").read_text("utf-8")
    page.close()
