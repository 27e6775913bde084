"""Device time in step with real time."""

from __future__ import annotations

import time
from collections.abc import Callable

STEP_US = 5_000
"""A good step: short for a person, and long enough to cost little."""
LATE_US = 100_000
"""When it is later than this, it goes on from now instead of racing after real time."""


class Pace:
    """How long to wait, so that device time keeps step with real time (in seconds)."""

    def __init__(self, clock_us: int, now_s: float) -> None:
        self._start_us, self._start_s = clock_us, now_s

    def wait_s(self, clock_us: int, now_s: float) -> float:
        """How long to wait from now: 0 for no time where the device is late."""
        ahead_us = (clock_us - self._start_us) - (now_s - self._start_s) * 1e6
        if ahead_us < -LATE_US:
            self._start_us, self._start_s = clock_us, now_s
        return max(0.0, ahead_us / 1e6)


def run_in_real_time(step: Callable[[], int | None], speed: float = 1.0) -> None:
    """Call a step again and again, in step with real time or `speed` times as fast.

    A step runs a micro:bit for some `STEP_US` and returns its device time in microseconds, or None
    to end it.
    """
    pace = Pace(0, time.monotonic())
    while (clock_us := step()) is not None:
        time.sleep(pace.wait_s(round(clock_us / speed), time.monotonic()))
