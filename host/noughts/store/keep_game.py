"""Keeping a sentence of a game in the games' table: in the row of its game, or in a new one.

`merging.py` says what a row and a sentence know together; here it is found and written.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from noughts.protocol.radio_boards import is_by_radio
from noughts.protocol.sentences import Game
from noughts.store.merging import (
    NO_DATES,
    Dates,
    Played,
    corrected,
    dates_of,
    first_played,
    knows,
    merge,
    precedence,
)


@dataclass(frozen=True)
class Kept:
    """A sentence is in the store."""

    game: int | None
    """The game's number in the store; none for a boot."""
    new: bool
    """Whether the store did not have all of it before."""
    played_before: int | None = None
    """Of a game whose start is not known: a moment at which it was over, in ms since 1970."""


class _Row(NamedTuple):
    """A stored game that a sentence may be of."""

    id: int
    board: int
    again: int
    by_radio: int
    played: Played
    dates: Dates


_ROWS = (
    "SELECT id, board, again, by_radio, seats, first, moves, times, ms, end, started, heard, "
    "played_before, start_by_radio FROM games WHERE boot = ? AND number = ? AND "
)


def keep_game(
    db: sqlite3.Connection, board: int, name: str, game: Game, at: int | None, late: bool
) -> Kept:
    """Keep a sentence of a board, in the present transaction; see `Store.keep`.

    board: its number in the store.
    """
    moves = "".join(map(str, game.moves))
    by_radio = is_by_radio(name)
    count, rows = _rows(db, board, game)
    same = _of_the_same_game(rows, board, by_radio, game, moves)
    if same is None:
        dates = dates_of(game, NO_DATES, at, late, by_radio)
        new = _Row(0, board, count, int(by_radio), first_played(game, moves), dates)
        return Kept(_insert(db, new, game), True, dates.played_before)
    found, played, contradicted = same
    if contradicted:  # it stays as another game, so that hearing it again changes nothing
        _insert(db, found._replace(again=count), game)
    changed = played != found.played
    dates = dates_of(game, found.dates, at, late, by_radio)
    if changed or dates != found.dates:
        _change(db, found, played, dates)
    if by_radio or found.by_radio:
        _note_radio(db, found, by_radio, played, game)
    if found.board != board:
        _note_board(db, found, board, name, count)
    return Kept(found.id, changed, dates.played_before)


def _insert(db: sqlite3.Connection, new: _Row, game: Game) -> int | None:
    """A new row, with the ids and the players of this sentence's game; its number."""
    row = {
        "board": new.board, "boot": game.boot, "number": game.number, "again": new.again,
        "seats": game.seats, "first": game.first, **new.played._asdict(), **new.dates._asdict(),
        "by_radio": new.by_radio,
    }  # fmt: skip
    query = f"INSERT INTO games ({', '.join(row)}) VALUES (:{', :'.join(row)})"
    return db.execute(query, row).lastrowid


def _rows(db: sqlite3.Connection, board: int, game: Game) -> tuple[int, list[_Row]]:
    """How many games have the same ids, and those of them with the same players."""
    if len(game.boot) == 8:
        found = db.execute(f"{_ROWS} length(boot) = 8", (game.boot, game.number)).fetchall()
    else:  # 16 random bits are none to know a game by
        found = db.execute(f"{_ROWS} board = ?", (game.boot, game.number, board)).fetchall()
    rows = [
        _Row(row[0], row[1], row[2], row[3], Played(*row[6:10]), Dates(*row[10:]))
        for row in found
        if row[4] == game.seats and row[5] == game.first
    ]
    return len(found), rows


def _of_the_same_game(
    rows: Sequence[_Row], board: int, by_radio: bool, game: Game, moves: str
) -> tuple[_Row, Played, bool] | None:
    """The stored game that a sentence is of, and what they know together; the board's own first.

    And whether the sentence contradicts what the game had by radio.
    """
    if len(rows) > 1:
        rows = sorted(rows, key=lambda row: (row.board != board, -row.again))
    for row in rows:
        if knows(row.played, game, moves):
            return row, row.played, False
    for own in (True, False):
        some = [row for row in rows if (row.board == board) is own]
        for row in some:
            if (merged := merge(row.played, game, moves)) is not None:
                return row, merged, False
        for row in some:
            if own and row.by_radio and not by_radio:
                return row, corrected(row.played, game, moves), True
    return None


def _change(db: sqlite3.Connection, row: _Row, played: Played, dates: Dates) -> None:
    """Write what is new of a game."""
    if dates == row.dates._replace(heard=dates.heard):  # to set a start is work in its index
        db.execute(
            "UPDATE games SET moves = ?, times = ?, ms = ?, end = ?, heard = ? WHERE id = ?",
            (*played, dates.heard, row.id),
        )
        return
    db.execute(
        "UPDATE games SET moves = ?, times = ?, ms = ?, end = ?, started = ?, heard = ?, "
        "played_before = ?, start_by_radio = ? WHERE id = ?",
        (*played, *dates, row.id),
    )


def _note_radio(
    db: sqlite3.Connection, row: _Row, by_radio: bool, played: Played, game: Game
) -> None:
    """Note whether the radio alone knows how a game went on, after this sentence of it."""
    if by_radio:
        alone = row.by_radio or int(played.progress != row.played.progress)
    else:
        alone = int((len(game.moves), game.end == "x") < played.progress)
    if alone != row.by_radio:
        db.execute("UPDATE games SET by_radio = ? WHERE id = ?", (alone, row.id))


def _note_board(db: sqlite3.Connection, row: _Row, board: int, name: str, count: int) -> None:
    """Keep a game under the board that counts most; count: how many games have the same ids."""
    ((other,),) = db.execute("SELECT name FROM boards WHERE id = ?", (row.board,))
    if precedence(name) > precedence(other):
        return
    moved = db.execute("UPDATE OR IGNORE games SET board = ? WHERE id = ?", (board, row.id))
    if not moved.rowcount:  # earlier versions kept a game for each name of its board
        db.execute("UPDATE games SET board = ?, again = ? WHERE id = ?", (board, count, row.id))
