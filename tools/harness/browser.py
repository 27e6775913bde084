"""A real Chromium, and requests of its pages that a test can hold back."""

import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from playwright.sync_api import (
    Browser,
    BrowserType,
    Locator,
    Page,
    Playwright,
    Route,
    expect,
    sync_playwright,
)

from programs import INSTALL, MissingProgramError
from waiting import LIMIT_S

HEADLESS_SHELL = "chromium-headless-shell"
"""Chromium's engine without what surrounds a page: it takes less CPU, and has no sensors."""
# Where a system lets only some programs have a sandbox, Chrome is one of them.
_NAMES = ("google-chrome", "chromium", "chromium-browser", "chrome", "msedge")

HIDE = """(value) => {
  Object.defineProperty(document, 'hidden', { value, configurable: true });
  document.dispatchEvent(new Event('visibilitychange'));
}"""
"""Hides a page or shows it, as when another tab is chosen."""


@contextmanager
def open_chromium(*preferred: str) -> Iterator[Browser]:
    """The system's Chromium, or else Playwright's own.

    preferred: names of programs that come before all others.
    Raises `MissingProgramError` if there is none, or if Playwright's driver, a Node.js program,
    does not start.
    """
    with _driver() as playwright, launched(playwright.chromium, *preferred) as browser:
        yield browser


@contextmanager
def launched(chromium: BrowserType, *preferred: str) -> Iterator[Browser]:
    """The same with a driver that runs already; a thread can have only one."""
    # Its sandbox refuses to run as root, the only user in many containers.
    root = hasattr(os, "geteuid") and os.geteuid() == 0
    names = (*preferred, *_NAMES)
    path = next((path for path in map(shutil.which, names) if path), chromium.executable_path)
    if not Path(path).exists():
        raise MissingProgramError(f"Chromium is missing; {INSTALL}")
    browser = chromium.launch(
        executable_path=path, chromium_sandbox=not root, args=["--disable-dev-shm-usage"]
    )
    yield browser
    browser.close()


@contextmanager
def _driver() -> Iterator[Playwright]:
    with ExitStack() as stack:
        try:
            playwright = stack.enter_context(sync_playwright())
        except Exception:  # it has no class of its own, and does not say why
            if not (reason := _driver_failure()):
                raise
            advice = f"; {INSTALL}" if "libatomic" in reason else ""
            text = f"Playwright's driver does not start ({reason}){advice}"
            raise MissingProgramError(text) from None
        yield playwright


def _driver_failure() -> str:
    """Why Playwright's driver does not start, or nothing if it does."""
    command = [sys.executable, "-m", "playwright", "--version"]
    driver = subprocess.run(command, capture_output=True, text=True)
    if not driver.returncode:
        return ""
    return (driver.stderr.strip().splitlines() or [f"status {driver.returncode}"])[-1]


def wait(page: Page, holds: Callable[[], object]) -> None:
    end = time.monotonic() + LIMIT_S
    while not holds():
        assert time.monotonic() < end
        page.wait_for_timeout(10)


def cell(page: Page, number: int) -> Locator:
    """A cell of the board in play, 1 to 9."""
    return page.get_by_role("group", name="Board").get_by_role("button").nth(number - 1)


def says(page: Page, text: str | re.Pattern[str]) -> None:
    expect(page.get_by_role("status").first).to_have_text(text)


class Held:
    """Holds a page's requests to matching addresses until a test lets them continue."""

    def __init__(self, page: Page, pattern: str | re.Pattern[str]) -> None:
        self._page = page
        self._routes: list[Route] = []
        page.route(pattern, lambda route: self._routes.append(route))

    def next(self) -> Route:
        """The first request that waits; the page may take a while to send one."""
        wait(self._page, lambda: self._routes)
        return self._routes.pop(0)
