"""The micro:bit as text: its outline, its 25 LEDs at their brightness, and its buttons.

The drawing is WIDTH columns by HEIGHT lines. A LED is two columns wide; its brightness is both its
colour and its character, so that it can be read without colour.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.style import Style
from rich.text import Text

if TYPE_CHECKING:
    from noughts.emulator import Button

WIDTH = 37
HEIGHT = 13

MIN_COLUMNS, MIN_LINES = WIDTH + 3, HEIGHT + 4
"""The smallest terminal that holds the board, a line of what it says, and the status."""

_BOARD = (
    "╭───────────────────────────────────╮",
    "│               ╭─────╮             │",
    "│               ╰•───•╯             │",
    "│                                   │",
    "│                                   │",
    "│  ╔═══╗                     ╔═══╗  │",
    "│  ║ A ║                     ║ B ║  │",
    "│  ╚═══╝                     ╚═══╝  │",
    "│                                   │",
    "│                                   │",
    "│             [ A + B ]             │",
    "│ (0) ▪▪▪▪ (1) ▪▪▪▪ (2) ▪▪ (3V)(GND)│",
    "╰───────────────────────────────────╯",
)
_ASCII = str.maketrans("╭╮╰╯─│╔╗╚╝═║•▪", "++++-|++++=|o.")

_LEDS_TOP = 4
_LEDS_LEFT = 11
_STEP = 3

_CHARACTERS = "·░░░▒▒▓▓██"
_ASCII_CHARACTERS = ".:::++%%##"

_OUTLINE = Style(color="#5b8def")
_GOLD = Style(color="#d8a530")
_DOWN = Style(color="#ffffff", bold=True, reverse=True)
_UP = Style(color="#c8c8c8", bold=True)

_AREAS: tuple[tuple[range, range, tuple[Button, ...]], ...] = (
    (range(3, 8), range(5, 8), ("A",)),
    (range(29, 34), range(5, 8), ("B",)),
    (range(14, 23), range(10, 11), ("A", "B")),
)


def buttons_at(x: int, y: int) -> tuple[Button, ...]:
    """The buttons that a click on this column and line means, if any."""
    for columns, lines, buttons in _AREAS:
        if x in columns and y in lines:
            return buttons
    return ()


def draw(leds: bytes, held: frozenset[Button], plain: bool = False) -> Text:
    """The board with these 25 levels and the buttons that are held down; `plain` is ASCII only."""
    text = Text(no_wrap=True)
    for y, line in enumerate(_BOARD):
        shown = line.translate(_ASCII) if plain else line
        row = Text(shown, style=_OUTLINE if y != 11 else _GOLD)
        if y == 11:
            row.stylize(_OUTLINE, 0, 1)
            row.stylize(_OUTLINE, WIDTH - 1, WIDTH)
        for columns, lines, buttons in _AREAS:
            if y in lines:
                row.stylize(_DOWN if held.issuperset(buttons) else _UP, columns[0], columns[-1] + 1)
        if _LEDS_TOP <= y < _LEDS_TOP + 5:
            row = _with_leds(row, leds[5 * (y - _LEDS_TOP) : 5 * (y - _LEDS_TOP) + 5], plain)
        text.append_text(row)
        if y < HEIGHT - 1:
            text.append("\n")
    return text


def _with_leds(row: Text, levels: bytes, plain: bool) -> Text:
    end = _LEDS_LEFT + 5 * _STEP
    drawn = row[:_LEDS_LEFT]
    characters = _ASCII_CHARACTERS if plain else _CHARACTERS
    for level in levels:
        # The levels grow about twofold in power; the eye sees steps.
        glow = f"#{75 + 20 * level:02x}{22 + 6 * level:02x}{20 + 5 * level:02x}"
        style = Style(color=glow if level else "#50403f", bold=level > 6)
        drawn.append(characters[level] * 2, style)
        drawn.append(" " * (_STEP - 2))
    return drawn.append_text(row[end:])
