"""The micro:bit on the screen, with buttons for the mouse."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from textual import events
from textual.widgets import Static

from noughts.errors import BoardGoneError, NoughtsError
from noughts.terminal import drawing
from noughts.virtual.board import VirtualBoard

if TYPE_CHECKING:
    from microbit_emulator import Button


class Picture(Static):
    """The board; a click on a button holds it down until the mouse is let go."""

    def __init__(
        self, board: VirtualBoard, plain: bool, fail: Callable[[NoughtsError], None]
    ) -> None:
        """fail: called when the board has gone."""
        super().__init__(id="picture")
        self._fail = fail
        self._board = board
        self._plain = plain
        self._leds = bytes(25)
        self._held: frozenset[Button] = frozenset()
        self._last: tuple[int, str] | None = None

    def on_mount(self) -> None:
        """Draw the board for the first time."""
        self._draw()

    def show(self, leds: bytes, last: tuple[int, str] | None) -> None:
        """Show 25 LED levels from 0 to 9, and mark the last move: its cell and its player."""
        if (leds, last) != (self._leds, self._last):
            self._leds, self._last = leds, last
            self._draw()

    def _draw(self) -> None:
        self.update(drawing.draw(self._leds, self._held, self._plain, self._last))

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Hold the button under the pointer, if there is one."""
        buttons = drawing.buttons_at(event.x, event.y)
        if buttons:
            self.capture_mouse()
            self._hold(frozenset(buttons))

    def on_mouse_up(self, event: events.MouseUp) -> None:
        """Release what the pointer holds, wherever it is now."""
        self.release_mouse()
        self._hold(frozenset())

    def _hold(self, held: frozenset[Button]) -> None:
        try:
            if held - self._held:
                self._board.press(*held - self._held)
            if self._held - held:
                self._board.release(*self._held - held)
        except BoardGoneError as gone:
            self._fail(gone)
        self._held = held
        self._draw()
