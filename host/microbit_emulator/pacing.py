"""Device time in step with real time."""

from __future__ import annotations

import time
from collections.abc import Callable

STEP_US = 5_000
"""A good step: short for a person, and long enough to cost little."""
LATE_US = 100_000
"""When it is later than this, it goes on from now instead of racing after real time."""


def run_in_real_time(step: Callable[[], int | None], speed: float = 1.0) -> None:
    """Call a step again and again, in step with real time or `speed` times as fast.

    A step runs a micro:bit for some `STEP_US` and returns its device time in microseconds, or None
    to end it.
    """
    start_us, start_s = 0.0, time.monotonic()
    while (clock_us := step()) is not None:
        paced_us, now_s = clock_us / speed, time.monotonic()
        ahead_us = (paced_us - start_us) - (now_s - start_s) * 1e6
        if ahead_us < -LATE_US:
            start_us, start_s = paced_us, now_s
        time.sleep(max(0.0, ahead_us / 1e6))
