"""A browser for the tests in this folder, and servers that always end."""

import contextlib
import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

import page_server
from browser import HEADLESS_SHELL, HIDE, open_chromium
from chromium import or_skip
from live_page import stand_in_boards
from noughts.store.store import Store
from page_server import Server, ThreadServer
from sample_games import AT, HOSTILE_NAMES, filled, stages
from waiting import LIMIT_S

if os.name != "posix":
    collect_ignore_glob = ["test_*.py"]  # they end servers with signals, and wait on pipes


@pytest.fixture(scope="package")
def chromium() -> Iterator[Browser]:
    """While it runs, nothing else in this thread can run an event loop."""
    with or_skip(open_chromium(HEADLESS_SHELL)) as browser:
        yield browser


@pytest.fixture(scope="package")
def tab(chromium: Browser) -> Page:
    """The page that tests use one after another: a new one would start a process each time."""
    context = chromium.new_context()
    context.set_default_timeout(LIMIT_S * 1000)
    page = context.new_page()
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("console", lambda line: errors.extend([line.text] if line.type == "error" else ()))
    page.errors = errors  # type: ignore[attr-defined]
    return page


@pytest.fixture
def page(tab: Page) -> Iterator[Page]:
    """The tab; a script that fails or an error on the console fails the test."""
    errors: list[str] = tab.errors  # type: ignore[attr-defined]
    errors.clear()
    yield tab
    assert not errors, errors
    # Clear what the test stored, and let a page that follows its boards rest: it would go on to ask
    # for them. From an empty page, the next test would start another process.
    tab.unroute_all()
    if tab.url.startswith("http"):
        tab.evaluate(f"localStorage.clear(); sessionStorage.clear(); ({HIDE})(true)")
    tab.context.clear_cookies()


@pytest.fixture
def serve(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> Iterator[Callable[..., ThreadServer]]:
    """Starts the page's server, which must not log anything."""
    with ExitStack() as stack:
        yield lambda db=tmp_path / "games.db", **named: stack.enter_context(
            contextlib.closing(ThreadServer(db, **named))
        )
    assert not caplog.messages


@pytest.fixture
def server(serve: Callable[..., ThreadServer]) -> ThreadServer:
    return serve()


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    """A store with a board for each hostile name; for the second, it is the board's own name."""
    path = tmp_path / "hostile.db"
    for number, name in enumerate(HOSTILE_NAMES):
        board = name if number == 1 else f"usb-{number}"
        game = stages([4, 1, 0, 2, 8], number=number + 1)
        filled(path, game, board=board, at=AT + number * 60_000)
        if number != 1:
            with Store(path) as store:
                store.name_board(board, name)
    return path


@pytest.fixture
def command(tmp_path: Path, closing: Callable[..., Any]) -> Callable[..., Server]:
    """Starts `noughts web` in a process, with the test's own data folder."""
    return lambda *words: closing(Server(tmp_path, *words))


@pytest.fixture
def stand_in(monkeypatch: pytest.MonkeyPatch) -> None:
    """Makes virtual boards only record what is done to them."""
    monkeypatch.setattr(page_server, "live_boards", stand_in_boards)
