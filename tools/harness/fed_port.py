"""A serial port that sends what a test wants."""

import contextlib
import os
import tty
from pathlib import Path

from noughts.protocol.sentences import Sentence
from sample_games import write


class Port:
    """A pseudo-terminal behind the link `path`, so that it comes back under the same name."""

    def __init__(self, path: Path) -> None:
        self.path = str(path)
        self._link = path
        self.plug()

    def plug(self) -> None:
        self._master, self._slave = os.openpty()
        tty.setraw(self._slave)
        self._link.symlink_to(os.ttyname(self._slave))

    def say(self, *sentences: Sentence) -> None:
        for sentence in sentences:
            self.send(write(sentence).encode() + b"\r\n")

    def send(self, data: bytes) -> None:
        os.write(self._master, data)

    def offer(self, *sentences: Sentence) -> None:
        """Like `say`, but drops what does not fit, as a board does when nobody reads its line."""
        os.set_blocking(self._master, False)
        try:
            with contextlib.suppress(BlockingIOError):
                self.say(*sentences)
        finally:
            os.set_blocking(self._master, True)

    def pull(self) -> None:
        self._link.unlink()  # first: another port may get the system's name next
        os.close(self._master)
        os.close(self._slave)

    def close(self) -> None:
        with contextlib.suppress(OSError):  # it may be unplugged
            self.pull()
