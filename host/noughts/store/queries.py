"""Reading games back from the store."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from operator import sub
from pathlib import Path
from typing import Any

from noughts.errors import StoreError
from noughts.game.review import mistakes
from noughts.protocol.describe import seated
from noughts.protocol.sentences import player_of
from noughts.store import timestamps
from noughts.store.store import Store, damaged

RESULTS = {"A": "A", "B": "B", "draw": "=", "abandoned": "x", "unfinished": "-"}
"""How results are called, and how the store writes them."""

_NAMES = {end: name for name, end in RESULTS.items()}


def thinking(times: str) -> list[int | None]:
    """Of a game's `times`: for each move, ms since the move before, or since the game began.

    None where one of the two was not heard, or where the times run backwards: earlier versions
    kept such.
    """
    if not times:
        return []
    if times[0] != "," and times[-1] != "," and ",," not in times:
        heard = list(map(int, times.split(",")))
        thought = [heard[0], *map(sub, heard[1:], heard)]
        if min(thought) >= 0:
            return list(thought)
    moved = [0, *(int(time) if time else None for time in times.split(","))]
    return [
        None if now is None or before is None or now < before else now - before
        for before, now in pairwise(moved)
    ]


@dataclass(frozen=True)
class StoredGame:
    """A game of the store; see `sentences.Game` for what the board tells."""

    id: int
    board: str
    boot: str
    number: int
    seats: str
    first: str
    moves: str
    """Cells 0 to 8."""
    times: str
    ms: int
    end: str
    started: int | None
    """Moments are ms since 1970, UTC; None where nobody looked at a clock."""
    heard: int | None
    hardware: str | None
    """What the board said of itself when it started; None if that was not heard."""
    release: str | None
    table_id: str | None

    @property
    def result(self) -> str:
        """One of `RESULTS`."""
        return _NAMES[self.end]

    @cached_property
    def thought_ms(self) -> list[int | None]:
        """For each move, ms since the move before, or since the game began."""
        return thinking(self.times) if self.times else [None] * len(self.moves)

    def player(self, ply: int) -> str:
        """Who makes the move of this number, the first being 0: A or B."""
        return player_of(self.first, ply)


@dataclass(frozen=True)
class GameFilter:
    """Which games of a store; nothing given: all."""

    boards: tuple[str, ...] = field(default=())
    """Parts of names."""
    seats: str | None = None
    results: tuple[str, ...] = field(default=())
    """Of `RESULTS`."""
    since: int | None = None
    until: int | None = None
    """Moments; the game began before it. A game without a moment fits neither."""

    def where(self) -> tuple[str, list[object]]:
        """A condition in SQL, and its values."""
        conditions = ["1"]
        values: list[object] = []
        if self.boards:
            conditions.append(
                f"({' OR '.join(['instr(lower(name), lower(?))'] * len(self.boards))})"
            )
            values += self.boards
        if self.seats:
            conditions.append("seats = ?")
            values.append(self.seats)
        if self.results:
            conditions.append(f"end IN ({', '.join('?' * len(self.results))})")
            values += [RESULTS[result] for result in self.results]
        for moment, comparison in ((self.since, ">="), (self.until, "<")):
            if moment is not None:
                conditions.append(f"started {comparison} ?")
                values.append(moment)
        return " AND ".join(conditions), values


_FROM = "FROM games JOIN boards ON boards.id = games.board"

_COLUMNS = (
    "games.id, boards.name, boot, number, seats, first, moves, times, ms, end, started, heard, "
    "board"
)


def games(store: Store, wanted: GameFilter, newest: int | None = None) -> Iterator[StoredGame]:
    """The games in the order in which they were kept, or so many of the newest, newest first."""
    where, values = wanted.where()
    order = "games.id" if newest is None else "started DESC, games.id DESC LIMIT ?"
    if newest is not None:
        values.append(newest)
    boots = _boots(store)
    for row in store.each(f"SELECT {_COLUMNS} {_FROM} WHERE {where} ORDER BY {order}", values):
        yield _with_boot(row, boots, store.path)


def game(store: Store, number: int | None) -> StoredGame:
    """The game of this number in the store; none: the newest. Raises `StoreError`."""
    if number is None:
        found = list(games(store, GameFilter(), newest=1))
        if not found:
            raise StoreError(f"{store.path} holds no game yet; `noughts watch` keeps them")
        return found[0]
    rows = store.read(f"SELECT {_COLUMNS} {_FROM} WHERE games.id = ?", [number])
    if not rows:
        raise StoreError(f"there is no game {number} in {store.path}; `noughts games` lists them")
    return _with_boot(rows[0], _boots(store), store.path)


_Boots = dict[tuple[int, str], list[tuple[int, str, str, str]]]


def _boots(store: Store) -> _Boots:
    """What boards said when they started, by board and boot id, the earliest first."""
    boots: _Boots = {}
    query = (
        "SELECT board, boot, coalesce(heard, 0), hardware, release, table_id FROM boots ORDER BY 3"
    )
    for board, boot, *told in store.each(query):
        boots.setdefault((board, boot), []).append(tuple(told))
    return boots


def _with_boot(row: tuple[Any, ...], boots: _Boots, path: Path) -> StoredGame:
    *columns, heard, board = row
    told = boots.get((board, columns[2]), [])
    # A boot id may come twice in a board's life: what was said last before the game counts.
    before = [each for each in told if heard is None or each[0] <= heard]
    said = (before or told)[-1][1:] if told else (None, None, None)
    game = StoredGame(*(*columns, heard, *said))
    with sound(path):
        _check(game)
    return game


def _check(game: StoredGame) -> None:
    """Raise one of `_UNSOUND` if a damaged store has made nonsense of a game."""
    mistakes(game.moves)
    if len(game.thought_ms) != len(game.moves) or not game.result:
        raise ValueError
    for seat in game.seats:
        seated(seat)
    for moment in (game.started, game.heard):
        if moment is not None:
            timestamps.iso(moment)
    if game.first not in ("A", "B") or len(game.seats) != 2 or game.ms < 0:
        raise ValueError


_UNSOUND = (ValueError, TypeError, KeyError, IndexError, OverflowError, AttributeError)


@contextmanager
def sound(path: Path) -> Iterator[None]:
    """What is read from the store may be nonsense: then it raises `StoreError`."""
    try:
        yield
    except _UNSOUND as error:
        raise damaged(path, error) from error


def played(store: Store, wanted: GameFilter) -> Iterator[tuple[str, str, str, str, str]]:
    """Of each game, in any order: seats, first, moves, times, end. Quick, for many games."""
    where, values = wanted.where()
    yield from store.each(f"SELECT seats, first, moves, times, end {_FROM} WHERE {where}", values)


def count(store: Store, wanted: GameFilter) -> int:
    """How many games fit."""
    where, values = wanted.where()
    ((found,),) = store.read(f"SELECT count(*) {_FROM} WHERE {where}", values)
    return int(found)
