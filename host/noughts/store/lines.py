"""The table `lines`, everything received, and the table `games`, which follows from it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, NamedTuple

from noughts.protocol.radio_boards import is_by_radio
from noughts.protocol.sentences import Game, Sentence, body, framed
from noughts.store.fold import FoldedGame, Line, fold
from noughts.store.rows import RowError, reader

_REMEMBERED = 128
"""How many boots and game numbers have their lines in memory: enough for all boards that play."""
_MAX_LINES = 200
"""By cable, or by radio, of one boot and game number: a game has at most eleven, and folding must
stay quick for hostile input too."""
_MAX_NOISE = 64 * 1024 * 1024
"""Bytes of noise, which is all that is not a sentence."""
_NOISE_ROW = 50
"""Bytes of a row and its index without the text, roughly."""
_PURGED = 20_000
"""Rows of noise that are deleted at once."""

Key = tuple[str, int]
"""Boot and game number. They identify a game, whichever way and under whichever board it comes."""

_LINES = "INSERT INTO lines (board, boot, number, by_radio, late, at, text) VALUES "
_ROW = "(?, ?, ?, ?, ?, ?, ?)"
_ROWS = 16
"""How many one statement adds: twice as fast as one by one; more gain nothing."""
_CHANGED = ("line", *FoldedGame._fields)
_COLUMNS = ("id", "boot", "number", *_CHANGED)
_GAME = (
    f"INSERT INTO games ({', '.join(_COLUMNS)}) VALUES ({', '.join('?' * len(_COLUMNS))}) "
    f"ON CONFLICT (id) DO UPDATE SET {', '.join(f'{each} = excluded.{each}' for each in _CHANGED)}"
)


class Received(NamedTuple):
    """A line from a board."""

    board: str
    sentence: Sentence | None
    """None for noise, and for a port that was opened."""
    text: str
    """The body of the sentence, or the escaped noise."""
    at: int | None
    late: bool = False
    """Whether the game had ended before: the board had stored it, or repeats its end."""
    gateway: str | None = None
    """If it came by radio: the board on whose line it came."""

    @classmethod
    def of(cls, board: str, sentence: Sentence, at: int | None, late: bool = False) -> Received:
        return cls(board, sentence, body(sentence), at, late)


class Stored(NamedTuple):
    """The result of storing a line."""

    game: int | None
    """The game's number in the store. None for a boot, for noise, and for a sentence that is stored
    as noise because too many different lines have its boot and game number."""
    new: bool
    """Whether it was new to the store, by cable or by radio."""
    played_before: int | None = None
    """If the game's start is not known: a time by which it had ended, in ms since 1970."""


@dataclass
class _Known:
    """What the store has for one boot and game number."""

    key: Key
    lines: dict[tuple[str, bool, bool, str], Line] = field(default_factory=dict)
    """By board, radio, late and text."""
    numbers: dict[int, int] = field(default_factory=dict)
    """The numbers of the games, by the id of the line that each began with."""
    game_of: dict[str, Stored | None] = field(default_factory=dict)
    """The game of each line, by text; None until the games are renewed."""


class _LineRow(NamedTuple):
    id: int
    board: str
    radio: int
    late: int
    at: int | None
    text: str


_line_row = reader(_LineRow)


def _line_of(row: Sequence[Any]) -> Line:
    """A line from its row. Raises `RowError`."""
    id, board, radio, late, at, text = _line_row(row)
    try:
        return Line(id, board, bool(radio), bool(late), at, text)
    except ValueError as error:
        raise RowError(f"line {id} is not a sentence") from error


