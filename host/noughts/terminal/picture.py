"""The micro:bit on the screen: its outline, its 25 LEDs at their brightness, and its buttons.

The drawing is WIDTH columns by HEIGHT lines. An LED is two columns wide, a square with as much room
around it; its brightness is both its colour and its character, so that it can be read without
colour. The last move's LED stands in brackets.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from rich.style import Style
from rich.text import Text
from textual import events
from textual.widgets import Static

from noughts.errors import BoardGoneError, NoughtsError
from noughts.terminal.palette import PLAYERS
from noughts.virtual.board import VirtualBoard

if TYPE_CHECKING:
    from microbit_emulator import Button

_BOARD = (
    "╭────────────────────────────────╮",
    "│            ╭──────╮            │",
    "│            ╰•────•╯            │",
    "│                                │",
    "│                                │",
    "│                                │",
    "│ ╔═══╗                    ╔═══╗ │",
    "│ ║ A ║                    ║ B ║ │",
    "│ ╚═══╝                    ╚═══╝ │",
    "│                                │",
    "│                                │",
    "│                                │",
    "│           [ A + B ]            │",
    "│(0) ▪▪▪ (1) ▪▪▪ (2) ▪ (3V) (GND)│",
    "╰────────────────────────────────╯",
)
_ASCII = str.maketrans("╭╮╰╯─│╔╗╚╝═║•▪", "++++-|++++=|o.")

WIDTH, HEIGHT = len(_BOARD[0]), len(_BOARD)

MIN_COLUMNS, MIN_LINES = 40, HEIGHT + 2
"""The smallest terminal that holds the board, and below it what it is doing."""

_LEDS_TOP, _LEDS_LEFT = 3, 8
_DOWN, _ACROSS = 2, 4
_PINS = HEIGHT - 2

_CHARACTERS = "·░░░▒▒▓▓██"
_ASCII_CHARACTERS = ".:::++%%##"

_GROUND = Style(bgcolor="#101317")
_OUTLINE = Style(color="#7f9fd0")
_GOLD = Style(color="#d8a530")
_HELD = Style(color="#ffffff", bold=True, reverse=True)
_UP = Style(color="#d8d8d8", bold=True)

_AREAS: tuple[tuple[range, range, tuple[Button, ...]], ...] = (
    (range(2, 7), range(6, 9), ("A",)),
    (range(27, 32), range(6, 9), ("B",)),
    (range(12, 21), range(12, 13), ("A", "B")),
)


def buttons_at(x: int, y: int) -> tuple[Button, ...]:
    """The buttons that a click on this column and line means, if any."""
    for columns, lines, buttons in _AREAS:
        if x in columns and y in lines:
            return buttons
    return ()


def draw(
    leds: bytes,
    held: frozenset[Button],
    plain: bool = False,
    last: tuple[int, str] | None = None,
) -> Text:
    """The board with these 25 levels and the buttons that are held down; `plain` is ASCII only.

    last: the cell of the last move, and whose it was.
    """
    text = Text(no_wrap=True, style=_GROUND)
    for y, line in enumerate(_BOARD):
        row = Text(line.translate(_ASCII) if plain else line, style=_OUTLINE)
        if y == _PINS:
            row.stylize(_GOLD, 1, WIDTH - 1)
        for columns, lines, buttons in _AREAS:
            if y in lines:
                row.stylize(_HELD if held.issuperset(buttons) else _UP, columns[0], columns[-1] + 1)
        led_row, between = divmod(y - _LEDS_TOP, _DOWN)
        if 0 <= led_row < 5 and not between:
            row = _with_leds(row, leds[5 * led_row : 5 * led_row + 5], plain)
            if last is not None and last[0] // 3 * 2 == led_row:
                row = _marked(row, last[0] % 3 * 2, last[1])
        text.append_text(row)
        if y < HEIGHT - 1:
            text.append("\n")
    return text


def _with_leds(row: Text, levels: bytes, plain: bool) -> Text:
    characters = _ASCII_CHARACTERS if plain else _CHARACTERS
    for column, level in enumerate(levels):
        # The levels grow about twofold in power; the eye sees steps.
        glow = f"#{75 + 20 * level:02x}{22 + 6 * level:02x}{20 + 5 * level:02x}"
        style = Style(color=glow if level else "#5c4a48", bold=level > 6)
        row = _put(row, _LEDS_LEFT + _ACROSS * column, Text(characters[level] * 2, style))
    return row


def _marked(row: Text, column: int, player: str) -> Text:
    x = _LEDS_LEFT + _ACROSS * column
    row = _put(row, x - 1, Text("[", PLAYERS[player]))
    return _put(row, x + 2, Text("]", PLAYERS[player]))


def _put(row: Text, x: int, piece: Text) -> Text:
    return row[:x].append_text(piece).append_text(row[x + len(piece) :])


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
        self.update(draw(self._leds, self._held, self._plain, self._last))

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Hold the button under the pointer, if there is one."""
        buttons = buttons_at(event.x, event.y)
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
