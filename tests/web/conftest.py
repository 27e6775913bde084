"""A browser for the tests of a file, and servers that always end."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if os.name != "posix":
    collect_ignore_glob = ["test_*.py"]  # they end servers by signals, and wait for pipes

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

    from browser import Server


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    """One for each file: while it is there, nothing else in this process can run an event loop."""
    from playwright.sync_api import expect

    from browser import open_chromium

    expect.set_options(timeout=120_000)  # a busy computer may be as slow as it likes
    with open_chromium() as browser:
        yield browser


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Callable[..., Server]]:
    """Starts `noughts web` with these words, with a data folder of the test's."""
    from browser import Server

    started: list[Server] = []

    def start(*words: str, **named: Any) -> Server:
        started.append(Server(tmp_path, *words, **named))
        return started[-1]

    yield start
    for one in started:
        one.close()


@pytest.fixture
def echo(serve: Callable[..., Server]) -> Callable[..., Server]:
    """Starts a server that has something to change."""
    import echo_site

    return partial(serve, program=(echo_site.__file__,), command=())


@pytest.fixture
def page(chromium: Browser) -> Iterator[Page]:
    """An empty page, whose script must not fail and which must say nothing on the console."""
    context = chromium.new_context()
    context.set_default_timeout(120_000)
    opened = context.new_page()
    errors: list[str] = []
    opened.on("pageerror", lambda error: errors.append(str(error)))
    opened.on("console", lambda said: errors.append(said.text) if said.type == "error" else None)
    opened.errors = errors  # type: ignore[attr-defined]
    yield opened
    context.close()
    assert not errors
