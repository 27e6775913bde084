"""Pictures of `noughts web`: one for the README, and every page at three widths, light and dark.

The latter are in build/pages, to be looked at: page-width-scheme.png. Their games are random.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import product
from pathlib import Path
from random import Random
from typing import Literal

from playwright.sync_api import Browser, Page, sync_playwright

from noughts.store import timestamps
from noughts.store.store import Store
from noughts.web.pages import PAGES
from random_games import random_game

EVERY_PAGE = Path(__file__).resolve().parents[1] / "build" / "pages"
_WIDTHS = (360, 1024, 1920)
_SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
_GAMES = 60
_PLAYED = "/?opponent=easy&moves=0417"
_SEARCHED = "/learn?position=..XXOO.XO"
_SETTLE_MS = 1500


def readme(path: Path) -> None:
    """The page Play, in the middle of a game."""
    with _shown() as (page, url):
        page.set_viewport_size({"width": 1024, "height": 880})
        page.goto(url + _PLAYED)
        page.get_by_label("What each free cell is worth").check()
        page.wait_for_timeout(_SETTLE_MS)
        page.screenshot(path=path)


def every_page(_: Path) -> None:
    """All pages, into `EVERY_PAGE`."""
    shutil.rmtree(EVERY_PAGE, ignore_errors=True)
    EVERY_PAGE.mkdir(parents=True)
    addresses = {name: address.format(number=_GAMES) for name, (address, *_) in PAGES.items()}
    addresses |= {"play": _PLAYED, "learn": _SEARCHED}
    with _shown() as (page, url):
        for (name, address), scheme in product(addresses.items(), _SCHEMES):
            page.emulate_media(color_scheme=scheme)
            page.goto(url + address)
            for width in _WIDTHS:
                page.set_viewport_size({"width": width, "height": 900})
                page.wait_for_timeout(_SETTLE_MS)
                page.screenshot(path=EVERY_PAGE / f"{name}-{width}-{scheme}.png", full_page=True)


@contextmanager
def _shown() -> Iterator[tuple[Page, str]]:
    """A browser, and the address of a server with two boards and some games."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        db = Path(folder) / "games.db"
        _fill(db)
        words = ["web", "--no-browser", "--port", "0", "--boards", "2", "--db", str(db)]
        server = subprocess.Popen(
            [sys.executable, "-m", "noughts", *words], stderr=subprocess.PIPE, text=True
        )
        try:
            assert server.stderr is not None
            found = re.search(r"http://[\w.:]+", server.stderr.readline())
            assert found
            browser = _chromium(playwright.chromium.launch)
            yield browser.new_page(), found[0]
            browser.close()
        finally:
            server.terminate()
            server.wait()


def _chromium(launch: object) -> Browser:
    path = shutil.which("chromium") or shutil.which("chromium-browser")
    if path is None:
        raise SystemExit("Chromium draws the pictures; install it (apt-get install chromium)")
    browser = launch(executable_path=path, chromium_sandbox=False)  # type: ignore[operator]
    assert isinstance(browser, Browser)
    return browser


def _fill(db: Path) -> None:
    dice = Random(3)
    begins = timestamps.now() - _GAMES * 60_000
    with Store(db, create=True) as store:
        for number in range(1, _GAMES + 1):
            board = f"usb-{number % 3}"
            for game in random_game("00000A83", number, dice):
                store.keep(board, game, begins + number * 60_000 + game.ms)
        for board, name in (("usb-0", "red table"), ("usb-1", "blue table")):
            store.name_board(board, name)
