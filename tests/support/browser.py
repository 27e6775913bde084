"""A real Chromium, and `noughts web` to look at with it."""

from __future__ import annotations

import http.client
import os
import re
import select
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from playwright.sync_api import Browser, Locator, Page, Route, expect, sync_playwright

import stand_in_ports
from needed import missing
from stand_in_ports import Plugged

_NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome", "msedge")
_START_S = 120.0


@contextmanager
def open_chromium() -> Iterator[Browser]:
    """The system's Chromium. Where it is missing, the test is skipped; in CI that is a failure.

    So it is where Playwright's driver, a node, does not start.
    """
    path = next((found for found in map(shutil.which, _NAMES) if found), None)
    if path is None:
        missing("Chromium is missing; sh tools/get_test_programs.sh installs it")
    driver = subprocess.run(
        [sys.executable, "-m", "playwright", "--version"], capture_output=True, text=True
    )
    if driver.returncode:
        reason = (driver.stderr.strip().splitlines() or [f"status {driver.returncode}"])[-1]
        get = "; sh tools/get_test_programs.sh installs libatomic1" if "libatomic" in reason else ""
        missing(f"Playwright's driver does not start ({reason}){get}")
    # Its sandbox refuses to run for root, and there is none in many containers.
    root = hasattr(os, "geteuid") and os.geteuid() == 0
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=path, chromium_sandbox=not root, args=["--disable-dev-shm-usage"]
        )
        yield browser
        browser.close()


def rest(card: Locator) -> None:
    """Wait a second of a device's: A and B within 112 ms of it are both together."""
    clock = card.locator(".facts span")
    for _ in range(2):
        expect(clock).not_to_have_text(clock.inner_text())


class Held:
    """A page's requests to such addresses wait until a test lets them go on; or only the first."""

    def __init__(self, page: Page, pattern: str, only_first: bool = False) -> None:
        self._page = page
        self._only_first = only_first
        self._count = 0
        self._routes: list[Route] = []
        page.route(pattern, self._hold)

    def _hold(self, route: Route) -> None:
        self._count += 1
        if self._only_first and self._count > 1:
            route.continue_()
        else:
            self._routes.append(route)

    def next(self) -> Route:
        """The first one that waits, or comes; a page has it later than it is asked for."""
        end = time.monotonic() + _START_S
        while not self._routes:
            assert time.monotonic() < end
            self._page.wait_for_timeout(10)
        return self._routes.pop(0)


class Server:
    """`noughts web`, or a program like it, in a process of its own, on a port of the system's.

    plugged: the micro:bits that are plugged in, if not those that really are. files: how many files
    it may open, and no more.
    """

    def __init__(
        self,
        folder: Path,
        *words: str,
        port: int = 0,
        program: Sequence[str] = ("-m", "noughts"),
        command: Sequence[str] = ("web", "--no-browser"),
        plugged: Plugged | None = None,
        files: int | None = None,
        **env: str,
    ) -> None:
        self.folder = folder
        self.hangs_up = (ConnectionResetError, BrokenPipeError) if "--patience" in words else ()
        """What a request may come to that a busy computer has begun too late."""
        home = {"HOME": str(folder), "XDG_DATA_HOME": str(folder)}
        if plugged is not None:
            program = [stand_in_ports.__file__, str(plugged.path)]
        started = [sys.executable, *program, *command, "--port", str(port), *words]
        if files is not None:
            started = ["sh", "-c", f'ulimit -n {files}; exec "$@"', "sh", *started]
        self.process = subprocess.Popen(
            started,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            env={**os.environ, **home, "PYTHONUTF8": "1", **env},
        )
        self.said = ""
        match = self._wait_for(r"noughts is at (http://([\w.]+):(\d+))/")
        self.url, self.port = match[1], int(match[3])

    def _wait_for(self, pattern: str) -> re.Match[str]:
        assert self.process.stderr is not None
        end = time.monotonic() + _START_S
        while not (match := re.search(pattern, self.said)):
            ready, _, _ = select.select([self.process.stderr], [], [], 0.1)
            data = os.read(self.process.stderr.fileno(), 65536) if ready else b""
            self.said += data.decode()
            if time.monotonic() > end or (ready and not data):
                self.close()
                raise AssertionError(f"no {pattern!r} in {self.said!r}")
        return match

    def ask(
        self, method: str, address: str, body: bytes | None = None, **headers: str
    ) -> tuple[int, Mapping[str, str], bytes]:
        """A request that no browser made; `_` in a header's name stands for `-`.

        Made again where a server without patience hangs up before it has had all of it.
        """
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        while True:
            connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=_START_S)
            with closing(connection), suppress(*self.hangs_up):
                connection.request(method, address, body, named)
                response = connection.getresponse()
                return response.status, dict(response.headers.items()), response.read()

    def token(self) -> str:
        """What a page of this start shows when it changes something."""
        match = re.search(rb'<meta name="token" content="([\w-]+)">', self.ask("GET", "/")[2])
        assert match
        return match[1].decode()

    def end(self, number: int = signal.SIGINT) -> tuple[int, str]:
        """Send a signal; gives the exit status, and all that it has printed."""
        self.process.send_signal(number)
        _, rest = self.process.communicate(timeout=_START_S)
        return self.process.returncode, self.said + rest.decode()

    def close(self) -> None:
        """End it, whatever it does."""
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate()
