"""Rows of `make bench`, and the yardsticks that they are measured against."""

import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from typing import NamedTuple

TRIES = 5
"""The best of these counts, as other programs use the computer too."""


class Row(NamedTuple):
    what: str
    measured: str
    target: str = ""
    met: bool = True

    def __str__(self) -> str:
        missed = "" if self.met else " **missed**"
        return f"| {self.what} | {self.measured} | {self.target}{missed} |"


Part = Callable[[], Iterator[Row]]


def at_most(what: str, value: float, limit: float | None, form: str, note: str = "") -> Row:
    """A row whose value must not exceed a limit, if there is one.

    `form` writes both, such as `{:.2f} s`; the note stands behind the value, in brackets.
    """
    measured = form.format(value) + (f" ({note})" if note else "")
    if limit is None:
        return Row(what, measured)
    return Row(what, measured, f"≤ {form.format(limit)}", value <= limit)


def at_least(what: str, value: float, limit: float | None, form: str, note: str = "") -> Row:
    row = at_most(what, value, limit, form, note)
    if limit is None:
        return row
    return row._replace(target=f"≥ {form.format(limit)}", met=value >= limit)


def as_ratio(what: str, took_s: float, bare_s: float, limit: float | None, note: str = "") -> Row:
    """A row that depends on this computer: how many times as long as a yardstick."""
    note = f"{took_s:.2f} s" + (f"; {note}" if note else "")
    return at_most(what, took_s / bare_s, limit, "{:.1f} times", note)


def run_s(*words: str) -> float:
    """Seconds that Python needs with these arguments."""
    before_s = time.perf_counter()
    subprocess.run([sys.executable, *words], capture_output=True, check=True)
    return time.perf_counter() - before_s


def cpu_s(*words: str) -> float:
    usage_before = resource.getrusage(resource.RUSAGE_CHILDREN)
    run_s(*words)
    now = resource.getrusage(resource.RUSAGE_CHILDREN)
    return now.ru_utime + now.ru_stime - usage_before.ru_utime - usage_before.ru_stime


def best_by_turns(*costs: Callable[[], float], tries: int = TRIES) -> list[float]:
    """The best of some tries of each. By turns, as a computer is not always as fast."""
    rounds = [[cost() for cost in costs] for _ in range(tries)]
    return [min(values) for values in zip(*rounds, strict=True)]
