"""Times: milliseconds since 1970 (UTC) in the store, ISO 8601 in files, local time for people."""

import time
from bisect import bisect_left
from datetime import date, datetime, timedelta, timezone
from functools import lru_cache
from typing import NamedTuple

_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
_EPOCH_UTC = _EPOCH.replace(tzinfo=None)
_MS = timedelta(milliseconds=1)
_HOUR_MS = 3_600_000
_DAY_S = 86_400


def now() -> int:
    """The present time."""
    return time.time_ns() // 1_000_000


def iso(ms: int) -> str:
    """`2026-11-21T07:03:43.123Z`."""
    return f"{utc(ms, 'T')}Z"


def utc(ms: int, separator: str = " ") -> str:
    """`2026-11-21 07:03:43.123`, for spreadsheets."""
    hours, ms = divmod(ms, _HOUR_MS)
    minutes, ms = divmod(ms, 60_000)
    seconds, ms = divmod(ms, 1000)
    return f"{_hour(hours, separator)}:{minutes:02}:{seconds:02}.{ms:03}"


@lru_cache(100)  # an export has two times for each game, and games come one after another
def _hour(hours: int, separator: str) -> str:
    return (_EPOCH_UTC + timedelta(hours=hours)).isoformat(separator, "hours")


def from_iso(text: str) -> int:
    """The time in a text of `iso`, in the years 1970 to 9998. Raises `ValueError`."""
    time = datetime.fromisoformat(text.replace("Z", "+00:00"))
    if not _EPOCH.year <= time.year <= 9998:
        raise ValueError(f"nothing was received at {text}")
    return (time - _EPOCH) // _MS


def local(ms: int | None) -> str:
    """`2026-11-21 08:03`, in this computer's time zone; a dash if unknown."""
    if ms is None:
        return "-"
    return (_EPOCH + ms * _MS).astimezone().strftime("%Y-%m-%d %H:%M")


class When(NamedTuple):
    """When a game was played: its start, or a time by which it had ended; both may be unknown."""

    started: int | None = None
    played_before: int | None = None

    def __str__(self) -> str:
        """`2026-11-21 08:03`, or `before 2026-11-21 08:03`, or a dash."""
        if self.started is None and self.played_before is not None:
            # Rounded up: a game that had ended by this time had ended before that minute.
            return f"before {local(-(-self.played_before // 60_000) * 60_000)}"
        return local(self.started)


def today() -> date:
    """In this computer's time zone."""
    return datetime.fromtimestamp(now() / 1000).date()


def of_day(day: date) -> int:
    """When a day begins, in this computer's time zone.

    Where clocks go forward at midnight, that day has no midnight, and begins at the change. Raises
    `OverflowError`, `ValueError` or `OSError` for days that the system cannot represent.
    """
    noon_s = round(datetime(day.year, day.month, day.day, 12).timestamp())
    seconds = range(noon_s - _DAY_S, noon_s)
    return 1000 * (seconds.start + bisect_left(seconds, day, key=date.fromtimestamp))
