"""The device's `display`: 25 levels that code sets, or that an animation changes as time passes."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from noughts.simulator.picture import Image, scrolled

DARK = bytes(25)
_TICK_MS = 6  # the firmware looks for the next picture of an animation every 6 ms


class Display:
    """clock_ms says the time; wait_ms waits so long, or until Ctrl-C."""

    def __init__(self, clock_ms: Callable[[], float], wait_ms: Callable[[float], None]) -> None:
        self._clock_ms = clock_ms
        self._wait_ms = wait_ms
        self._levels = bytearray(25)
        self._pictures: list[bytes] = []  # of the animation that runs
        self._started_ms = 0.0
        self._delay_ms = 1
        self._loop = False

    def picture(self) -> bytes:
        """The 25 levels as they are now, in reading order."""
        pictures = self._pictures
        if pictures:
            number = int((self._clock_ms() - self._started_ms) // self._delay_ms)
            if self._loop:
                number %= len(pictures)
            self._levels[:] = pictures[min(number, len(pictures) - 1)]
            if number >= len(pictures):
                self._pictures = []
        return bytes(self._levels)

    def _animate(
        self, pictures: Iterable[bytes], delay_ms: int, wait: bool, loop: bool, clear: bool
    ) -> None:
        self._started_ms = self._clock_ms()
        self._delay_ms = max(_TICK_MS, -(-delay_ms // _TICK_MS) * _TICK_MS)
        self._loop = loop
        self._pictures = [*pictures, *([DARK] if clear else [])]
        if wait:
            while self._pictures:
                self._wait_ms(_TICK_MS)
                self.picture()

    def get_pixel(self, x: int, y: int) -> int:
        """The level of a LED."""
        self._check(x, y)
        return self.picture()[5 * y + x]

    def set_pixel(self, x: int, y: int, level: int) -> None:
        """Set the level of a LED, 0 to 9."""
        self._check(x, y)
        if not 0 <= level <= 9:
            raise ValueError("brightness out of bounds")
        self._levels[5 * y + x] = level

    @staticmethod
    def _check(x: int, y: int) -> None:
        if not (0 <= x < 5 and 0 <= y < 5):
            raise ValueError("index out of bounds")

    def clear(self) -> None:
        """Stop any animation and switch every LED off."""
        self._pictures = []
        self._levels[:] = DARK

    def show(
        self,
        image: object,
        delay: int = 400,
        *,
        wait: bool = True,
        loop: bool = False,
        clear: bool = False,
    ) -> None:
        """Show an image, a character, a number, or several one after another."""
        if isinstance(image, (int, float)):
            image = str(image)
        if isinstance(image, str) and not image:
            return
        one = isinstance(image, Image) or (isinstance(image, str) and len(image) == 1)
        if not isinstance(image, (Image, Iterable)):
            raise TypeError("object not iterable")
        items = [image] if isinstance(image, Image) else list(image)
        pictures = [
            (item if isinstance(item, Image) else Image(str(item))).picture() for item in items
        ]
        if one and not (loop or clear):
            self._pictures = []
            self._levels[:] = pictures[0]
        else:
            self._animate(pictures, delay, wait, loop, clear)

    def scroll(
        self,
        text: object,
        delay: int = 150,
        *,
        wait: bool = True,
        loop: bool = False,
        monospace: bool = False,
    ) -> None:
        """Scroll a text, one column of pixels every `delay` ms."""
        self._animate(scrolled(str(text)), delay, wait, loop, clear=False)

    def on(self) -> None:
        """Does nothing here."""

    def off(self) -> None:
        """Does nothing here."""

    def is_on(self) -> bool:
        """Always."""
        return True
