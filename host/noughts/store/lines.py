"""The table `lines`, what was received, and the table `games`, which follows from it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass, field

from noughts.protocol.radio_boards import is_by_radio
from noughts.protocol.sentences import Boot, Game, Sentence, body, framed
from noughts.store.fold import FoldedGame, Line, fold

_REMEMBERED = 256
"""Boots and game numbers whose lines stay in memory: those of the boards that play."""
_MAX_LINES = 200
"""By cable, or by radio, of one boot and game number: a game has eleven, and what folds them must
not take long, whoever sends what."""
_MAX_BOARDS = 1000
"""Whose numbers stay in memory."""
_MAX_NOISE = 64 * 1024 * 1024
"""Bytes of what is not a sentence."""
_NOISE_ROW = 50
"""Bytes that a row and its index take besides the text, about."""
_PURGED = 1000
"""Rows of noise that go at once."""

Received = tuple[str, Sentence | str, int | None, bool]
"""Board, sentence or escaped noise, the moment, and whether the game was over before that."""

Key = tuple[str, int, int | None]
"""Boot, game number and, as four digits name a run only together with its board, the board."""


@dataclass(frozen=True)
class Kept:
    """A sentence is in the store."""

    game: int | None
    """The game's number in the store; none for a boot, for noise, and for what is kept as noise
    because too many different lines have its boot and game number."""
    new: bool
    """Whether the store did not have it before, whichever way it came."""
    played_before: int | None = None
    """Of a game whose start is not known: a moment at which it was over, in ms since 1970."""


@dataclass(frozen=True)
class _Added:
    """A line is in the table, whose games are still to be renewed."""

    key: Key
    text: str
    new: bool


@dataclass
class _Stored:
    """What the store has of one boot and game number."""

    lines: dict[tuple[int, bool, bool, str], Line]
    """By board, radio, late and text."""
    numbers: dict[int, int]
    """The numbers of the games, by the line that each has been in from the beginning."""
    texts: set[str]
    written: dict[int, FoldedGame] = field(default_factory=dict)
    """By number, the games as they were written last."""
    game_of: dict[str, tuple[int, FoldedGame]] = field(default_factory=dict)
    """By a line's text, its game and that game's number."""


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
        if version != self._version or len(self._stored) > _REMEMBERED:
            self._stored.clear()  # another program may have written
        self._version = version
        added = [self._add(*each) for each in received]
        self.renew(dict.fromkeys(each.key for each in added if isinstance(each, _Added)))
        return [self._kept(each) if isinstance(each, _Added) else each for each in added]

    def board(self, name: str) -> int:
        """The number of a board, which is new if need be."""
        if name not in self._boards:
            if len(self._boards) >= _MAX_BOARDS:
                self._boards.clear()
            self._db.execute("INSERT OR IGNORE INTO boards (name) VALUES (?)", (name,))
            ((number,),) = self._db.execute("SELECT id FROM boards WHERE name = ?", (name,))
            self._boards[name] = number
        return self._boards[name]

    def _add(self, name: str, said: Sentence | str, at: int | None, late: bool) -> _Added | Kept:
        if isinstance(said, Game):
            return self._add_game(name, said, at, late)
        if isinstance(said, Boot):
            return self._add_boot(name, said, at)
        if at is not None:  # else it is in a file already
            self._add_noise(name, said, at)
        return Kept(None, True)

    def _add_noise(self, name: str, text: str, at: int) -> None:
        values = self.board(name), at, text
        if self._db.execute(
            "SELECT 1 FROM lines WHERE boot IS NULL AND board = ? AND at = ? AND text = ?", values
        ).fetchone():
            return
        self._noise = self._noise_size() + len(text) + _NOISE_ROW
        self._db.execute(
            "INSERT INTO lines (board, by_radio, late, at, text) VALUES (?, 0, 0, ?, ?)", values
        )
        while self._noise > _MAX_NOISE:
            oldest = self._db.execute(
                "SELECT id, length(text) FROM lines WHERE boot IS NULL ORDER BY at LIMIT ?",
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

    def _add_boot(self, name: str, boot: Boot, at: int | None) -> Kept:
        board = self.board(name)
        self._db.execute(
            "INSERT INTO lines (board, boot, number, by_radio, late, at, text) "
            "VALUES (?, ?, 0, ?, 0, ?, ?) ON CONFLICT DO UPDATE SET at = excluded.at "
            "WHERE at IS NULL OR at > excluded.at",
            (board, boot.boot, is_by_radio(name), at, body(boot)),
        )
        added = self._db.execute(
            "INSERT OR IGNORE INTO boots VALUES (?, ?, ?, ?, ?, ?)",
            (board, boot.boot, boot.board, boot.release, boot.table_id, at),
        )
        if not added.rowcount:
            self._db.execute(
                "UPDATE boots SET heard = ?1 WHERE board = ?2 AND boot = ?3 AND hardware = ?4 "
                "AND release = ?5 AND table_id = ?6 AND (heard IS NULL OR heard > ?1)",
                (at, board, boot.boot, boot.board, boot.release, boot.table_id),
            )
        return Kept(None, added.rowcount > 0)

    def _add_game(self, name: str, game: Game, at: int | None, late: bool) -> _Added | Kept:
        board = self.board(name)
        key = game.boot, game.number, None if len(game.boot) == 8 else board
        stored = self._stored.get(key) or self._read(key)
        text = body(game)
        radio = is_by_radio(name)
        same = board, radio, late, text
        before = stored.lines.get(same)
        if before is None:
            if sum(line.radio == radio for line in stored.lines.values()) >= _MAX_LINES:
                if at is not None:
                    self._add_noise(name, framed(text), at)
                return Kept(None, False)
            cursor = self._db.execute(
                "INSERT INTO lines (board, boot, number, by_radio, late, at, text) "
                "VALUES (?, ?, ?, ?, ?, ?, ?)",
                (board, game.boot, game.number, radio, late, at, text),
            )
            assert cursor.lastrowid is not None
            stored.lines[same] = Line.of(cursor.lastrowid, name, radio, late, at, text)
        elif at is not None and (before.at is None or at < before.at):
            self._db.execute("UPDATE lines SET at = ? WHERE id = ?", (at, before.id))
            stored.lines[same] = before._replace(at=at)
        else:
            return _Added(key, text, False)
        stored.game_of.clear()
        new = text not in stored.texts
        stored.texts.add(text)
        return _Added(key, text, new)

    def _read(self, key: Key) -> _Stored:
        board = key[2]
        chosen = "" if board is None else "AND board = ?"
        values = key[: 2 if board is None else 3]
        lines = {}
        for own, *rest in self._db.execute(
            "SELECT board, lines.id, name, by_radio, late, at, text "
            "FROM lines JOIN boards ON boards.id = board "
            f"WHERE boot = ? AND number = ? {chosen}",
            values,
        ):
            line = Line.of(*rest)
            lines[own, line.radio, line.late, line.text] = line
        query = f"SELECT line, id FROM games WHERE boot = ? AND number = ? {chosen}"
        numbers = dict(self._db.execute(query, values).fetchall())
        stored = _Stored(lines, numbers, {line.text for line in lines.values()})
        self._stored[key] = stored
        return stored

    def renew_all(self) -> None:
        """Make all games anew of their lines."""
        own = "CASE length(boot) WHEN 4 THEN board END"
        keys = self._db.execute(f"SELECT DISTINCT boot, number, {own} FROM lines WHERE number")
        for key in keys.fetchall():
            self._stored.clear()
            self.renew([key])

    def renew(self, keys: Iterable[Key]) -> None:
        """Write the games that follow from the lines with these keys."""
        for key in keys:
            stored = self._stored.get(key) or self._read(key)
            if not stored.game_of:
                self._renew(key, stored)

    def _kept(self, added: _Added) -> Kept:
        number, game = self._stored[added.key].game_of[added.text]
        return Kept(number, added.new, game.played_before)

    def _renew(self, key: Key, stored: _Stored) -> None:
        numbers = {}
        for game, lines in fold(stored.lines.values()):
            # A game keeps its number for as long as the line is in it that it began with.
            known = {
                line.id: stored.numbers[line.id] for line in lines if line.id in stored.numbers
            }
            if known:
                first, number = min(known.items(), key=lambda each: each[1])
                if stored.written.get(number) != game:
                    self._update(number, game, stored.written.get(number))
            else:
                first = min(line.id for line in lines)
                number = self._insert(key, first, game)
            numbers[first] = number
            stored.written[number] = game
            for line in lines:
                stored.game_of[line.text] = number, game
        for number in set(stored.numbers.values()) - set(numbers.values()):
            self._db.execute("DELETE FROM games WHERE id = ?", (number,))
        stored.numbers = numbers

    def _insert(self, key: Key, line: int, game: FoldedGame) -> int:
        row = {"boot": key[0], "number": key[1], "line": line, **game._asdict()}
        row["board"] = self._board(game)
        cursor = self._db.execute(
            f"INSERT INTO games ({', '.join(row)}) VALUES (:{', :'.join(row)})", row
        )
        assert cursor.lastrowid is not None
        return cursor.lastrowid

    def _update(self, number: int, game: FoldedGame, before: FoldedGame | None) -> None:
        row = game._asdict()
        if before is not None:  # to write a start again is work in its index
            for name, old in zip(before._fields, before, strict=True):
                if row[name] == old:
                    del row[name]
        if "board" in row:
            row["board"] = self._board(game)
        columns = ", ".join(f"{name} = :{name}" for name in row)
        self._db.execute(f"UPDATE games SET {columns} WHERE id = :id", {**row, "id": number})

    def _board(self, game: FoldedGame) -> int:
        ((board,),) = self._db.execute("SELECT id FROM boards WHERE name = ?", (game.board,))
        return int(board)
