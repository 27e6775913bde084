"""The text that a Textual app shows, and a stand-in board for it."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from textual.app import App

from live_page import Board
from noughts.recording.port_monitor import PortMonitor
from noughts.recording.watch import Watch
from noughts.terminal.play import BoardApp, PlayedGames, TwoBoardsApp


def screen_text(app: App[object]) -> str:
    strips = app.screen._compositor.render_strips()
    return "\n".join("".join(part.text for part in strip).rstrip() for strip in strips)


@contextmanager
def playing(
    board: Board,
    path: Path,
    keep_flash: Callable[[bytes], object] = lambda flash: None,
    other: Board | None = None,
) -> Iterator[BoardApp]:
    """The screen of `noughts play` on a stand-in, whose games go to this store.

    other: the right board of `noughts play --two`.
    """
    ports = PortMonitor(find=list)
    watch = Watch(path, [ports], has_fallback=True)
    boards: list[tuple[str, Any]] = [("virtual-V2", board)]
    if other is not None:
        boards = [("virtual-left", board), ("virtual-right", other)]
    for name, stand_in in boards:
        ports.follow(name, stand_in.port, stand_in.serial)
    kind = BoardApp if other is None else TwoBoardsApp
    app = kind(boards, threading.Event(), watch, PlayedGames(watch), keep_flash)
    watch.start()
    try:
        yield app
    finally:
        watch.close()
