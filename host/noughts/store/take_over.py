"""Taking over the games of a store that knew no lines: each says which lines it came from."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

from noughts.protocol.radio_boards import is_by_radio
from noughts.protocol.sentences import Boot, Game, body
from noughts.store.fold import FoldedGame
from noughts.store.lines import Key, Lines

_Line = tuple[bool, bool, int | None, str]
"""By radio, late, the moment, the text."""

_INSERT = (
    "INSERT OR IGNORE INTO lines (board, boot, number, by_radio, late, at, text) "
    "VALUES (?, ?, ?, ?, ?, ?, ?)"
)


def take_over(db: sqlite3.Connection) -> None:
    """Fill `lines` from `old_games`, and `games` from the lines, in the present transaction.

    A game keeps its number. Earlier versions had a row for each board name under which a game was
    received; those are one game now.
    """
    for board, heard, *said in db.execute(
        "SELECT board, heard, boot, hardware, release, table_id FROM boots"
    ).fetchall():
        boot = Boot(*said)
        by_radio = is_by_radio(_name(db, board))
        db.execute(_INSERT, (board, boot.boot, 0, by_radio, False, heard, body(boot)))
    shared: set[Key] = set()
    for number, board, boot, count, start_by_radio, *rest in db.execute(
        "SELECT old.id, board, boot, number, start_by_radio, name, seats, first, moves, times, ms, "
        "end, started, heard, played_before, by_radio "
        "FROM old_games AS old JOIN boards ON boards.id = board ORDER BY old.id"
    ).fetchall():
        game = FoldedGame(*rest)
        key = boot, count, None if len(boot) == 8 else board
        line = 0
        for radio, late, at, text in _lines(game, boot, count, bool(start_by_radio)):
            db.execute(_INSERT, (board, boot, count, radio, late, at, text))
            line = line or _number(db, board, boot, count, radio, late, text)
        values = {**game._asdict(), "board": board, "id": number, "boot": boot, "number": count}
        values["line"] = line
        if db.execute("SELECT 1 FROM games WHERE boot = ? AND number = ?", key[:2]).fetchone():
            shared.add(key)
        db.execute(
            f"INSERT INTO games ({', '.join(values)}) VALUES (:{', :'.join(values)})", values
        )
    Lines(db).renew(shared)
    db.execute("DROP TABLE old_games")


def _name(db: sqlite3.Connection, board: int) -> str:
    ((name,),) = db.execute("SELECT name FROM boards WHERE id = ?", (board,))
    return str(name)


def _number(
    db: sqlite3.Connection, board: int, boot: str, number: int, radio: bool, late: bool, text: str
) -> int:
    ((line,),) = db.execute(
        "SELECT id FROM lines WHERE boot = ? AND number = ? AND text = ? AND board = ? "
        "AND by_radio = ? AND late = ?",
        (boot, number, text, board, radio, late),
    )
    return int(line)


def _lines(game: FoldedGame, boot: str, number: int, start_by_radio: bool) -> Iterator[_Line]:
    """The lines that a game must have come from, the one that has come furthest first."""
    radio = is_by_radio(game.board)
    last_by_radio = radio or bool(game.by_radio)

    def line(moves: str, ms: int, end: str, by_radio: bool, at: int | None) -> _Line:
        said = Game(boot, number, game.seats, game.first, tuple(map(int, moves)), ms, end)
        return by_radio, game.started is None, at, body(said)

    last = game.moves, game.ms, game.end
    known = [last]
    for plies, ms in reversed([*enumerate(game.times.split(","), 1)]):
        if ms and (plies < len(game.moves) or game.end == "x"):
            known.append((game.moves[:plies], int(ms), "-"))
    if game.started is None or game.heard is None:
        for each in known:
            yield line(*each, last_by_radio, game.played_before)
        return
    # The start and the last moment are of lines that came live, all of them one way.
    live_by_radio = radio or start_by_radio
    heard: int | None = game.heard
    for each in known:
        at = game.started + each[1]
        if at > game.heard or (each == last and last_by_radio is not live_by_radio):
            yield line(*each, last_by_radio, None)
        else:
            yield line(*each, live_by_radio, at if heard is None else heard)
            heard = None
    yield line("", 0, "-", live_by_radio, game.started)
