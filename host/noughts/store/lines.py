"""The table `lines`, everything received, and the tables `games` and `boots`, which follow from it.

received line ──> lines ──┬─ a game's sentence ──> fold.py ──> games
                          ├─ a boot sentence ────────────────> boots
                          └─ a menu, noise, or a port that was opened
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import NamedTuple

from noughts.protocol.radio_boards import is_by_radio
from noughts.protocol.sentences import (
    BOOT_FIELDS,
    GAME_FIELDS,
    Boot,
    Game,
    Menu,
    Sentence,
    body,
    framed,
    parse,
    values,
)
from noughts.store.fold import FoldedGame, Line, fold
from noughts.store.noise import Noise
from noughts.store.rows import RowError, reader

_REMEMBERED = 128
"""How many boots and game numbers have their lines in memory: enough for all boards that play."""
_MAX_LINES = 200
"""By cable, or by radio, of one boot and game number: a game has at most eleven, and folding must
stay quick for hostile input too."""

Key = tuple[str, int]
"""Boot and game number. They identify a game, whichever way and under whichever board it comes."""

_LineKey = tuple[str, bool, bool, str]
"""Of the lines of one game: board, radio, late and text."""

_INSERT_LINES = "INSERT INTO lines (board, boot, number, by_radio, late, at, text) VALUES "
_LINE_VALUES = "(?, ?, ?, ?, ?, ?, ?)"
_AT_ONCE = 16
"""How many one statement adds: twice as fast as one by one; more gain nothing."""

_LINE_COLUMNS = "lines.id, name, by_radio, late, at, text"
"""Those of a `_LineRow`."""
_BOOT_LINES = "SELECT id, board, by_radio, at, text FROM lines WHERE number = 0"

_FOLDED = tuple(name for name in FoldedGame._fields if name not in ("board", "game"))
"""What a game has besides its board and the fields of its last sentence."""


def _insert(table: str, columns: Sequence[str]) -> str:
    marks = ", ".join("?" * len(columns))
    return f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({marks})"


_GAME_COLUMNS = ("id", "line", "board", *GAME_FIELDS, *_FOLDED)
_INSERT_GAME = f"{_insert('games', _GAME_COLUMNS)} ON CONFLICT (id) DO UPDATE SET " + ", ".join(
    f"{name} = excluded.{name}" for name in _GAME_COLUMNS if name not in ("id", "boot", "number")
)
"""A game keeps its boot and number, so SQLite leaves their index alone."""
_BOOT_COLUMNS = ("line", "board", "by_radio", "heard", *BOOT_FIELDS)
_INSERT_BOOT = _insert("boots", _BOOT_COLUMNS)


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
        """A sentence, by cable or from a file."""
        return cls(board, sentence, body(sentence), at, late)


class Stored(NamedTuple):
    """The result of storing a line."""

    game: int | None
    """The game's id in the store. None for a boot, for noise, and for a sentence that is stored
    as noise because too many different lines have its boot and game number."""
    new: bool
    """Whether it was new to the store, by cable or by radio."""
    played_before: int | None = None
    """If the game's start is not known: a time by which it had ended, in ms since 1970."""


@dataclass
class _GameLines:
    """What the store has for one boot and game number."""

    key: Key
    lines: dict[_LineKey, Line] = field(default_factory=dict)
    game_ids: dict[int, int] = field(default_factory=dict)
    """The ids of the games, by the id of the line that each began with."""
    game_of: dict[str, Stored | None] = field(default_factory=dict)
    """The game of each line, by text; None until the games are renewed."""

    def put(self, key: _LineKey, line: Line) -> None:
        """Add a line, or replace it by one with another time."""
        self.lines[key] = line
        self.game_of[line.text] = None


class _LineRow(NamedTuple):
    id: int
    board: str
    by_radio: int
    late: int
    at: int | None
    text: str


_read_lines = reader(_LineRow)


def _line_of(row: _LineRow) -> Line:
    """A line about a game, from its row. Raises `RowError`."""
    id, board, by_radio, late, at, text = row
    game = _sentence(text)
    if not isinstance(game, Game):
        raise RowError("a line of a game with another sentence")
    return Line(id, board, bool(by_radio), bool(late), at, text, game)


