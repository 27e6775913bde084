"""Ending a program whose terminal takes nothing any more: stopped, on a dead line, or closed."""

from __future__ import annotations

import os
import select
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

_LOOK_S = 0.05
_LOOKS = 8
_CLOSED_S = 1.0


@contextmanager
def leaving_a_stuck_terminal(stop: threading.Event, done: Callable[[], None]) -> Iterator[None]:
    """While a program has the terminal, which should end once `stop` is set and `done` returns.

    It writes to the terminal to restore it, and would wait for ever for one that takes nothing:
    then the process ends without that. A terminal that is closed sets `stop`, too. On POSIX only,
    where a terminal can be asked.
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

    def closed() -> bool:
        try:
            termios.tcgetattr(screen)
        except termios.error:
            return modes is not None  # it was a terminal
        return False

    def look() -> None:
        while not stop.wait(_CLOSED_S):
            if returned.is_set():
                return
            if closed():
                stop.set()
        done()
        stuck = 0
        while stuck < _LOOKS:
            if returned.wait(_LOOK_S):
                return
            _, ready, _ = select.select([], [screen], [], 0)
            stuck = 0 if ready and not closed() else stuck + 1  # one that is closed takes all
        if modes is not None:
            with suppress(termios.error):
                termios.tcsetattr(screen, termios.TCSANOW, modes)
        os._exit(0)

    threading.Thread(target=look, name="look at the terminal", daemon=True).start()
    try:
        yield
    finally:
        returned.set()
