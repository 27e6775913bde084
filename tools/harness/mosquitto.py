"""Debian's own MQTT broker, on a local port of this computer; `close()` it."""

import contextlib
import getpass
import os
import random
import shutil
import socket
import subprocess
from collections.abc import Mapping
from pathlib import Path

from waiting import until

_PLACES = ("/usr/sbin", "/usr/local/sbin", "/opt/homebrew/sbin", "C:\\Program Files\\mosquitto")


def installed(name: str) -> str | None:
    """Where a program of mosquitto is; /usr/sbin is not on everybody's path."""
    return shutil.which(name, path=os.pathsep.join([os.environ.get("PATH", ""), *_PLACES]))


def is_slow(why: str) -> bool:
    """Whether a broker is late only because the computer is busy."""
    return "timed out" in why or "Keep alive" in why


def write_users(path: Path, users: Mapping[str, str]) -> None:
    path.write_text("".join(f"{user}:{password}\n" for user, password in users.items()))
    path.chmod(0o600)
    tool = installed("mosquitto_passwd")
    assert tool is not None
    subprocess.run([tool, "-U", path], check=True)


class Mosquitto:
    """A broker that stores its data in a folder, and may be killed and started again.

    lines: added to its configuration. whole: replaces it, and has a `{port}` to fill in.
    """

    def __init__(self, folder: Path, lines: tuple[str, ...] = (), whole: str | None = None) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.port = _free_port()
        self.log = folder / "mosquitto.log"
        self._configuration = folder / "mosquitto.conf"
        persistence = f"persistence true\npersistence_location {folder}{os.sep}"
        ours = "allow_anonymous true", persistence, *lines, "listener {port} 127.0.0.1"
        user = f"user {getpass.getuser()}"  # otherwise root would switch to another one
        text = "\n".join([user, *(ours if whole is None else [whole]), ""])
        self._configuration.write_text(text.replace("{port}", str(self.port)))
        self.start()

    @property
    def url(self) -> str:
        return f"mqtt://127.0.0.1:{self.port}"

    @property
    def pid(self) -> int:
        return self._process.pid

    def start(self) -> None:
        """Start it, or restart it after a kill, and wait until it answers."""
        program = installed("mosquitto")
        assert program is not None
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(
                [program, "-c", self._configuration], stdout=log, stderr=log
            )
        until(self._answers, "the broker")

    def _answers(self) -> bool:
        assert self._process.poll() is None, f"it does not start: {self.log.read_text()}"
        with contextlib.suppress(OSError):
            socket.create_connection(("127.0.0.1", self.port), 1).close()
            return True
        return False

    def kill(self) -> None:
        """Kill it as `kill -9` does: unsaved data is lost."""
        self._process.kill()
        self._process.wait()

    close = kill


def _free_port() -> int:
    """A free port outside the range from which the system assigns ports."""
    dice = random.Random()
    while True:
        port = dice.randrange(20_000, 32_000)
        with contextlib.suppress(OSError), socket.socket() as probe:
            probe.bind(("127.0.0.1", port))
            return port