def _sentence(text: str) -> Sentence:
    """The sentence in a row of the store, which was parsed before. Raises `RowError`."""
    try:
        return parse(text).sentence
    except ValueError as error:
        raise RowError("a line that is not a sentence") from error


def _keep_id(game_lines: _GameLines, lines: Iterable[Line]) -> tuple[int | None, int]:
    """The id that a game of these lines has, None if it is new; and the id of its first line.

    It has one as long as a line with which a game began belongs to it. If several games began with
    its lines, they were one game all the time, and it has the oldest one's.
    """
    line_ids = {line.id for line in lines}
    begun_here = [
        (game_id, line_id)
        for line_id, game_id in game_lines.game_ids.items()
        if line_id in line_ids
    ]
    return min(begun_here, default=(None, min(line_ids)))


class Lines:
    """Adds lines, and renews the games that they touch; each call within a transaction.

    A line has the time at which it was first received, so adding it again changes nothing.
    """

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db
        self._board_ids: dict[str, int] = {}
        """By name."""
        self._cached: dict[Key, _GameLines] = {}
        """What was used last. Another program's lines make it worthless."""
        self._data_version = -1
        self._noise = Noise(db)
        self._last_id = 0
        """The id of the last line."""
        self._unwritten: list[tuple[int | str | None, ...]] = []
        """Lines that are still to be written."""

    def add(self, received: Iterable[Received]) -> list[Stored]:
        """Add received lines, and renew their games."""
        ((version,),) = self._db.execute("PRAGMA data_version")
        if version != self._data_version:
            # Another program has written, perhaps lines of the same games.
            self._cached.clear()
        self._data_version = version
        ((self._last_id,),) = self._db.execute("SELECT coalesce(max(id), 0) FROM lines")
        if len(self._cached) > _REMEMBERED:
            self._cached = dict([*self._cached.items()][-_REMEMBERED:])
        added = list(map(self._add_received, received))
        self._write()
        # The games are renewed only now, because several lines of one game come together.
        return [
            result if isinstance(result, Stored) else self._result_of(*result) for result in added
        ]

    def board_id(self, name: str) -> int:
        """The id of a board, which is added if it is new."""
        if name not in self._board_ids:
            self._db.execute("INSERT OR IGNORE INTO boards (name) VALUES (?)", (name,))
            ((board_id,),) = self._db.execute("SELECT id FROM boards WHERE name = ?", (name,))
            self._board_ids[name] = board_id
        return self._board_ids[name]

    def _add_received(self, received: Received) -> tuple[_GameLines, str, bool] | Stored:
        """Add a line. Gives its game's lines, its text, and whether it is new; or the result."""
        board, sentence, text, at, _, _ = received
        if sentence is None:
            if at is not None:  # else it is in the file that was read
                self._add_noise(board, text, at)
            return Stored(None, True)
        if not isinstance(sentence, Game):
            return Stored(None, self._add_to_run(board, sentence, text, at))
        game_lines = self._lines_of((sentence.boot, sentence.number))
        is_new = text not in game_lines.game_of
        if self._add_to_game(game_lines, received, sentence):
            return game_lines, text, is_new
        if at is not None:
            self._add_noise(board, framed(text), at)
        return Stored(None, False)

    def _add_to_game(self, game_lines: _GameLines, received: Received, game: Game) -> bool:
        """Add a line of a game, or its earlier time. False if the game has too many already."""
        board, _, text, at, late, _ = received
        radio = is_by_radio(board)
        line_key = board, radio, late, text
        stored = game_lines.lines.get(line_key)
        if stored is None:
            # Those by cable and those by radio are counted apart: anyone nearby can invent lines by
            # radio, which must not keep the board's own out. Few games have so many in all that
            # the one way must be counted.
            if len(game_lines.lines) >= _MAX_LINES:
                ways = [other.radio for other in game_lines.lines.values()]
                if ways.count(radio) >= _MAX_LINES:
                    return False
            boot, number = game_lines.key
            line_id = self._append((self.board_id(board), boot, number, radio, late, at, text))
        elif at is None or (stored.at is not None and stored.at <= at):
            return True
        else:
            line_id = self._set_earlier_time(stored.id, at)
            if stored.id in game_lines.game_ids:
                game_lines.game_ids[line_id] = game_lines.game_ids.pop(stored.id)
        game_lines.put(line_key, Line(line_id, board, radio, late, at, text, game))
        return True

    def _append(self, row: tuple[int | str | None, ...]) -> int:
        """Add a line, which is not written yet, with the id that SQLite will give it.

        That is the next one, because the newest line is never deleted and nobody else writes now.
        So many lines can be written with one statement, see `_AT_ONCE`.
        """
        self._last_id += 1
        self._unwritten.append(row)
        return self._last_id

    def _set_earlier_time(self, line_id: int, at: int) -> int:
        """Give a line an earlier time, and the next id, which is returned.

        A room publishes the lines after an id, and may have got past the old one: a line without a
        time is never published.
        """
        self._write()
        self._last_id += 1
        update = "UPDATE lines SET id = ?, at = ? WHERE id = ?"
        self._db.execute(update, (self._last_id, at, line_id))
        return self._last_id

    def _write(self) -> None:
        rows, self._unwritten = self._unwritten, []
        whole = len(rows) // _AT_ONCE * _AT_ONCE
        batches = ([*chain(*rows[at : at + _AT_ONCE])] for at in range(0, whole, _AT_ONCE))
        self._db.executemany(_INSERT_LINES + ", ".join([_LINE_VALUES] * _AT_ONCE), batches)
        self._db.executemany(_INSERT_LINES + _LINE_VALUES, rows[whole:])

    def _add_to_run(self, name: str, sentence: Boot | Menu, text: str, at: int | None) -> bool:
        """Add a line of a run that is about no game, or its earlier time. Whether it is new.

        A menu may show a choice again. So such a line is another one at another time, or a room
        would not publish it.
        """
        self._write()
        board_id, by_radio = self.board_id(name), int(is_by_radio(name))
        same_time = "" if isinstance(sentence, Boot) else "AND (? IS NULL OR at IS NULL OR at = ?)"
        stored = self._db.execute(
            "SELECT id, at FROM lines WHERE board = ? AND boot = ? AND number = 0 AND text = ? "
            f"{same_time} ORDER BY at IS NULL LIMIT 1",
            (board_id, sentence.boot, text, *([at, at] if same_time else [])),
        ).fetchone()
        if stored is None:
            line_id = self._append((board_id, sentence.boot, 0, by_radio, 0, at, text))
            if isinstance(sentence, Boot):
                self._db.execute(_INSERT_BOOT, (line_id, board_id, by_radio, at, *values(sentence)))
            return True
        line_id, stored_at = stored
        if at is not None and (stored_at is None or at < stored_at):
            new_id = self._set_earlier_time(line_id, at)
            update = "UPDATE boots SET line = ?, heard = ? WHERE line = ?"
            self._db.execute(update, (new_id, at, line_id))
        return False

    def _add_noise(self, name: str, text: str, at: int) -> None:
        self._write()
        board_id = self.board_id(name)
        if not self._noise.has(board_id, at, text):
            self._noise.make_room(text)
            self._append((board_id, None, None, 0, 0, at, text))

    def _lines_of(self, key: Key, games: str = "games") -> _GameLines:
        """The lines of a boot and game number. games: the table with the games' ids."""
        if game_lines := self._cached.get(key):
            return game_lines
        game_lines = self._cached[key] = _GameLines(key)
        query = (
            f"SELECT {_LINE_COLUMNS} FROM lines JOIN boards ON boards.id = board "
            "WHERE boot = ? AND number = ?"
        )
        for row in _read_lines(self._db.execute(query, key).fetchall()):
            line = _line_of(row)
            game_lines.put((line.board, line.radio, line.late, line.text), line)
        if game_lines.lines:
            # Of a damaged file's games with one first line, the lowest id counts.
            query = f"SELECT line, id FROM {games} WHERE boot = ? AND number = ? ORDER BY id DESC"
            game_lines.game_ids.update(self._db.execute(query, key))
        return game_lines

    def derive(self, games: str) -> None:
        """Make all games and boots from the lines. games: a table with the games' ids."""
        self._db.executemany(_INSERT_BOOT, self._boot_rows())
        # The highest id comes first: a game that had none gets the next one.
        highest = f"SELECT boot, number FROM {games} ORDER BY id DESC LIMIT 1"
        keys = "SELECT boot, number FROM lines WHERE number GROUP BY boot, number ORDER BY min(id)"
        # Each key once: the old table does not know the new games of a key that was renewed.
        both = (*self._db.execute(highest).fetchall(), *self._db.execute(keys).fetchall())
        for key in dict.fromkeys(both):
            self._renew(self._lines_of(key, games))
            self._cached.clear()

    def correct_games(self) -> int:
        """Rebuild the games and boots that do not follow from their lines; returns how many games.

        That is 0 unless the file is damaged.
        """
        self._write()
        self._correct_boots()
        keys = self._db.execute(
            "SELECT boot, number FROM games UNION SELECT boot, number FROM lines WHERE number"
        )
        query = (
            f"SELECT name, {', '.join((*GAME_FIELDS, *_FOLDED))} FROM games "
            "JOIN boards ON boards.id = board WHERE boot = ? AND number = ?"
        )
        wrong = 0
        for key in keys.fetchall():
            self._cached.clear()
            game_lines = self._lines_of(key)
            folded = [game for game, _ in fold(game_lines.lines.values())]
            expected = Counter((game.board, *values(game.game), *game[2:]) for game in folded)
            stored = Counter(self._db.execute(query, key))
            if expected != stored:
                wrong += max((expected - stored).total(), (stored - expected).total())
                self._renew(game_lines)
                self._delete_other_games(game_lines)
        return wrong

    def _correct_boots(self) -> None:
        """Rebuild the table `boots` if it does not follow from the lines."""
        expected = self._boot_rows()
        stored = self._db.execute(f"SELECT {', '.join(_BOOT_COLUMNS)} FROM boots").fetchall()
        if Counter(expected) != Counter(stored):
            self._db.execute("DELETE FROM boots")
            self._db.executemany(_INSERT_BOOT, expected)

    def _boot_rows(self) -> list[tuple[int | str | None, ...]]:
        """The rows of the table `boots` that follow from the lines."""
        rows: list[tuple[int | str | None, ...]] = []
        for line_id, board_id, by_radio, at, text in self._db.execute(_BOOT_LINES):
            sentence = _sentence(text)
            if isinstance(sentence, Game):
                raise RowError("a line without a game's number with a game")
            if isinstance(sentence, Boot):
                rows.append((line_id, board_id, by_radio, at, *values(sentence)))
        return rows

    def _delete_other_games(self, game_lines: _GameLines) -> None:
        """Delete games with this boot and number that are not those of the lines."""
        stored = self._db.execute(
            "SELECT id FROM games WHERE boot = ? AND number = ?", game_lines.key
        ).fetchall()
        others = {id for (id,) in stored} - set(game_lines.game_ids.values())
        self._db.executemany("DELETE FROM games WHERE id = ?", [(id,) for id in others])

    def _result_of(self, game_lines: _GameLines, text: str, is_new: bool) -> Stored:
        stored = game_lines.game_of[text]
        if stored is None:
            self._renew(game_lines)
            stored = game_lines.game_of[text]
            assert stored is not None
        return stored if is_new else stored._replace(new=False)

    def _renew(self, game_lines: _GameLines) -> None:
        """Write the games that follow from the lines."""
        game_ids = {}
        for game, lines in fold(game_lines.lines.values()):
            game_id, first_id = _keep_id(game_lines, lines)
            row = game_id, first_id, self.board_id(game.board), *values(game.game), *game[2:]
            written = self._db.execute(_INSERT_GAME, row).lastrowid
            game_id = game_id or written or 0
            game_ids[first_id] = game_id
            stored = Stored(game_id, True, game.played_before)
            game_lines.game_of |= dict.fromkeys([line.text for line in lines], stored)
        for game_id in set(game_lines.game_ids.values()) - set(game_ids.values()):
            self._db.execute("DELETE FROM games WHERE id = ?", (game_id,))
        game_lines.game_ids = game_ids
