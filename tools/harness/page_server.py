"""The page's server: in a thread of the tests, or `noughts web` in its own process."""

import http.client
import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path

from noughts.web.app import application
from noughts.web.live import live_boards
from noughts.web.safety import Site
from noughts.web.server import http_server, listening, own_addresses
from waiting import LIMIT_S


class _Served:
    port: int

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def ask(
        self, method: str, address: str, body: bytes | None = None, **headers: str
    ) -> tuple[int, Mapping[str, str], bytes]:
        """Send a request without a browser; `_` in a header's name stands for `-`."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=LIMIT_S)
        with closing(connection):
            connection.request(method, address, body, named)
            response = connection.getresponse()
            return response.status, dict(response.headers.items()), response.read()


class ThreadServer(_Served):
    """The page's server, in a thread of this process."""

    def __init__(self, db: Path, boards: int = 0, lan: bool = False, port: int = 0) -> None:
        self.db = db
        self._sock = listening(port, lan)
        self.port = self._sock.getsockname()[1]
        hosts = (*Site.hosts, *own_addresses()) if lan else Site.hosts
        self.site = Site(db, self.port, hosts, lan, boards)
        self.live_boards = live_boards(self.site)
        ready = threading.Event()
        self._server = http_server(application(self.site, self.live_boards, ready.set))
        self._thread = threading.Thread(target=self._server.run, args=([self._sock],))
        self._thread.start()
        assert ready.wait(LIMIT_S)

    def close(self) -> None:
        """End it, as a signal does."""
        self._server.should_exit = True
        self._thread.join()
        self._sock.close()


class Server(_Served):
    """`noughts web`, or a similar program, in its own process, on a port that the system picks."""

    def __init__(
        self, folder: Path, *words: str, program: Sequence[str] = ("-m", "noughts")
    ) -> None:
        home = {"HOME": str(folder), "XDG_DATA_HOME": str(folder), "PYTHONUTF8": "1"}
        started = [sys.executable, *program, "web", "--no-browser", "--port", "0", *words]
        env = {**os.environ, **home}
        self.process = subprocess.Popen(
            started, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=env
        )
        assert self.process.stderr is not None
        self._printed = self.process.stderr.readline()
        match = re.fullmatch(
            rb"noughts is at http://127.0.0.1:(\d+)/ \(Ctrl-C ends\)\n", self._printed
        )
        assert match, self._printed + self.process.stderr.read()
        self.port = int(match[1])

    def end(self, number: int = signal.SIGINT) -> tuple[int, str]:
        """Send a signal; returns the exit status, and everything that it has printed."""
        self.process.send_signal(number)
        _, rest = self.process.communicate(timeout=LIMIT_S)
        return self.process.returncode, (self._printed + rest).decode()

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate()
