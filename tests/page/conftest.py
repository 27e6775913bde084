"""The page that needs nothing installed, opened from a file in Chromium."""

import itertools
import json
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

import build_page
from browser import HEADLESS_SHELL, open_chromium
from chromium import or_skip
from needed import missing
from noughts.boards.flash import our_hex
from waiting import LIMIT_S

if os.name != "posix":
    collect_ignore_glob = ["test_*.py"]  # as for the other tests in Chromium


@pytest.fixture(scope="session")
def no_library() -> str:
    """A module instead of the USB library, for which npm is needed."""
    return "export const createUSBConnection = () => { throw new Error('not in this page'); };"


@pytest.fixture(scope="package")
def chromium() -> Iterator[Browser]:
    with or_skip(open_chromium(HEADLESS_SHELL)) as browser:
        yield browser


@pytest.fixture(scope="package")
def page_file(tmp_path_factory: pytest.TempPathFactory, no_library: str) -> Path:
    """The page without flash images and the USB library."""
    path = tmp_path_factory.mktemp("page") / "noughts.html"
    library = build_page.UsbLibrary(no_library, "")
    modules = {"page/usb_library.js": library.code}
    path.write_text(build_page.render(build_page.SECTIONS, modules, {}, library, False), "utf-8")
    return path


class Tab:
    """A tab that tests use one after another: each new profile would start a process."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self._devtools = page.context.new_cdp_session(page)
        self._devtools.send("Page.enable")  # or else it forgets scripts
        self._functions: dict[str, Callable[..., object]] = {}
        self._script_id = ""
        self._numbers = itertools.count()

    def open(
        self,
        path: Path,
        part: str = "",
        script: str = "",
        functions: Mapping[str, Callable[..., object]] = {},
    ) -> Page:
        """Open the page without what earlier tests stored.

        script: runs before those of the page, which can call these functions.
        """
        for other in self.page.context.pages:
            if other != self.page:
                other.close()
        # The page of the test before may still write. From `about:blank`, which is no file, the
        # next page would start another process.
        nothing = path.with_name("nothing.html")
        nothing.touch()
        self.page.goto(nothing.as_uri())
        for name, function in functions.items():
            self._expose(name, function)
        if self._script_id:
            old = {"identifier": self._script_id}
            self._devtools.send("Page.removeScriptToEvaluateOnNewDocument", old)
        added = self._devtools.send("Page.addScriptToEvaluateOnNewDocument", {"source": script})
        self._script_id = added["identifier"]
        everything = {"origin": "file://", "storageTypes": "all"}
        self._devtools.send("Storage.clearDataForOrigin", everything)
        # With another query each time: a change of its fragment alone loads nothing.
        self.page.goto(f"{path.as_uri()}?{next(self._numbers)}#{part}")
        expect(self.page.locator("html[data-ready]")).to_be_attached()
        return self.page

    def _expose(self, name: str, function: Callable[..., object]) -> None:
        if name not in self._functions:
            self.page.expose_function(name, lambda *values: self._functions[name](*values))
        self._functions[name] = function


@contextmanager
def opener(chromium: Browser) -> Iterator[Callable[..., Tab]]:
    """Opens tabs, each with a profile of its own; a script that fails is noticed in the end."""
    contexts, errors = [], []

    def open_tab(**options: object) -> Tab:
        context = chromium.new_context(**({"locale": "en-GB"} | options))
        context.set_default_timeout(LIMIT_S * 1000)
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on("console", lambda line: errors.extend([line.text] if line.type == "error" else ()))
        return Tab(page)

    yield open_tab
    for context in contexts:
        context.close()
    assert not errors, errors


@pytest.fixture(scope="module")
def open_shared_tab(chromium: Browser) -> Iterator[Callable[..., Tab]]:
    """Opens tabs for several tests."""
    with opener(chromium) as open_tab:
        yield open_tab


@pytest.fixture(scope="module")
def tab(open_shared_tab: Callable[..., Tab]) -> Tab:
    """The tab of all tests that need no options."""
    return open_shared_tab()


@pytest.fixture(scope="module")
def stepped_tab(open_shared_tab: Callable[..., Tab]) -> Tab:
    """A tab whose clock can be stopped."""
    tab = open_shared_tab()
    tab.page.clock.install(time=0)
    return tab


@pytest.fixture
def open_tab(chromium: Browser) -> Iterator[Callable[..., Tab]]:
    """Opens tabs for one test."""
    with opener(chromium) as open_tab:
        yield open_tab


@pytest.fixture
def open_page(open_tab: Callable[..., Tab], tab: Tab, page_file: Path) -> Callable[..., Page]:
    """Opens the page in the shared tab, or with options in a tab of its own."""

    def open_page(
        path: Path = page_file,
        part: str = "",
        script: str = "",
        functions: Mapping[str, Callable[..., object]] = {},
        **options: object,
    ) -> Page:
        chosen_tab = open_tab(**options) if options else tab
        return chosen_tab.open(path, part, script, functions)

    return open_page


@pytest.fixture
def open_stepped_page(stepped_tab: Tab) -> Callable[..., Page]:
    """Opens a page for which time passes only with `page.clock.run_for`."""

    def open_stepped_page(path: Path, part: str = "", script: str = "") -> Page:
        stepped_tab.page.clock.resume()  # to load the page
        page = stepped_tab.open(path, part, script)
        page.clock.pause_at(page.evaluate("Date.now()") / 1000 + 1)
        return page

    return open_stepped_page


class Modules:
    """The modules of a page."""

    def __init__(self, page: Page) -> None:
        self._page = page

    def evaluate(self, function: str, argument: object = None) -> Any:
        """The result of a function, which may `await import('page/chip.js')`.

        Values go as JSON: Playwright's own way takes several times as long for many of them.
        """
        as_json = f"async (text) => JSON.stringify(await ({function})(JSON.parse(text)))"
        return json.loads(self._page.evaluate(as_json, json.dumps(argument)))


@pytest.fixture(scope="module")
def modules(chromium: Browser, page_file: Path) -> Iterator[Modules]:
    context = chromium.new_context()
    page = context.new_page()
    page.goto(page_file.as_uri())
    page.wait_for_selector("html[data-ready]")
    yield Modules(page)
    context.close()


@pytest.fixture(scope="package")
def screen_file(tmp_path_factory: pytest.TempPathFactory, no_library: str) -> Path:
    """The page with flash images, without the USB library."""
    path = tmp_path_factory.mktemp("screen") / "noughts.html"
    library = build_page.UsbLibrary(no_library, "")
    path.write_text(build_page.whole_page(our_hex(), library), "utf-8")
    return path


@pytest.fixture(scope="package")
def whole_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The whole page, with flash images and the USB library from npm."""
    try:
        library = build_page.usb_library()
    except build_page.BuildError as error:
        missing(str(error))
    path = tmp_path_factory.mktemp("whole") / "noughts.html"
    path.write_text(build_page.whole_page(our_hex(), library), "utf-8")
    return path
