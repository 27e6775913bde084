"""Moments: milliseconds since 1970 (UTC) in the store, ISO 8601 in files, local time for people."""

from __future__ import annotations

import time
from datetime import date, datetime, timedelta, timezone
from functools import lru_cache
from typing import NamedTuple

_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)


def now() -> int:
    """This moment."""
    return time.time_ns() // 1_000_000


def iso(ms: int) -> str:
    """`2026-11-21T07:03:43.123Z`."""
    hour, rest = divmod(ms, 3_600_000)
    minute, second = divmod(rest, 60_000)
    return f"{_iso_hour(hour)}:{minute:02}:{second / 1000:06.3f}Z"


@lru_cache(1000)  # an export writes each hour many times
def _iso_hour(hour: int) -> str:
    return (_EPOCH + timedelta(hours=hour)).isoformat()[:13]


def from_iso(text: str) -> int:
    """The moment that `iso` wrote, between the years 1970 and 9998. Raises `ValueError`."""
    moment = datetime.strptime(text, "%Y-%m-%dT%H:%M:%S.%fZ").replace(tzinfo=timezone.utc)
    if not _EPOCH.year <= moment.year <= 9998:
        raise ValueError(f"{text} is not a moment when a board was heard")
    return (moment - _EPOCH) // timedelta(milliseconds=1)


def local(ms: int | None) -> str:
    """`2026-11-21 08:03`, in this computer's time zone; a dash for a moment that nobody knows."""
    if ms is None:
        return "-"
    return (_EPOCH + timedelta(milliseconds=ms)).astimezone().strftime("%Y-%m-%d %H:%M")


def local_bound(ms: int) -> str:
    """A minute, as `local`, before which all that was over at this moment was over."""
    return local(-(-ms // 60_000) * 60_000)


class When(NamedTuple):
    """When a game was played: its start, or a moment at which it was over, or neither is known."""

    started: int | None
    played_before: int | None

    @property
    def moment(self) -> int | None:
        """What games are sorted and chosen by."""
        return self.played_before if self.started is None else self.started

    def __str__(self) -> str:
        """`2026-11-21 08:03`, or `before 2026-11-21 08:03`, or a dash."""
        if self.started is None and self.played_before is not None:
            return f"before {local_bound(self.played_before)}"
        return local(self.started)


UNKNOWN = When(None, None)


def today() -> date:
    """The day that it is, in this computer's time zone."""
    return datetime.fromtimestamp(now() / 1000).date()


def of_day(day: date) -> int:
    """When a day begins, in this computer's time zone.

    Raises `OverflowError` or `OSError` for days that the system does not count.
    """
    midnight = datetime(day.year, day.month, day.day).astimezone()
    return (midnight - _EPOCH) // timedelta(milliseconds=1)
