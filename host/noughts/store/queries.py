"""Reading from the store: its games and boards."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple

from noughts.errors import NoughtsError, StoreError
from noughts.protocol.describe import called
from noughts.store.schema import GAME_TIME, UNKNOWN_TIME
from noughts.store.store import Store, command_for, or_demonstration
from noughts.store.stored_game import (
    RESULTS,
    LegalGame,
    StoredGame,
    check_game,
    check_legal,
    check_seats,
    check_times,
)
from noughts.store.timestamps import When

_SEARCHED = 200
"""Boards to choose from; more are too many."""


@dataclass(frozen=True)
class GameFilter:
    """Which games of a store; by default all.

    Raises `NoughtsError` for something that is not a result or a time.
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
            found = f"instr({texts}, caseless(?))"
            # A name begins with its room, such as 3b/; 13b/ is another room.
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
        for time, comparison in ((self.since, ">="), (self.until, "<")):
            if time is not None:
                conditions.append(f"coalesce(started, played_before) {comparison} ?")
                values.append(time)
        return " AND ".join(conditions), values


_FROM = "FROM games JOIN boards ON boards.id = games.board"
_BOOT_DETAILS = ("hardware", "release", "table_id")
_EXPRESSIONS = {
    "board": "boards.name",
    "name": "boards.given_name",
    **{name: f"coalesce(own.{name}, other.{name})" for name in _BOOT_DETAILS},
}
"""The fields of a `StoredGame` that are not columns of `games`."""
_SELECTED = ", ".join(_EXPRESSIONS.get(name, f"games.{name}") for name in StoredGame._fields)
# A boot id identifies a run on any board, except by radio, where it may be forged. With `max`,
# SQLite gives the other columns of the row with the maximum.
_GAMES = f"""
    SELECT {_SELECTED} {_FROM}
    LEFT JOIN (SELECT *, max(heard) FROM boots GROUP BY board, boot) AS own
        ON own.board = games.board AND own.boot = games.boot
    LEFT JOIN (SELECT *, max(heard) FROM boots WHERE NOT by_radio GROUP BY boot) AS other
        ON other.boot = games.boot
"""


def games(
    store: Store, wanted: GameFilter, newest: int | None = None, skipped: int = 0
) -> Iterator[StoredGame]:
    """The games in the order in which they were stored, or the newest of them, newest first.

    newest: how many. skipped: how many still newer ones are left out.
    """
    where, values = wanted.where()
    order = "games.id"
    if newest is not None:
        order = f"{GAME_TIME} DESC, games.id DESC LIMIT ? OFFSET ?"
        values += [newest, skipped]
    yield from store.rows(StoredGame, f"{_GAMES} WHERE {where} ORDER BY {order}", values)


def game(store: Store, number: int) -> StoredGame:
    """The game with this number in the store. Raises `StoreError`."""
    found = list(store.rows(LegalGame, f"{_GAMES} WHERE games.id = ?", [number]))
    if not found:
        listing = command_for("noughts games", store.path)
        raise StoreError(f"there is no game {number} in {store.path}; {listing} lists them")
    return found[0]


def before_and_after(
    store: Store, wanted: GameFilter, found: StoredGame
) -> tuple[int | None, int | None]:
    """The numbers of the matching games that began just before and just after this one.

    Games without a time come before all others.
    """
    where, values = wanted.where()
    time = next((each for each in found.when if each is not None), UNKNOWN_TIME)

    def nearest(comparison: str, way: str) -> int | None:
        query = (
            f"SELECT id FROM games WHERE {where} AND ({GAME_TIME}, id) {comparison} (?, ?) "
            f"ORDER BY {GAME_TIME} {way}, id {way} LIMIT 1"
        )
        rows = store.read(query, [*values, time, found.id])
        return rows[0][0] if rows else None

    return nearest("<", "DESC"), nearest(">", "ASC")


def last_games(store: Store, wanted: GameFilter) -> dict[str, When]:
    """By board, when its latest game was played."""
    where, values = wanted.where()
    # With `max`, SQLite gives the other columns of the row with the maximum.
    columns = f"name, started, played_before, max({GAME_TIME})"
    query = f"SELECT {columns} {_FROM} WHERE {where} GROUP BY boards.id"
    rows = store.rows(_LastGame, query, values)
    return {row.board: When(row.started, row.played_before) for row in rows}


