"""What a micro:bit does at its pins: levels, pulses, tones."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

_SAME = 0.04
"""Two periods that differ by less are of one tone: V1 times them in software."""
_STOPPED = 1.5
"""After so many periods without an edge, nothing oscillates any more."""


class PinState(NamedTuple):
    """What a pin does: an output is high or low, or pulses at a frequency."""

    is_output: bool
    is_high: bool
    frequency_hz: float
    """Of its pulses, 0.0 where it has none."""
    duty: float
    """The share of the time for which it is high."""


class Tone(NamedTuple):
    """What is played, and since when in device time."""

    frequency_hz: float
    since_us: int


class Oscillation:
    """The period of what goes up and down, worked out as it does; times are in cycles."""

    def __init__(self) -> None:
        self.period = self.since = 0
        self._rise = self._high_for = 0
        self._is_high = False

    def level(self, at: int, is_high: bool) -> None:
        if is_high and not self._is_high:
            period = at - self._rise if self._rise else 0
            if abs(period - self.period) > self.period * _SAME:
                self.since = self._rise
            self.period, self._rise = period, at
        elif self._is_high and not is_high:
            self._high_for = at - self._rise
        self._is_high = is_high

    def samples(self, at: int, period: int, samples: Iterable[int]) -> None:
        """What is played from now on, a sample in each period."""
        values = [*samples]
        middle = (min(values) + max(values)) // 2
        for nth, value in enumerate(values):
            self.level(at + nth * period, value > middle)

    def is_on(self, now: int) -> bool:
        return self.period > 0 and now - self._rise < self.period * _STOPPED

    @property
    def duty(self) -> float:
        """The share of its last period for which it was high."""
        return self._high_for / self.period
