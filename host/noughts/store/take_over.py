"""Taking over a store that knew no lines.

Its games say which lines they came from. The raw lines that release 1.0.0 wrote into a folder
beside it are read once; the folder stays as it is.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import BinaryIO

from noughts.protocol.parser import Noise, ParsedSentence, Stream
from noughts.protocol.radio_boards import is_by_radio
from noughts.protocol.runs import Runs
from noughts.protocol.sentences import Boot, Game, body
from noughts.store import capture
from noughts.store.fold import FoldedGame, Line
from noughts.store.lines import GAME, LINE, Key, Lines, Received

_AT_ONCE = 64

_Line = tuple[bool, bool, int | None, str]
"""By radio, late, the moment, the text."""


def take_over(db: sqlite3.Connection) -> None:
    """Fill `lines`, and `games` from them, in a transaction.

    A game keeps its number. Earlier versions had a row for each board name under which a game was
    received; those are one game now.
    """
    lines = Lines(db)
    for board, heard, *said in db.execute(
        "SELECT name, heard, boot, hardware, release, table_id FROM boots "
        "JOIN boards ON boards.id = board"
    ).fetchall():
        lines.keep([Received.of(board, Boot(*said), heard)])
    shared: set[Key] = set()
    for id, board, boot, number, start_by_radio, *rest in db.execute(
        "SELECT old.id, board, boot, number, start_by_radio, name, seats, first, moves, times, ms, "
        "end, started, heard, played_before, by_radio "
        "FROM old_games AS old JOIN boards ON boards.id = board ORDER BY old.id"
    ).fetchall():
        game = FoldedGame(*rest)
        numbers = []
        for radio, late, at, text in _lines(game, boot, number, bool(start_by_radio)):
            Line.of(0, game.board, radio, late, at, text)  # a damaged game ends it here
            numbers.append(_add(db, board, boot, number, radio, late, at, text))
        same = "SELECT 1 FROM games WHERE boot = ? AND number = ?"
        if db.execute(same, (boot, number)).fetchone():
            shared.add((boot, number, None if len(boot) == 8 else board))
        db.execute(GAME, (id, boot, number, numbers[0], board, *game[1:]))
    for key in shared:
        lines.renew(key)
    db.execute("DROP TABLE old_games")
    for _, name, file in db.execute("PRAGMA database_list").fetchall():
        if name == "main" and file:
            _take_over_raw_lines(lines, Path(f"{file}.raw"))


def _take_over_raw_lines(lines: Lines, folder: Path) -> None:
    runs = Runs()
    for path in sorted(folder.glob("????-??-??T*.log")):
        with path.open("rb") as file:
            read = _received(file, runs)
            while some := list(islice(read, _AT_ONCE)):
                lines.keep(some)


def _received(file: BinaryIO, runs: Runs) -> Iterator[Received]:
    for captured in capture.read(file):
        if captured.board is None:
            continue
        if captured.is_opened:
            runs.opened(captured.board, captured.at)
            yield Received(captured.board, None, "", captured.at)
            continue
        stream = Stream()  # each raw line is whole
        for item in [*stream.feed(captured.data), *stream.end()]:
            board, at = captured.board, captured.at
            if isinstance(item, ParsedSentence):
                late = runs.is_late(board, item, at)
                yield Received(board, item.sentence, item.body, at, late)
            else:
                yield Received(board, None, item.text if isinstance(item, Noise) else item.line, at)


def _add(db: sqlite3.Connection, *row: object) -> int:
    """The number of a line, which is new if need be."""
    added = db.execute(f"INSERT OR IGNORE {LINE}", row)
    if added.rowcount and added.lastrowid is not None:
        return added.lastrowid
    known = (
        "SELECT id FROM lines WHERE board = ? AND boot = ? AND number = ? AND by_radio = ? "
        "AND late = ? AND text = ?"
    )
    ((line,),) = db.execute(known, (*row[:5], row[6]))
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
