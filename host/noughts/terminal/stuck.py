"""Ending a program whose terminal takes nothing any more: stopped, or at the end of a dead line."""

from __future__ import annotations

import os
import select
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

_LOOK_S = 0.05
_LOOKS = 8


@contextmanager
def leaving_a_stuck_terminal(stop: threading.Event, done: Callable[[], None]) -> Iterator[None]:
    """While a program has the terminal, which should end once `stop` is set and `done` returns.

    It writes to the terminal to restore it, and would wait for ever for one that takes nothing:
    then the process ends without that. On POSIX only, where a terminal can be asked.
    """
    if os.name != "posix":
        yield
        return
    import termios

    screen = sys.stdout.fileno()
    modes = None
    with suppress(termios.error):
        modes = termios.tcgetattr(screen)
    returned = threading.Event()

    def look() -> None:
        stop.wait()
        done()
        stuck = 0
        while stuck < _LOOKS:
            if returned.wait(_LOOK_S):
                return
            _, ready, _ = select.select([], [screen], [], 0)
            stuck = 0 if ready else stuck + 1
        if modes is not None:
            with suppress(termios.error):
                termios.tcsetattr(screen, termios.TCSANOW, modes)
        os._exit(0)

    threading.Thread(target=look, name="look at the terminal", daemon=True).start()
    try:
        yield
    finally:
        returned.set()
