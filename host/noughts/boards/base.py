"""What every board can do, whether real, emulated or simulated."""

from __future__ import annotations

import enum
from types import TracebackType
from typing import TYPE_CHECKING, Protocol

import serial

if TYPE_CHECKING:
    from typing_extensions import Self


class Button(enum.Enum):
    """The two buttons in front of the micro:bit."""

    A = "A"
    B = "B"


class Board(Protocol):
    """A micro:bit that can be pressed, tilted, looked at and listened to.

    A board is running when its constructor returns, and stops in `close()`, which may be called
    twice. Every method raises `BoardGone` once the board has died by itself.
    """

    kind: str
    """`"emulated"` or `"simulated"`."""

    firmware: str
    """What runs on it, for people: `"micro:bit V1, MicroPython 1.9.2 (firmware 1.0.1)"`."""

    has_tilt: bool
    """Whether `tilt()` reaches the accelerometer."""

    port: str
    """The serial port's name, for `serial.serial_for_url` (a pty, or a `socket://` URL)."""

    serial: serial.SerialBase
    """That port, open at 115200 baud, `timeout=0` (reads return what is there)."""

    def press(self, button: Button) -> None:
        """Push a button down; it stays down until `release()`."""

    def release(self, button: Button) -> None:
        """Let a button go."""

    def tilt(self, x_mg: int, y_mg: int) -> None:
        """Hold the board at this acceleration, in milli-g (x right, y towards the pins)."""

    def leds(self) -> bytes:
        """The 25 LEDs in reading order, each 0 (dark) to 9 (brightest)."""

    def clock_us(self) -> int:
        """Microseconds of the device's own time since it was last reset."""

    def reset(self) -> None:
        """Press the reset button; the files in flash stay."""

    def close(self) -> None:
        """Stop the board and everything that was started for it."""

    def __enter__(self) -> Self: ...

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None: ...
