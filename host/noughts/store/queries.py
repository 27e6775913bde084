"""Reading games back from the store."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from noughts.errors import NoughtsError, StoreError
from noughts.protocol.describe import SEATS
from noughts.protocol.radio_boards import is_by_radio
from noughts.store import timestamps
from noughts.store.store import Store, command_for, damaged
from noughts.store.stored_game import RESULTS, SQL, StoredGame
from noughts.store.timestamps import When

_MOMENT = "coalesce(started, played_before)"
"""When a game was played, as an index has it."""


@dataclass(frozen=True)
class GameFilter:
    """Which games of a store; nothing given: all."""

    boards: tuple[str, ...] = field(default=())
    """Parts of names or USB ids."""
    seats: str | None = None
    results: tuple[str, ...] = field(default=())
    """Of `RESULTS`."""
    since: int | None = None
    until: int | None = None
    """Moments; the game began before it. Of a recovered game the moment counts before
    which it was played. A game without a moment fits neither."""
    moved: bool = False
    """Leave out those that were left before their first move."""

    def where(self) -> tuple[str, list[object]]:
        """A condition in SQL, and its values."""
        conditions = ["moves <> ''" if self.moved else "1"]
        values: list[object] = []
        if self.boards:
            texts = "lower(name || char(10) || coalesce(given_name, ''))"
            found = f"instr({texts}, lower(?))"
            # The board's name begins with its room, such as 3b/; 13b/ is another one.
            parts = [f"{found} {'= 1' if name.endswith('/') else ''}" for name in self.boards]
            where = f"SELECT id FROM boards WHERE {' OR '.join(parts)}"
            conditions.append(f"games.board IN ({where})")
            values += self.boards
        if self.seats:
            conditions.append("seats = ?")
            values.append(self.seats)
        if self.results:
            conditions.append(f"end IN ({', '.join('?' * len(self.results))})")
            values += [RESULTS[result] for result in self.results]
        for moment, comparison in ((self.since, ">="), (self.until, "<")):
            if moment is not None:
                conditions.append(f"{_MOMENT} {comparison} ?")
                values.append(moment)
        return " AND ".join(conditions), values


_FROM = "FROM games JOIN boards ON boards.id = games.board"


NEWEST_FIRST = f"{_MOMENT} DESC, games.id DESC"


def games(
    store: Store, wanted: GameFilter, newest: int | None = None, skipped: int = 0
) -> Iterator[StoredGame]:
    """The games in the order in which they were stored, or so many of the newest, newest first.

    skipped: how many newer ones are left out of these.
    """
    where, values = wanted.where()
    order = "games.id"
    if newest is not None:
        order = f"{NEWEST_FIRST} LIMIT ? OFFSET ?"
        values += [newest, skipped]
    boots = _boots(store)
    for row in store.each(
        f"SELECT {SQL}, games.board {_FROM} WHERE {where} ORDER BY {order}", values
    ):
        yield _with_boot(row, boots)


def game(store: Store, number: int) -> StoredGame:
    """The game of this number in the store. Raises `StoreError`."""
    rows = store.read(f"SELECT {SQL}, games.board {_FROM} WHERE games.id = ?", [number])
    if not rows:
        listing = command_for("noughts games", store.path)
        raise StoreError(f"there is no game {number} in {store.path}; {listing} lists them")
    return _with_boot(rows[0], _boots(store))


def before_and_after(
    store: Store, wanted: GameFilter, found: StoredGame
) -> tuple[int | None, int | None]:
    """The numbers of the games that fit and began just before and after this one.

    Games without a moment come before all others.
    """
    same = [found.when.moment, found.id]
    if found.when.moment is None:
        before = [(f"{_MOMENT} IS NULL AND games.id < ?", same[1:])]
        after = [(f"{_MOMENT} IS NULL AND games.id > ?", same[1:]), (f"{_MOMENT} IS NOT NULL", [])]
    else:
        before = [(f"({_MOMENT}, games.id) < (?, ?)", same), (f"{_MOMENT} IS NULL", [])]
        after = [(f"({_MOMENT}, games.id) > (?, ?)", same)]
    return _first(store, wanted, before, "DESC"), _first(store, wanted, after, "ASC")


def _first(
    store: Store, wanted: GameFilter, tried: list[tuple[str, list[int | None]]], way: str
) -> int | None:
    """The first game of the first condition that any game fits."""
    where, values = wanted.where()
    for condition, more in tried:
        query = (
            f"SELECT games.id {_FROM} WHERE {where} AND {condition} "
            f"ORDER BY {_MOMENT} {way}, games.id {way} LIMIT 1"
        )
        for (number,) in store.read(query, [*values, *more]):
            return int(number)
    return None


_Boots = dict[tuple[int | None, str], list[tuple[int, tuple[str | None, ...]]]]
_NOTHING_SAID: list[tuple[int, tuple[str | None, ...]]] = [(0, (None, None, None))]


def _boots(store: Store) -> _Boots:
    """What boards sent when they started and when, by board and boot id, earliest first.

    A boot id identifies a run on any board, so each is also listed without a board; except
    those received by radio, which do not describe other runs.
    """
    boots: _Boots = {}
    query = (
        "SELECT board, name, boot, coalesce(heard, 0), hardware, release, table_id "
        "FROM boots JOIN boards ON boards.id = board ORDER BY 4"
    )
    for board, name, boot, heard, *said in store.each(query):
        boots.setdefault((board, boot), []).append((heard, tuple(said)))
        if not is_by_radio(name):
            boots.setdefault((None, boot), []).append((heard, tuple(said)))
    return boots


def _with_boot(row: tuple[Any, ...], boots: _Boots) -> StoredGame:
    boot, heard, board = row[3], row[10], row[-1]
    told = boots.get((board, boot)) or boots.get((None, boot)) or _NOTHING_SAID
    if len(told) > 1:  # the same id twice in a board's life: the last before the game counts
        told = [each for each in told if heard is None or each[0] <= heard] or told
    return StoredGame._make((*row[:-1], *told[-1][1]))


_UNSOUND = (ValueError, TypeError, KeyError, IndexError, OverflowError, AttributeError)


@contextmanager
def sound(path: Path) -> Iterator[None]:
    """What is read from the store may be nonsense: then it raises `StoreError`."""
    try:
        yield
    except NoughtsError:
        raise
    except _UNSOUND as error:
        raise damaged(path, error) from error


def last_games(store: Store, wanted: GameFilter) -> dict[str, When]:
    """By board, when the latest of its games was played. Raises `StoreError`."""
    where, values = wanted.where()
    # With `max`, SQLite gives the other columns of the row that has it.
    columns = f"name, max({_MOMENT}), started, played_before"
    query = f"SELECT {columns} {_FROM} WHERE {where} GROUP BY boards.id"
    with sound(store.path):
        return {
            str(board): When(moment(started), moment(before))
            for board, _, started, before in store.each(query, values)
        }


def moment(value: Any) -> int | None:
    """A moment that the store holds; raises what `sound` expects if it is nonsense."""
    if value is not None:
        timestamps.iso(value)
    return value and int(value)


def played(store: Store, wanted: GameFilter) -> Iterator[tuple[int, str, str, str, str, str]]:
    """Of each game, in any order: board, seats, first, moves, times, end.

    The board is its number in the store. Quick, for many games.
    """
    where, values = wanted.where()
    query = "SELECT games.board, seats, first, moves, times, end"
    yield from store.each(f"{query} {_FROM} WHERE {where}", values)


def count_origins(store: Store, wanted: GameFilter) -> tuple[int, int]:
    """How many games were recovered, and have no start, and how many came only by radio.

    Raises `StoreError`.
    """
    where, values = wanted.where()
    late = "count(CASE WHEN started IS NULL THEN played_before END)"
    query = f"SELECT {late}, count(nullif(by_radio, 0)) {_FROM} WHERE {where}"
    ((told_late, by_radio),) = store.read(query, values)
    return int(told_late), int(by_radio)


def count(store: Store, wanted: GameFilter) -> int:
    """How many games fit."""
    where, values = wanted.where()
    ((found,),) = store.read(f"SELECT count(*) {_FROM} WHERE {where}", values)
    return int(found)


def seats_played(store: Store) -> list[str]:
    """Who has played as A and as B in any game, as letters in the order of `SEATS`.

    Raises `StoreError`.
    """
    with sound(store.path):
        found = [str(seats) for (seats,) in store.each("SELECT DISTINCT seats FROM games")]
        return sorted(found, key=lambda seats: [list(SEATS).index(seat) for seat in seats])
