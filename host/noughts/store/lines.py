"""The table `lines`, what was received, and the table `games`, which follows from it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from noughts.protocol.radio_boards import is_by_radio
from noughts.protocol.sentences import Boot, Sentence, body, framed
from noughts.store.fold import FoldedGame, Line, fold

_REMEMBERED = 128
"""Boots and game numbers whose lines stay in memory: those of the boards that play."""
_MAX_LINES = 200
"""By cable, or by radio, of one boot and game number: a game has eleven, and what folds them must
not take long, whoever sends what."""
_MAX_NOISE = 64 * 1024 * 1024
"""Bytes of what is not a sentence."""
_NOISE_ROW = 50
"""Bytes that a row and its index take besides the text, about."""
_PURGED = 1000
"""Rows of noise that go at once."""

Key = tuple[str, int, int | None]
"""Boot, game number and, as four digits name a run only together with its board, the board."""

LINE = "INTO lines (board, boot, number, by_radio, late, at, text) VALUES (?, ?, ?, ?, ?, ?, ?)"
_COLUMNS = ("id", "boot", "number", "line", *FoldedGame._fields)
GAME = (
    f"INSERT INTO games ({', '.join(_COLUMNS)}) VALUES ({', '.join('?' * len(_COLUMNS))}) "
    f"ON CONFLICT (id) DO UPDATE SET {', '.join(f'{each} = excluded.{each}' for each in _COLUMNS)}"
)


class Received(NamedTuple):
    """What a board said."""

    board: str
    sentence: Sentence | None
    """None for noise, and where a port was opened."""
    text: str
    """The body of the sentence, or the noise, escaped."""
    at: int | None
    late: bool = False
    """Whether the game was over at some moment before."""

    @classmethod
    def of(cls, board: str, sentence: Sentence, at: int | None, late: bool = False) -> Received:
        """A sentence of a board."""
        return cls(board, sentence, body(sentence), at, late)


class Kept(NamedTuple):
    """A line is in the store."""

    game: int | None
    """The game's number in the store; none for a boot, for noise, and for what is kept as noise
    because too many different lines have its boot and game number."""
    new: bool
    """Whether the store did not have it before, whichever way it came."""
    played_before: int | None = None
    """Of a game whose start is not known: a moment at which it was over, in ms since 1970."""


@dataclass
class _Stored:
    """What the store has of one boot and game number."""

    key: Key
    lines: dict[tuple[str, bool, bool, str], Line] = field(default_factory=dict)
    """By board, radio, late and text."""
    numbers: dict[int, int] = field(default_factory=dict)
    """The numbers of the games, by the line that each has been in from the beginning."""
    game_of: dict[str, tuple[int, FoldedGame] | None] = field(default_factory=dict)
    """By a line's text, its game and that game's number; None until they are renewed."""
    stale: bool = True
    """Whether they are to be renewed."""


class Lines:
    """Adds lines, and renews the games that they touch; each call within a transaction.

    Of each line the first moment counts at which it was received, so to add it again changes
    nothing.
    """

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db
        self._boards: dict[str, int] = {}
        self._stored: dict[Key, _Stored] = {}
        self._version = -1
        self._noise: int | None = None

    def forget(self) -> None:
        """Read everything again: what was written last is undone."""
        self._boards.clear()
        self._stored.clear()
        self._noise = None

    def keep(self, received: Iterable[Received]) -> list[Kept]:
        """Add all that was received, and renew its games."""
        ((version,),) = self._db.execute("PRAGMA data_version")
        if version != self._version:  # another program has written
            self._stored.clear()
        self._version = version
        for key in [*self._stored][:-_REMEMBERED]:
            del self._stored[key]
        added = [self._add(each) for each in received]
        return [each if isinstance(each, Kept) else self._kept(*each) for each in added]

    def board(self, name: str) -> int:
        """The number of a board, which is new if need be."""
        if name not in self._boards:
            self._db.execute("INSERT OR IGNORE INTO boards (name) VALUES (?)", (name,))
            ((number,),) = self._db.execute("SELECT id FROM boards WHERE name = ?", (name,))
            self._boards[name] = number
        return self._boards[name]

    def _add(self, each: Received) -> tuple[_Stored, str, bool] | Kept:
        """What is stored of the line's game, the line, and whether it is new."""
        name, game, text, at, late = each
        if isinstance(game, Boot):
            return self._add_boot(each, game.boot)
        if game is None:
            if at is not None:  # else it is in a file already
                self._add_noise(name, text, at)
            return Kept(None, True)
        board = self.board(name)
        stored = self._of((game.boot, game.number, None if len(game.boot) == 8 else board))
        radio = is_by_radio(name)
        before = stored.lines.get((name, radio, late, text))
        if before is not None and (at is None or (before.at is not None and before.at <= at)):
            return stored, text, False
        new = text not in stored.game_of
        if before is not None:
            self._db.execute("UPDATE lines SET at = ? WHERE id = ?", (at, before.id))
            number = before.id
        elif (
            len(stored.lines) >= _MAX_LINES
            and sum(line.radio == radio for line in stored.lines.values()) >= _MAX_LINES
        ):
            if at is not None:
                self._add_noise(name, framed(text), at)
            return Kept(None, False)
        else:
            number = self._insert(board, game.boot, game.number, radio, late, at, text)
        stored.lines[name, radio, late, text] = Line.of(number, name, radio, late, at, text)
        stored.game_of.setdefault(text)
        stored.stale = True
        return stored, text, new

    def _insert(self, *row: int | str | None) -> int:
        cursor = self._db.execute(f"INSERT {LINE}", row)
        assert cursor.lastrowid is not None
        return cursor.lastrowid

    def _add_boot(self, each: Received, boot: str) -> Kept:
        board, radio = self.board(each.board), is_by_radio(each.board)
        row = board, boot, 0, radio, False, each.at, each.text
        new = self._db.execute(f"INSERT OR IGNORE {LINE}", row).rowcount > 0
        self._db.execute(
            "UPDATE lines SET at = ?1 WHERE board = ?2 AND boot = ?3 AND number = 0 "
            "AND text = ?4 AND (at IS NULL OR at > ?1)",
            (each.at, board, boot, each.text),
        )
        return Kept(None, new)

    def _add_noise(self, name: str, text: str, at: int) -> None:
        board = self.board(name)
        if self._db.execute(
            "SELECT 1 FROM lines WHERE boot IS NULL AND board = ? AND at = ? AND text = ?",
            (board, at, text),
        ).fetchone():
            return
        self._noise = self._noise_size() + len(text) + _NOISE_ROW
        self._insert(board, None, None, False, False, at, text)
        while self._noise > _MAX_NOISE:
            # The newest line stays: a room has published up to an id, which nothing has again.
            oldest = self._db.execute(
                "SELECT id, length(text) FROM lines WHERE boot IS NULL "
                "AND id < (SELECT max(id) FROM lines) ORDER BY at LIMIT ?",
                (_PURGED,),
            ).fetchall()
            if not oldest:  # another program has removed some, too
                self._noise = 0
            self._db.executemany("DELETE FROM lines WHERE id = ?", [(line,) for line, _ in oldest])
            self._noise -= sum(size + _NOISE_ROW for _, size in oldest)

    def _noise_size(self) -> int:
        if self._noise is None:
            query = "SELECT count(*), coalesce(sum(length(text)), 0) FROM lines WHERE boot IS NULL"
            ((rows, size),) = self._db.execute(query)
            self._noise = int(size) + int(rows) * _NOISE_ROW
        return self._noise

    def _of(self, key: Key) -> _Stored:
        if key in self._stored:
            return self._stored[key]
        chosen = "boot = ? AND number = ?" + " AND board = ?" * (key[2] is not None)
        values = [each for each in key if each is not None]
        stored = self._stored[key] = _Stored(key)
        query = "SELECT lines.id, name, by_radio, late, at, text FROM lines JOIN boards"
        for row in self._db.execute(f"{query} ON boards.id = board WHERE {chosen}", values):
            line = Line.of(*row)
            stored.lines[line.board, line.radio, line.late, line.text] = line
            stored.game_of[line.text] = None
        if stored.lines:
            query = f"SELECT line, id FROM games WHERE {chosen}"
            stored.numbers.update(self._db.execute(query, values))
        return stored

    def renew(self, key: Key) -> None:
        """Make the games of a boot and number anew of their lines."""
        self._stored.clear()
        self._renew(self._of(key))

    def renew_all(self) -> None:
        """Make all games anew of their lines."""
        own = "CASE length(boot) WHEN 4 THEN board END"
        keys = self._db.execute(f"SELECT DISTINCT boot, number, {own} FROM lines WHERE number")
        for key in keys.fetchall():
            self.renew(key)

    def _kept(self, stored: _Stored, text: str, new: bool) -> Kept:
        if stored.stale:
            self._renew(stored)
        found = stored.game_of[text]
        assert found is not None
        return Kept(found[0], new, found[1].played_before)

    def _renew(self, stored: _Stored) -> None:
        """Write the games that follow from the lines."""
        numbers = {}
        for game, lines in fold(stored.lines.values()):
            # A game keeps its number for as long as the line is in it that it began with.
            ids = [line.id for line in lines]
            known = [(stored.numbers[line], line) for line in ids if line in stored.numbers]
            number, first = min(known, default=(None, min(ids)))
            row = self.board(game.board), *game[1:]
            written = self._db.execute(GAME, (number, *stored.key[:2], first, *row)).lastrowid
            numbers[first] = number = number or written or 0
            for line in lines:
                stored.game_of[line.text] = number, game
        for number in set(stored.numbers.values()) - set(numbers.values()):
            self._db.execute("DELETE FROM games WHERE id = ?", (number,))
        stored.numbers, stored.stale = numbers, False
