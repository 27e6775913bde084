"""Pictures of the LEDs: as text, and with Pillow as PNG and GIF."""

import os
from pathlib import Path
from typing import Any

from microbit_emulator.errors import EmulatorError

_PITCH, _SIZE = 32, 20
"""Pixels from LED to LED, and of one LED."""
_BLACK = 20, 20, 24


def leds_as_text(leds: bytes) -> str:
    """25 levels as five lines of text, with a dot for a dark LED.

    >>> print(leds_as_text(bytes([9, 0, 0, 0, 9, *[0] * 15, 0, 4, 4, 4, 0])))
    9...9
    .....
    .....
    .....
    .444.
    """
    rows = [leds[start : start + 5] for start in range(0, 25, 5)]
    return "\n".join("".join(str(level or ".") for level in row) for row in rows)


class Film:
    """Pictures of the LEDs over time."""

    def __init__(self) -> None:
        self._frames: list[tuple[bytes, int]] = []

    def add(self, leds: bytes, us: int) -> None:
        """Show these levels for this long."""
        if self._frames and self._frames[-1][0] == leds:
            us += self._frames.pop()[1]
        self._frames.append((leds, us))

    def save_gif(self, path: Path) -> None:
        """Write all pictures. Raises `EmulatorError` without Pillow, or if that fails."""
        first, *others = (_drawn(leds) for leds, _ in self._frames)
        times_ms = [us // 1000 for _, us in self._frames]
        _save(first, path, "GIF", save_all=True, append_images=others, duration=times_ms, loop=0)

    def save_png(self, path: Path) -> None:
        """Write the last picture. Raises the same errors as `save_gif`."""
        _save(_drawn(self._frames[-1][0]), path, "PNG")


def check_path(path: Path) -> None:
    """Raise the `EmulatorError` of `save_gif` if it is certain that a picture cannot be saved."""
    _pillow()
    try:
        if path.is_dir():
            raise _cannot_write(path, "it is a folder")
        if not path.parent.is_dir():
            raise _cannot_write(path, f"there is no folder {path.parent}")
        if not os.access(path if path.exists() else path.parent, os.W_OK):
            raise _cannot_write(path, "you may not write there")
    except OSError as error:  # its name is too long, or a folder may not be entered
        raise _cannot_write(path, error.strerror) from error


def _cannot_write(path: Path, why: str | None) -> EmulatorError:
    return EmulatorError(f"cannot write {path} ({why}); check the name")


def _pillow() -> Any:
    """Pillow's module for pictures. Raises `EmulatorError` if it is missing."""
    try:
        from PIL import Image
    except ImportError as error:
        raise EmulatorError("pictures need Pillow; pip install pillow") from error
    return Image


def _drawn(leds: bytes) -> Any:
    Image = _pillow()
    picture = Image.new("RGB", (5 * _PITCH, 5 * _PITCH), _BLACK)
    for place, level in enumerate(leds):
        x, y = (at * _PITCH + (_PITCH - _SIZE) // 2 for at in (place % 5, place // 5))
        picture.paste((40 + level * 23, level * 6, level * 3), (x, y, x + _SIZE, y + _SIZE))
    return picture


def _save(picture: Any, path: Path, kind: str, **named: Any) -> None:
    try:
        picture.save(path, kind, **named)
    except OSError as error:
        raise _cannot_write(path, error.strerror) from error