class Lines:
    """Adds lines, and renews the games that they touch; each call within a transaction.

    A line has the time at which it was first received, so adding it again changes nothing.
    """

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db
        self._boards: dict[str, int] = {}
        self._known: dict[Key, _Known] = {}
        self._version = -1
        self._noise: int | None = None
        self._last = 0
        """The number of the last line."""
        self._rows: list[tuple[int | str | None, ...]] = []
        """Lines that are still to be written."""

    def keep(self, received: Iterable[Received]) -> list[Stored]:
        """Add received lines, and renew their games."""
        ((version,),) = self._db.execute("PRAGMA data_version")
        if version != self._version:  # another program has written
            self._known.clear()
        self._version = version
        ((self._last,),) = self._db.execute("SELECT coalesce(max(id), 0) FROM lines")
        if len(self._known) > _REMEMBERED:
            self._known = dict([*self._known.items()][-_REMEMBERED:])
        added = [self._add_received(each) for each in received]
        self._write()
        return [each if isinstance(each, Stored) else self._result_of(*each) for each in added]

    def board(self, name: str) -> int:
        """The number of a board, which is added if it is new."""
        if name not in self._boards:
            self._db.execute("INSERT OR IGNORE INTO boards (name) VALUES (?)", (name,))
            ((number,),) = self._db.execute("SELECT id FROM boards WHERE name = ?", (name,))
            self._boards[name] = number
        return self._boards[name]

    def _add_received(self, each: Received) -> tuple[_Known, str, bool] | Stored:
        """What is known of its boot and number, its text, and whether it is new; or the result."""
        board, sentence, text, at, late, _ = each
        if sentence is None:
            if at is not None:  # else it is in the file that was read
                self._add_noise(board, text, at)
            return Stored(None, True)
        if not isinstance(sentence, Game):
            return Stored(None, self._add_boot(board, sentence.boot, text, at))
        known = self.known((sentence.boot, sentence.number))
        new = text not in known.game_of
        if self.add(known, board, is_by_radio(board), late, at, text) is not None:
            return known, text, new
        if at is not None:
            self._add_noise(board, framed(text), at)
        return Stored(None, False)

    def add(
        self, known: _Known, board: str, radio: bool, late: bool, at: int | None, text: str
    ) -> int | None:
        """Add a line of a game. Gives its id, or None if there are too many already."""
        same = board, radio, late, text
        before = known.lines.get(same)
        if before is None:
            if len(known.lines) >= _MAX_LINES:
                ways = [line.radio for line in known.lines.values()]
                if ways.count(radio) >= _MAX_LINES:
                    return None
            number = self._insert(self.board(board), *known.key, radio, late, at, text)
        elif at is None or (before.at is not None and before.at <= at):
            return before.id
        else:
            number = self._renumber(before.id, at)
            if before.id in known.numbers:
                known.numbers[number] = known.numbers.pop(before.id)
        known.lines[same] = Line(number, board, radio, late, at, text)
        known.game_of[text] = None
        return number

    def _insert(self, *row: int | str | None) -> int:
        """Add a line, which is not written yet, with the number that SQLite will give it."""
        self._last += 1
        self._rows.append(row)
        return self._last

    def _renumber(self, number: int, at: int) -> int:
        """Give a line an earlier time, and the next number: rooms publish what follows a number."""
        self._write()
        self._last += 1
        self._db.execute("UPDATE lines SET id = ?, at = ? WHERE id = ?", (self._last, at, number))
        return self._last

    def _write(self) -> None:
        rows, self._rows = self._rows, []
        whole = len(rows) // _ROWS * _ROWS
        some = ([*chain(*rows[at : at + _ROWS])] for at in range(0, whole, _ROWS))
        self._db.executemany(_LINES + ", ".join([_ROW] * _ROWS), some)
        self._db.executemany(_LINES + _ROW, rows[whole:])

    def _add_boot(self, name: str, boot: str, text: str, at: int | None) -> bool:
        """Add a line of a run that is about no game. Gives whether it is new."""
        self._write()
        board = self.board(name)
        row = self._db.execute(
            "SELECT id, at FROM lines WHERE board = ? AND boot = ? AND number = 0 AND text = ?",
            (board, boot, text),
        ).fetchone()
        if row is None:
            self._insert(board, boot, 0, int(is_by_radio(name)), 0, at, text)
        elif at is not None and (row[1] is None or at < row[1]):
            self._renumber(row[0], at)
        return row is None

    def _add_noise(self, name: str, text: str, at: int) -> None:
        self._write()
        board = self.board(name)
        if self._db.execute(
            "SELECT 1 FROM lines WHERE boot IS NULL AND board = ? AND at = ? AND text = ?",
            (board, at, text),
        ).fetchone():
            return
        if self._noise is None:
            query = f"SELECT coalesce(sum(length(text) + {_NOISE_ROW}), 0) FROM lines"
            ((self._noise,),) = self._db.execute(f"{query} WHERE boot IS NULL")
        self._noise += len(text) + _NOISE_ROW
        self._insert(board, None, None, 0, 0, at, text)
        if self._noise > _MAX_NOISE:
            # The newest line stays: a room has published up to an id, which must not be reused.
            self._db.execute(
                "DELETE FROM lines WHERE id IN (SELECT id FROM lines WHERE boot IS NULL "
                "AND id < (SELECT max(id) FROM lines) ORDER BY at LIMIT ?)",
                (_PURGED,),
            )
            self._noise = None

    def known(self, key: Key) -> _Known:
        if known := self._known.get(key):
            return known
        known = self._known[key] = _Known(key)
        query = (
            "SELECT lines.id, name, by_radio, late, at, text FROM lines "
            "JOIN boards ON boards.id = board WHERE boot = ? AND number = ?"
        )
        for line in map(_line_of, self._db.execute(query, key)):
            known.lines[line.board, line.radio, line.late, line.text] = line
            known.game_of[line.text] = None
        if known.lines:
            query = "SELECT line, id FROM games WHERE boot = ? AND number = ?"
            known.numbers.update(self._db.execute(query, key))
        return known

    def correct_games(self) -> int:
        """Rebuild the games that do not follow from their lines; returns how many.

        That is 0 unless the file is damaged.
        """
        self._write()
        keys = self._db.execute(
            "SELECT boot, number FROM games UNION SELECT boot, number FROM lines WHERE number"
        )
        query = (
            f"SELECT name, {', '.join(FoldedGame._fields[1:])} FROM games "
            "JOIN boards ON boards.id = board WHERE boot = ? AND number = ?"
        )
        wrong = 0
        for key in keys.fetchall():
            self._known.clear()
            known = self.known(key)
            expected = {game for game, _ in fold(known.lines.values())}
            stored = set(self._db.execute(query, key))
            if expected != stored:
                wrong += max(len(expected - stored), len(stored - expected))
                self._renew(known)
        return wrong

    def _result_of(self, known: _Known, text: str, new: bool) -> Stored:
        if known.game_of[text] is None:
            self._renew(known)
        stored = known.game_of[text]
        assert stored is not None
        return stored if new else stored._replace(new=False)

    def _renew(self, known: _Known) -> None:
        """Write the games that follow from the lines."""
        numbers = {}
        for game, lines in fold(known.lines.values()):
            # A game keeps its number as long as its first line belongs to it.
            ids = {line.id for line in lines}
            before = [(number, line) for line, number in known.numbers.items() if line in ids]
            number, first = min(before, default=(None, min(ids)))
            row = number, *known.key, first, self.board(game.board), *game[1:]
            written = self._db.execute(_GAME, row).lastrowid
            number = number or written or 0
            numbers[first] = number
            stored = Stored(number, True, game.played_before)
            known.game_of |= dict.fromkeys([line.text for line in lines], stored)
        for number in set(known.numbers.values()) - set(numbers.values()):
            self._db.execute("DELETE FROM games WHERE id = ?", (number,))
        known.numbers = numbers
