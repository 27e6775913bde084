"""`noughts watch --emulated`: virtual boards that play by themselves."""

from __future__ import annotations

import threading
from contextlib import ExitStack

from noughts.errors import BoardError
from noughts.virtual.autoplay import Autoplay
from noughts.watch.port_monitor import PortMonitor
from noughts.watch.virtual_boards import VirtualBoards


def autoplayed(count: int, stack: ExitStack, stop: threading.Event) -> PortMonitor:
    """Follow virtual boards that play by themselves, V2 and V1 by turns.

    When one cannot be started, `stop` is set, and the end of the stack raises `BoardError`.
    """
    playing: list[Autoplay] = []

    def changed(name: str) -> None:
        if name in boards.running:
            playing.append(Autoplay(boards.running[name], list(boards.kinds).index(name)))
        else:
            stop.set()

    def end() -> None:
        for each in playing:
            each.stop()
        boards.close()
        for error in boards.errors.values():
            raise BoardError(error)

    boards = VirtualBoards(count, lambda: monitor.look(), changed)
    stack.callback(end)
    monitor = PortMonitor((), list, boards.ports, boards.names, boards.opened)
    boards.start()
    return monitor
