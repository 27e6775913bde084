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
from noughts.terminal.play import BoardApp, PlayedGames


def screen_text(app: App[object]) -> str:
    strips = app.screen._compositor.render_strips()
    return "\n".join("".join(part.text for part in strip).rstrip() for strip in strips)


@contextmanager
def playing(
    board: Board, path: Path, keep_flash: Callable[[bytes], object] = lambda flash: None
) -> Iterator[BoardApp]:
    """The screen of `noughts play` on a stand-in, whose games go to this store."""
    ports = PortMonitor(find=list)
    watch = Watch(path, [ports], has_fallback=True)
    stand_in: Any = board
    ports.follow("virtual-V2", board.port, stand_in.serial)
    app = BoardApp(stand_in, threading.Event(), watch, PlayedGames(watch), keep_flash)
    watch.start()
    try:
        yield app
    finally:
        watch.close()
