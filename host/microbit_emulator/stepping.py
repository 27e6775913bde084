"""Running in steps until a condition holds, in whatever ticks."""

from __future__ import annotations

from collections.abc import Callable


def run_in_steps(
    run_to: Callable[[int], None],
    now: Callable[[], int],
    condition: Callable[[], bool],
    timeout: int,
    step: int,
) -> bool:
    """Run until a condition holds, which is looked at after each step; False after the timeout."""
    end = now() + timeout
    while not condition():
        if now() >= end:
            return False
        run_to(min(end, now() + max(1, step)))
    return True
