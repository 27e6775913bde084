"""The device's buttons, their pins, and its accelerometer."""

from __future__ import annotations

from collections.abc import Callable

DEBOUNCE_MS = 60
"""The firmware samples a button every 6 ms, and believes it after ten samples."""


class Contact:
    """What a button's pin is connected to; the owner of the board opens and closes it."""

    def __init__(self, clock_ms: Callable[[], float]) -> None:
        self.clock_ms = clock_ms
        self.closed = False
        self.changed_ms = -1e9
        self.buttons: list[PressButton] = []

    def set(self, closed: bool) -> None:
        """Close the contact (the button goes down) or open it."""
        if closed != self.closed:
            for button in self.buttons:
                button.is_pressed()  # so that a press counts that nobody asked for meanwhile
            self.closed = closed
            self.changed_ms = self.clock_ms()


class Pin:
    """A digital pin that only a button pulls down."""

    def __init__(self, contact: Contact | None = None) -> None:
        self._contact = contact

    def read_digital(self) -> int:
        """0 while its button is down, else 1; a pin without a button is 0."""
        return 0 if self._contact is None else int(not self._contact.closed)


class PressButton:
    """A button as the firmware reports it, debounced."""

    def __init__(self, contact: Contact) -> None:
        self._contact = contact
        contact.buttons = [self]
        self._presses = 0
        self._was_pressed = False
        self._seen = contact.changed_ms

    def is_pressed(self) -> bool:
        """Whether it has been down for the time that debouncing takes."""
        contact = self._contact
        settled = contact.clock_ms() - contact.changed_ms >= DEBOUNCE_MS
        pressed = contact.closed if settled else not contact.closed
        if pressed and contact.closed and contact.changed_ms != self._seen:
            self._seen = contact.changed_ms
            self._presses += 1
            self._was_pressed = True
        return pressed

    def was_pressed(self) -> bool:
        """Whether it was pressed since this was last asked."""
        self.is_pressed()
        was, self._was_pressed = self._was_pressed, False
        return was

    def get_presses(self) -> int:
        """How often it was pressed since this was last asked."""
        self.is_pressed()
        presses, self._presses = self._presses, 0
        return presses


class Accelerometer:
    """Milli-g along x (right), y (towards the pins) and z; lying flat z is -1024."""

    def __init__(self) -> None:
        self.x_mg = 0
        self.y_mg = 0

    def get_x(self) -> int:
        """Milli-g along x."""
        return self.x_mg

    def get_y(self) -> int:
        """Milli-g along y."""
        return self.y_mg

    def get_z(self) -> int:
        """Milli-g along z."""
        return -1024

    def get_values(self) -> tuple[int, int, int]:
        """All three."""
        return self.x_mg, self.y_mg, -1024
