"""A command that is killed and started again, quickly: each life is a fork with all imported."""

import contextlib
import multiprocessing
import os
import signal
import sys
from pathlib import Path

_FORKS = multiprocessing.get_context("forkserver")
_FORKS.set_forkserver_preload(
    ["noughts.cli.watch", "noughts.rooms.collector", "noughts.rooms.publisher"]
)

_RESEND_AFTER_S = 10.0


def _run(words: list[str], errors: str) -> None:
    from noughts.__main__ import main

    signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored, in a shell's background
    sys.argv[1:] = words
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    os.dup2(os.open(errors, os.O_WRONLY | os.O_CREAT | os.O_APPEND), 2)
    os._exit(main())


class Life:
    """A command that is started again and again; what it says on standard error is in a file."""

    def __init__(self, errors: Path, *words: str) -> None:
        errors.touch()
        self._errors, self._words = str(errors), list(words)

    def start(self) -> None:
        self._process = _FORKS.Process(target=_run, args=(self._words, self._errors))
        self._process.start()

    def kill(self, number: int = signal.SIGKILL) -> None:
        """End it, and wait until it has ended. Raises `ProcessLookupError` if it had before."""
        if not self._process.is_alive():
            raise ProcessLookupError
        while self._process.is_alive():  # a signal is lost that comes before a life has begun
            os.kill(self._process.pid or 0, number)
            self._process.join(_RESEND_AFTER_S)

    def close(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            self.kill()
