"""Reading from the store: its games and boards."""

from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from noughts.errors import GameNotFoundError, StoreError
from noughts.protocol.describe import display_name
from noughts.store.game_filter import GameFilter
from noughts.store.rows import Columns
from noughts.store.schema import GAME_TIME, UNKNOWN_TIME
from noughts.store.store import Store, command_for, or_demonstration
from noughts.store.stored_game import (
    LegalGame,
    StoredGame,
    check_games,
    check_legal,
    check_seats,
    check_times,
)
from noughts.store.timestamps import When

_SEARCHED = 200
"""Boards to choose from; more are too many."""


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
    store: Store, game_filter: GameFilter, newest: int | None = None, skipped: int = 0
) -> Iterator[StoredGame]:
    """The games in the order in which they were stored, or the newest of them, newest first.

    newest: how many. skipped: how many still newer ones are left out.
    """
    where, values = game_filter.where()
    order = "games.id"
    if newest is not None:
        order = f"{GAME_TIME} DESC, games.id DESC LIMIT ? OFFSET ?"
        values += [newest, skipped]
    yield from store.rows(StoredGame, f"{_GAMES} WHERE {where} ORDER BY {order}", values)


def game(store: Store, number: int) -> StoredGame:
    """The game with this number in the store. Raises `GameNotFoundError`."""
    rows = list(store.rows(LegalGame, f"{_GAMES} WHERE games.id = ?", [number]))
    if not rows:
        listing = command_for("noughts games", store.path)
        raise GameNotFoundError(f"there is no game {number} in {store.path}; {listing} lists them")
    return rows[0]


def before_and_after(
    store: Store, game_filter: GameFilter, game: StoredGame
) -> tuple[int | None, int | None]:
    """The numbers of the matching games that began just before and just after this one.

    Games without a time come before all others.
    """
    where, values = game_filter.where()
    time = next((time for time in game.when if time is not None), UNKNOWN_TIME)

    def nearest(comparison: str, way: str) -> int | None:
        query = (
            f"SELECT id FROM games WHERE {where} AND ({GAME_TIME}, id) {comparison} (?, ?) "
            f"ORDER BY {GAME_TIME} {way}, id {way} LIMIT 1"
        )
        rows = store.read(query, [*values, time, game.id])
        return rows[0][0] if rows else None

    return nearest("<", "DESC"), nearest(">", "ASC")


def last_games(store: Store, game_filter: GameFilter) -> dict[str, When]:
    """By board, when its latest game was played."""
    where, values = game_filter.where()
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

    @staticmethod
    def check(columns: Columns) -> None:
        check_times(columns["started"], columns["played_before"])


class PlayedGame(NamedTuple):
    """What statistics need of a game; see `StoredGame`."""

    board: int
    """Its number in the store."""
    seats: str
    first: str
    moves: str
    times: str
    end: str

    @staticmethod
    def check(columns: Columns) -> None:
        """Raise `ValueError` if noughts cannot have stored such games."""
        check_games(columns)


class _LegalPlayedGame(PlayedGame):
    @staticmethod
    def check(columns: Columns) -> None:
        check_games(columns)
        check_legal(columns)


def played(store: Store, game_filter: GameFilter, legal: bool = False) -> Iterator[PlayedGame]:
    """The matching games in any order, quickly; legal: also look whether their moves are legal."""
    where, values = game_filter.where()
    columns = ", ".join(PlayedGame._fields)
    row_type = _LegalPlayedGame if legal else PlayedGame
    return store.rows(row_type, f"SELECT {columns} FROM games WHERE {where}", values)


def count(store: Store, game_filter: GameFilter, what: str = "*") -> int:
    """How many games match, or for how many of them an SQL expression is not NULL."""
    where, values = game_filter.where()
    ((number,),) = store.read(f"SELECT count({what}) FROM games WHERE {where}", values)
    return int(number)


def seats_played(store: Store) -> set[str]:
    """The seats of all games, such as `PH`."""
    return {row.seats for row in store.rows(_Seats, "SELECT DISTINCT seats FROM games")}


class _Seats(NamedTuple):
    seats: str

    @staticmethod
    def check(columns: Columns) -> None:
        check_seats(columns["seats"])


class KnownBoard(NamedTuple):
    """A board, as `noughts boards` lists it."""

    number: int
    board: str
    name: str | None
    hardware: str | None
    """V1 or V2; None if its start was not received."""
    games: int
    """Those with a move, as statistics and exports count."""
    heard: int | None
    """When the last sentence of a game was received, in ms since 1970; None if unknown."""

    @staticmethod
    def check(columns: Columns) -> None:
        """Raise `ValueError` for a time that noughts does not store."""
        check_times(columns["heard"])


# The games of a copied log may all be those of another board, whose log it is or which was read
# before. Then nobody misses it in a list.
_LISTED = """
    (name NOT GLOB 'file-*' AND name NOT GLOB '*/file-*' OR given_name IS NOT NULL
     OR EXISTS (SELECT 1 FROM games WHERE board = boards.id)
     OR EXISTS (SELECT 1 FROM boots WHERE board = boards.id))
"""
_BOARDS = f"""
    SELECT id, name, given_name,
           (SELECT hardware FROM boots WHERE board = boards.id ORDER BY heard DESC LIMIT 1),
           (SELECT count(*) FROM games WHERE board = boards.id AND moves <> ''),
           (SELECT max(heard) FROM games WHERE board = boards.id)
    FROM boards WHERE {_LISTED} ORDER BY id
"""


def boards(store: Store) -> list[KnownBoard]:
    """All boards but copied logs without games, in the order in which they were first seen."""
    return list(store.rows(KnownBoard, _BOARDS))


class NamedBoard(NamedTuple):
    """A board and what people call it."""

    number: int
    board: str
    name: str | None

    @property
    def display_name(self) -> str:
        """The name for people: what they call it, else a short form of its own name."""
        return display_name(self.board, self.name)


def named_boards(store: Store) -> Iterator[NamedBoard]:
    """The same boards, without what is known of their games."""
    query = f"SELECT id, name, given_name FROM boards WHERE {_LISTED} ORDER BY id"
    return store.rows(NamedBoard, query)


def names(store: Store) -> dict[str, str]:
    """The names that people have given to boards; quickly, and from any store that has boards."""
    query = "SELECT id, name, given_name FROM boards WHERE given_name IS NOT NULL"
    return {board.board: board.name or "" for board in store.rows(NamedBoard, query)}


def searched_for(store: Store) -> list[str]:
    """For each board, a text that finds its games: its name, or a part of its USB id."""
    return [
        board.display_name.removeprefix("usb-…") for board in islice(named_boards(store), _SEARCHED)
    ]


def known_board(store: Store, number_or_id: str) -> KnownBoard:
    """The board with this number or id, with or without `usb-` or `radio-`. Raises `StoreError`."""
    for board in boards(store):
        ids = {board.board.lower().removeprefix(prefix) for prefix in ("", "usb-", "radio-")}
        if number_or_id == str(board.number) or number_or_id.lower() in ids:
            return board
    listing = command_for("noughts boards", store.path)
    advice = f"{listing} lists them{or_demonstration(store.path)}"
    raise StoreError(f"no board {number_or_id[:60]!r} is in {store.path}; {advice}")
