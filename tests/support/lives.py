"""A command that is killed and started again, quickly: each life forks off one process."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

_FORKING = """
import json, os, signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored, in the background of a shell
import noughts.cli.watch, noughts.rooms.collector, noughts.rooms.publisher
from noughts import __main__
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
for line in sys.stdin:
    child = os.fork()
    if not child:
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        sys.argv[1:], output = json.loads(line)
        os.dup2(os.open(os.devnull, os.O_RDWR), 0)
        os.dup2(os.open(output, os.O_WRONLY), 1)
        os._exit(__main__.main())
    print(child, flush=True)
"""


class Forking:
    """A process that has everything imported, and forks for each life of a command."""

    def __init__(self, errors: Path) -> None:
        pipe = subprocess.PIPE
        with errors.open("wb") as file:
            self._process = subprocess.Popen(
                [sys.executable, "-c", _FORKING], stdin=pipe, stdout=pipe, stderr=file, text=True
            )

    def begin(self, words: list[str], output: str) -> int:
        """The process of the command."""
        assert self._process.stdin is not None and self._process.stdout is not None
        print(json.dumps([words, output]), file=self._process.stdin, flush=True)
        return int(self._process.stdout.readline())

    def close(self) -> None:
        self._process.kill()
        self._process.wait()


class Life:
    """A command that is started again and again."""

    def __init__(self, forking: Forking, *words: str) -> None:
        self._forking, self._words = forking, list(words)
        self.pid: int | None = None

    def start(self, output: str = os.devnull) -> None:
        """Its standard output is written to a file that is there."""
        self.pid = self._forking.begin(self._words, output)

    def kill(self, number: int = signal.SIGKILL) -> None:
        """End it, and wait until it has ended. Raises `ProcessLookupError` if it had before."""
        pid, self.pid = self.pid, None
        if pid is not None:
            os.kill(pid, number)
            with contextlib.suppress(ProcessLookupError):
                while True:
                    os.kill(pid, 0)
                    time.sleep(0.002)

    def close(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            self.kill()
