"""What browsers do with virtual boards: press, hold, tilt, reset."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from contextlib import suppress

from noughts.errors import BoardError, NoughtsError
from noughts.virtual.board import NUDGE_MG
from noughts.web.hub import Hub

_BUTTONS = {"A": ("A",), "B": ("B",), "AB": ("A", "B")}
_SIGNS = (-1, 0, 1)


class BoardControls:
    """The buttons and tilts of one browser: all are released when it disconnects."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub
        self._held: set[tuple[str, str]] = set()
        self._tilted: set[str] = set()
        self._gone = False
        self._lock = threading.Lock()

    def do(self, message: Mapping[str, object]) -> None:
        """Do what a message asks for; nothing after `let_go()`. Raises `NoughtsError`."""
        with self._lock:
            if not self._gone:
                self._do(message)

    def _do(self, message: Mapping[str, object]) -> None:
        name = message.get("board")
        if not isinstance(name, str) or name not in self._hub.virtual.kinds:
            raise BoardError("that is not a virtual board; only those can be pressed from here")
        if message.get("do") == "start":
            self._hub.restart(name)
            return
        board = self._hub.virtual.board(name)
        match message.get("do"), message.get("buttons"), message.get("x"), message.get("y"):
            case "tap", "A" | "B" | "AB" as buttons, _, _:
                board.tap(*_BUTTONS[buttons])
            case "press", "A" | "B" | "AB" as buttons, _, _:
                self._held.update((name, button) for button in _BUTTONS[buttons])
                board.press(*_BUTTONS[buttons])
            case "release", "A" | "B" | "AB" as buttons, _, _:
                self._held.difference_update((name, button) for button in _BUTTONS[buttons])
                board.release(*_BUTTONS[buttons])
            case "nudge", _, int(x), int(y) if x in _SIGNS and y in _SIGNS:
                board.nudge(x, y)
            case "tilt", _, int(x), int(y) if x in _SIGNS and y in _SIGNS:
                self._tilted.add(name)
                board.tilt(x * NUDGE_MG, y * NUDGE_MG)
            case "level", _, _, _:
                self._tilted.discard(name)
                board.tilt(0, 0)
            case "reset", _, _, _:
                self._hub.note_reset(name)
                board.reset()
            case _:
                raise BoardError("a board cannot do that; load the page again")

    def let_go(self) -> None:
        """Let all buttons go, and hold the boards level: the browser has gone away."""
        with self._lock:  # what is being done for it may be a press
            self._gone = True
            while self._held:
                name, button = self._held.pop()
                with suppress(NoughtsError):  # a board that has ended holds nothing
                    self._hub.virtual.board(name).release(button)
            while self._tilted:
                with suppress(NoughtsError):
                    self._hub.virtual.board(self._tilted.pop()).tilt(0, 0)
