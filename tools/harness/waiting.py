"""Waiting for a condition in real time."""

import time
from collections.abc import Callable

LIMIT_S = 120.0
"""A busy computer may be as slow as it likes."""


def until(holds: Callable[[], object], what: str = "it", step_s: float = 0.01) -> None:
    end_s = time.monotonic() + LIMIT_S
    while not holds():
        assert time.monotonic() < end_s, f"waited for {what}"
        time.sleep(step_s)