class _LastGame(NamedTuple):
    board: str
    started: int | None
    played_before: int | None
    time: int

    def check(self) -> None:
        check_times(self.started, self.played_before)


class PlayedGame(NamedTuple):
    """What statistics need of a game; see `StoredGame`."""

    board: int
    """Its number in the store."""
    seats: str
    first: str
    moves: str
    times: str
    end: str

    def check(self) -> None:
        """Raise `ValueError` if noughts cannot have stored it."""
        check_game(self.seats, self.first, self.moves, self.times, self.end)


class _LegalPlayedGame(PlayedGame):
    def check(self) -> None:
        super().check()
        check_legal(self.moves, self.first, self.end)


def played(store: Store, wanted: GameFilter, legal: bool = False) -> Iterator[PlayedGame]:
    """The matching games in any order, quickly; legal: also look whether their moves are legal."""
    where, values = wanted.where()
    columns = ", ".join(PlayedGame._fields)
    row_type = _LegalPlayedGame if legal else PlayedGame
    return store.rows(row_type, f"SELECT {columns} FROM games WHERE {where}", values)


def count(store: Store, wanted: GameFilter, what: str = "*") -> int:
    """How many games match, or for how many of them an SQL expression is not NULL."""
    where, values = wanted.where()
    ((found,),) = store.read(f"SELECT count({what}) FROM games WHERE {where}", values)
    return int(found)


def seats_played(store: Store) -> set[str]:
    return {row.seats for row in store.rows(_Seats, "SELECT DISTINCT seats FROM games")}


class _Seats(NamedTuple):
    seats: str

    def check(self) -> None:
        check_seats(self.seats)


class KnownBoard(NamedTuple):
    number: int
    board: str
    name: str | None
    hardware: str | None
    """V1 or V2; None if its start was not received."""
    games: int
    """Those with a move, as statistics and exports count."""
    heard: int | None
    """When the last sentence of a game was received, in ms since 1970; None if unknown."""

    def check(self) -> None:
        """Raise `ValueError` for a time that noughts does not store."""
        check_times(self.heard)


_BOARDS = """
    SELECT id, name, given_name,
           (SELECT hardware FROM boots WHERE board = boards.id ORDER BY heard DESC LIMIT 1),
           (SELECT count(*) FROM games WHERE board = boards.id AND moves <> ''),
           (SELECT max(heard) FROM games WHERE board = boards.id)
    FROM boards ORDER BY id
"""


def boards(store: Store) -> list[KnownBoard]:
    """All boards, in the order in which they were first seen."""
    return list(store.rows(KnownBoard, _BOARDS))


class NamedBoard(NamedTuple):
    """A board and what people call it."""

    number: int
    board: str
    name: str | None

    @property
    def called(self) -> str:
        return called(self.board, self.name)


def named_boards(store: Store) -> Iterator[NamedBoard]:
    """All boards, in the order in which they were first seen; quickly."""
    return store.rows(NamedBoard, "SELECT id, name, given_name FROM boards ORDER BY id")


def names(store: Store) -> dict[str, str]:
    """The names that people have given to boards."""
    return {each.board: each.name for each in named_boards(store) if each.name is not None}


def searched_for(store: Store) -> list[str]:
    """For each board, a text that finds its games: its name, or a part of its USB id."""
    return [each.called.removeprefix("usb-…") for each in islice(named_boards(store), _SEARCHED)]


def known_board(store: Store, wanted: str) -> KnownBoard:
    """The board with this number or id, with or without `usb-` or `radio-`. Raises `StoreError`."""
    for known in boards(store):
        ids = {known.board.lower().removeprefix(prefix) for prefix in ("", "usb-", "radio-")}
        if wanted == str(known.number) or wanted.lower() in ids:
            return known
    listing = command_for("noughts boards", store.path)
    advice = f"{listing} lists them{or_demonstration(store.path)}"
    raise StoreError(f"no board {wanted[:60]!r} is in {store.path}; {advice}")
