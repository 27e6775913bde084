"""Which games of a store: a filter, and what people write to choose from it."""

import re
from dataclasses import dataclass
from datetime import date, timedelta

from noughts.errors import NoughtsError
from noughts.store import timestamps
from noughts.store.stored_game import RESULTS

_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
DAYS = "today, yesterday, a weekday such as monday for the latest one, or a date such as 2026-11-21"


@dataclass(frozen=True)
class GameFilter:
    """Which games of a store; by default all.

    Raises `NoughtsError` for something that is not a result or a time.

    >>> GameFilter(boards=("red",), results=("A", "draw")).results
    ('A', 'draw')
    >>> GameFilter(since="today")
    Traceback (most recent call last):
    noughts.errors.NoughtsError: 'today' is not a time; give milliseconds since 1970
    """

    boards: tuple[str, ...] = ()
    """Parts of their names or USB ids."""
    seats: str | None = None
    results: tuple[str, ...] = ()
    """Of `RESULTS`."""
    since: int | None = None
    until: int | None = None
    """Times in ms since 1970; `until` itself is excluded. A recovered game counts by the time by
    which it had ended. A game without a time fits neither."""
    moved: bool = False
    """Only games with a move."""

    def __post_init__(self) -> None:
        for result in self.results:
            if result not in RESULTS:
                raise NoughtsError(f"{result!r} is not a result; choose from {', '.join(RESULTS)}")
        for time in (self.since, self.until):
            if not isinstance(time, int | None):
                raise NoughtsError(f"{time!r} is not a time; give milliseconds since 1970")

    def where(self) -> tuple[str, list[object]]:
        """A condition in SQL, and its values."""
        conditions = ["moves <> ''" if self.moved else "1"]
        values: list[object] = []
        if self.boards:
            texts = "caseless(name || char(10) || coalesce(given_name, ''))"
            position = f"instr({texts}, caseless(?))"
            # A name begins with its room, such as 3b/; 13b/ is another room.
            parts = [f"{position} {'= 1' if name.endswith('/') else ''}" for name in self.boards]
            where = f"SELECT id FROM boards WHERE {' OR '.join(parts)}"
            conditions.append(f"games.board IN ({where})")
            values += self.boards
        if self.seats:
            conditions.append("seats = ?")
            values.append(self.seats)
        if self.results:
            conditions.append(f"end IN ({', '.join('?' * len(self.results))})")
            values += [RESULTS[result] for result in self.results]
        for time, comparison in ((self.since, ">="), (self.until, "<")):
            if time is not None:
                conditions.append(f"coalesce(started, played_before) {comparison} ?")
                values.append(time)
        return " AND ".join(conditions), values


def parse_seats(text: str) -> str:
    """The seats of A and B, in any case. Raises `ValueError`, saying what is wrong."""
    if not re.fullmatch("[A-Za-z]{2}", text):
        raise ValueError(f"{text[:20]!r} is not the letters of two players, such as PH")
    return text.upper()


def parse_result(text: str) -> str:
    """One of `RESULTS`, in any case. Raises `ValueError`, saying what is wrong."""
    names = {name.lower(): name for name in RESULTS}
    if text.lower() not in names:
        raise ValueError(f"{text[:20]!r} is not a result; choose from {', '.join(RESULTS)}")
    return names[text.lower()]


def parse_day(text: str) -> tuple[int, int]:
    """The beginning and the end of a day. Raises `ValueError`, saying what is wrong."""
    today = timestamps.today()
    ago = {name: (today.weekday() - number) % 7 for number, name in enumerate(_WEEKDAYS)}
    ago |= {"today": 0, "yesterday": 1}
    try:
        if text.lower() in ago:
            chosen_day = today - timedelta(days=ago[text.lower()])
        else:
            chosen_day = date.fromisoformat(text)
        return timestamps.of_day(chosen_day), timestamps.of_day(chosen_day + timedelta(days=1))
    except (ValueError, OverflowError, OSError) as error:
        raise ValueError(f"{text[:20]!r} is not a usable date; write {DAYS}") from error
