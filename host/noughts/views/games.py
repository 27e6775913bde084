"""Stored games: which of them a person chooses, in words, and the list of them."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import date, timedelta

from noughts.protocol.describe import SEATS, opponents, seated, won
from noughts.store import timestamps
from noughts.store.queries import GameFilter
from noughts.store.stored_game import RESULTS, UNFINISHED, StoredGame
from noughts.views.table import Table, Value, number, text

_SEATS = re.compile(f"[{''.join(SEATS)}]{{2}}")
_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
DAYS = "today, yesterday, a weekday such as monday for the latest one, or a date such as 2026-11-21"


@dataclass(frozen=True)
class ChosenGames:
    """Which games of a store; nothing given: all."""

    boards: tuple[str, ...] = ()
    """Parts of names or USB ids."""
    seats: str | None = None
    results: tuple[str, ...] = ()
    """Of `RESULTS`."""
    since: date | None = None
    until: date | None = None
    """Days in this computer's time zone; the games began on them or between them; of one
    that was recovered the day counts on which it was."""

    def filter(self) -> GameFilter:
        """The same with moments, without games in which nobody has moved."""
        since = None if self.since is None else timestamps.of_day(self.since)
        until = None if self.until is None else timestamps.of_day(self.until + timedelta(days=1))
        return GameFilter(self.boards, self.seats, self.results, since, until, moved=True)

    def listed(self) -> GameFilter:
        """The same for a list: unfinished games are in it if they are chosen."""
        ended = tuple(result for result in RESULTS if result != UNFINISHED)
        return replace(self, results=self.results or ended).filter()

    def describe(self) -> str:
        """As a person says it; empty for all."""
        words = []
        if self.boards:
            words.append(f"boards with {' or '.join(map(repr, self.boards))} in their name")
        if self.seats:
            words.append(opponents(self.seats))
        if self.results:
            words.append(f"results {' or '.join(self.results)}")
        words += [f"since {self.since}"] if self.since else []
        words += [f"until {self.until}"] if self.until else []
        return ", ".join(words)


def seats(text: str) -> str:
    """Who plays as A and as B, in any case. Raises `ValueError`, saying what is wrong."""
    if not _SEATS.fullmatch(text.upper()):
        raise ValueError(f"{text[:20]!r} is not two letters of {', '.join(SEATS)}, such as PH")
    return text.upper()


def result(text: str) -> str:
    """One of `RESULTS`, in any case. Raises `ValueError`, saying what is wrong."""
    names = {name.lower(): name for name in RESULTS}
    if text.lower() not in names:
        raise ValueError(f"{text[:20]!r} is not a result; choose from {', '.join(RESULTS)}")
    return names[text.lower()]


def day(text: str) -> date:
    """A day by its name or date. Raises `ValueError`, saying what is wrong."""
    word = text.lower()
    today = timestamps.today()
    if word in ("today", "yesterday"):
        return today - timedelta(days=word == "yesterday")
    if word in _WEEKDAYS:
        return today - timedelta(days=(today.weekday() - _WEEKDAYS.index(word)) % 7)
    try:
        found = date.fromisoformat(text)
        for each in (found, found + timedelta(days=1)):
            timestamps.of_day(each)
        return found
    except (ValueError, OverflowError, OSError) as error:
        raise ValueError(f"{text[:20]!r} is not a usable date; write {DAYS}") from error


def games_table(games: Iterable[StoredGame]) -> Table:
    """A row for each game, which begins with its number."""
    rows: list[tuple[Value, ...]] = [
        (
            str(game.id),
            str(game.when),
            *map(seated, game.seats),
            game.first,
            len(game.moves),
            round(game.ms / 1000),
            won(game.result),
            game.called,
        )
        for game in games
    ]
    columns = (
        number("game"),
        *map(text, ("began", "A", "B", "first")),
        *map(number, ("moves", "seconds")),
        *map(text, ("result", "board")),
    )
    return Table("Games, the newest first", columns, rows)
