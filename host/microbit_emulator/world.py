"""What surrounds a micro:bit, as its peripherals sense it."""

from __future__ import annotations

SUPPLY_V = 3.3


class World:
    """What can be sensed. Sensors on the I2C bus hold what they measure themselves."""

    def __init__(self) -> None:
        self.temperature_c = 21.0
        self.light = 255
        """From 0 to 255, as `display.read_light_level()` gives it."""
        self.sound = 0
        """From 0 to 244, as `microphone.sound_level()` gives it."""
        self.logo_touched = False
        self.volts: dict[int, float] = {}
        """At pins, by their numbers on the chip, where somebody has set it."""
