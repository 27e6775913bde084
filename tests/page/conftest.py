"""The page that needs nothing installed, opened from a file in Chromium."""

import itertools
import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page

import build_page
from browser import HEADLESS_SHELL
from chromium import chromium_or_skip
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
    with chromium_or_skip(HEADLESS_SHELL) as browser:
        yield browser


@pytest.fixture(scope="package")
def page_file(tmp_path_factory: pytest.TempPathFactory, no_library: str) -> Path:
    """The page without flash images and the USB library."""
    path = tmp_path_factory.mktemp("page") / "noughts.html"
    library = build_page.UsbLibrary(no_library, "")
    modules = {"page/usb_library.js": library.code}
    path.write_text(build_page.render(build_page.SECTIONS, modules, {}, library, False), "utf-8")
    return path


@contextmanager
def opener(chromium: Browser, page_file: Path) -> Iterator[Callable[..., Page]]:
    """Opens the page in a new profile; a script that fails is noticed in the end."""
    contexts, errors = [], []

    def open_page(
        path: Path | None = None,
        part: str = "",
        prepare: Callable[[BrowserContext], object] = lambda context: None,
        **options: object,
    ) -> Page:
        context = chromium.new_context(**({"locale": "en-GB"} | options))
        context.set_default_timeout(LIMIT_S * 1000)
        contexts.append(context)
        prepare(context)
        page = context.new_page()
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on("console", lambda line: errors.extend([line.text] if line.type == "error" else ()))
        page.goto(f"{(path or page_file).as_uri()}#{part}")
        page.wait_for_selector("html[data-ready]")
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert not errors


@pytest.fixture
def open_page(chromium: Browser, page_file: Path) -> Iterator[Callable[..., Page]]:
    """Opens the page for one test."""
    with opener(chromium, page_file) as open_page:
        yield open_page


@pytest.fixture(scope="module")
def open_shared_page(chromium: Browser, page_file: Path) -> Iterator[Callable[..., Page]]:
    """Opens the page for tests that leave it as it is."""
    with opener(chromium, page_file) as open_page:
        yield open_page


@pytest.fixture(scope="module")
def reopen(open_shared_page: Callable[..., Page]) -> Callable[..., Page]:
    """Opens the page in the tab and the profile of earlier tests, without what they stored.

    Each time, its address has another query: a change of its fragment alone loads nothing.
    """
    page = open_shared_page()
    devtools = page.context.new_cdp_session(page)
    numbers = itertools.count()

    def opened(path: Path, part: str) -> Page:
        for other in page.context.pages:
            if other != page:
                other.close()
        devtools.send("Storage.clearDataForOrigin", {"origin": "file://", "storageTypes": "all"})
        page.goto(f"{path.as_uri()}?{next(numbers)}#{part}")
        page.wait_for_selector("html[data-ready]")
        return page

    return opened


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
