"""A program in a real terminal: a pseudo-terminal that the test controls."""

import contextlib
import fcntl
import os
import re
import select
import struct
import subprocess
import sys
import termios
import time

import psutil

import launcher
from waiting import until

ESCAPES = re.compile(r"\x1b(\[[0-9;?>=$]*[A-Za-z]|[=>])")


class Terminal:
    """A program in a terminal of 100 by 30."""

    def __init__(self, *words: str, **env: str) -> None:
        self.master, screen = os.openpty()
        fcntl.ioctl(screen, termios.TIOCSWINSZ, struct.pack("HHHH", 30, 100, 0, 0))
        # By name: the readline library sets sizes that os.environ does not show.
        named = {key: os.environ[key] for key in os.environ if key not in ("COLUMNS", "LINES")}
        named |= {"TERM": "xterm-256color", "PYTHONUTF8": "1", **env}
        command = [*launcher.in_its_terminal(), sys.executable, "-m", "noughts", *words]
        self._process = subprocess.Popen(
            command, stdin=screen, stdout=screen, stderr=screen, env=named, start_new_session=True
        )
        os.close(screen)
        self.pid = self._process.pid
        self.text = ""

    @property
    def status(self) -> int | None:
        """Its exit status, once it has ended."""
        return self._process.poll()

    def read(self, seconds: float) -> bool:
        """Add its output to `text`; returns whether there was any."""
        ready, _, _ = select.select([self.master], [], [], seconds)
        if ready:
            try:
                self.text += os.read(self.master, 65536).decode("utf-8", "replace")
            except OSError:  # the program has ended
                time.sleep(0.05)
                return False
        return bool(ready)

    def wait_for(self, text: str, seconds: float = 120) -> None:
        end = time.monotonic() + seconds
        while text not in ESCAPES.sub("", self.text):
            assert time.monotonic() < end, f"no {text!r} in {ESCAPES.sub('', self.text)[-2000:]}"
            self.read(0.1)

    def wait_for_rest(self) -> None:
        """Wait until it sleeps, as it does while waiting for a key.

        `input()` only sees a Ctrl-C that comes once it is waiting.
        """
        process = psutil.Process(self.pid)
        until(lambda: process.status() == psutil.STATUS_SLEEPING, "the program's rest")

    def type(self, keys: str) -> None:
        os.write(self.master, keys.encode())

    def end(self, seconds: float = 120) -> int:
        end = time.monotonic() + seconds
        while not self.has_ended():
            assert time.monotonic() < end, "the program does not end"
            self.read(0.05)
        while self.read(0):  # its last output
            pass
        assert self.status is not None
        return self.status

    def fill(self) -> None:
        """Fill the terminal, whose output nobody reads, until it accepts no more."""
        screen = os.open(f"/proc/{self.pid}/fd/1", os.O_WRONLY | os.O_NOCTTY | os.O_NONBLOCK)
        while select.select([], [screen], [], 0.2)[1]:  # until its buffers stay full
            with contextlib.suppress(BlockingIOError):
                while True:
                    os.write(screen, b" " * 100)
        os.close(screen)

    def has_ended(self) -> bool:
        """Whether the program has ended, without reading its output."""
        return self._process.poll() is not None

    def hang_up(self) -> None:
        """Close the terminal, as when its window is closed."""
        os.close(self.master)
        self.master = os.open(os.devnull, os.O_RDONLY)

    def close(self) -> None:
        self._process.kill()
        self._process.wait()
        os.close(self.master)
