"""Taking over a store of release 1.0.0, which knew no lines.

Its games say which lines they came from. The raw lines that 1.0.0 wrote into a folder next to it
are read once; the folder stays as it is.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from itertools import chain, islice
from pathlib import Path

from noughts.protocol.parser import Noise, ParsedSentence, Stream
from noughts.protocol.radio_boards import is_by_radio
from noughts.protocol.sentences import Boot, Game, Runs, body
from noughts.store import capture
from noughts.store.fold import FoldedGame
from noughts.store.lines import Lines, Received
from noughts.store.schema import TABLES

_AT_ONCE = 512
_GAME = "seats, first, moves, times, ms, end, started, heard, played_before, by_radio"
_OLD_GAMES = f"""
    SELECT old.id, boot, number, start_by_radio, name, {_GAME}
    FROM old_games AS old JOIN boards ON boards.id = board ORDER BY boot, number, old.id
"""
_OLD_BOOTS = """
    SELECT name, heard, boot, hardware, release, table_id
    FROM old_boots JOIN boards ON boards.id = board
"""


def take_over(db: sqlite3.Connection, path: Path) -> None:
    """Make the tables of this version, and fill them, in a transaction.

    Game numbers stay the same. Release 1.0.0 had a row for each board name under which a game was
    received; those are one game now.
    """
    db.execute("ALTER TABLE games RENAME TO old_games")
    db.execute("ALTER TABLE boots RENAME TO old_boots")
    db.execute("DROP INDEX games_by_moment")
    for statement in TABLES:
        db.execute(statement)
    # So that no other game gets the number of one.
    db.execute(
        f"INSERT INTO games (id, board, boot, number, line, {_GAME}) "
        f"SELECT id, board, boot, number, 0, {_GAME} FROM old_games"
    )
    lines = Lines(db)
    for board, heard, *said in db.execute(_OLD_BOOTS).fetchall():
        lines.keep([Received.of(board, Boot(*said), heard)])
    for id, boot, number, start_by_radio, *rest in db.execute(_OLD_GAMES).fetchall():
        game = FoldedGame(*rest)
        late = game.started is None
        first, *_ = [
            lines.add((boot, number), game.board, by_radio, late, at, body(said))
            for by_radio, at, said in _lines(game, boot, number, bool(start_by_radio))
        ]
        db.execute("UPDATE games SET line = ? WHERE id = ?", (first, id))
    lines.renew_all()
    db.execute("DROP TABLE old_games")
    db.execute("DROP TABLE old_boots")
    _take_over_raw_lines(lines, Path(f"{path}.raw"))


def _take_over_raw_lines(lines: Lines, folder: Path) -> None:
    runs = Runs()
    for path in sorted(folder.glob("????-??-??T*.log")):
        with path.open("rb") as file:
            received = chain.from_iterable(_received(each, runs) for each in capture.read(file))
            while some := list(islice(received, _AT_ONCE)):
                lines.keep(some)


def _received(captured: capture.Captured, runs: Runs) -> Iterator[Received]:
    board, at = captured.board, captured.at
    if board is None:
        return
    if captured.is_opened:
        runs.opened(board, at)
        yield Received(board, None, "", at)
        return
    stream = Stream()  # each raw line is whole
    for item in [*stream.feed(captured.data), *stream.end()]:
        if isinstance(item, ParsedSentence):
            late = runs.is_late(board, item.sentence, item.radio_id is not None, at)
            yield Received(board, item.sentence, item.body, at, late)
        else:
            yield Received(board, None, item.text if isinstance(item, Noise) else item.line, at)


def _lines(
    game: FoldedGame, boot: str, number: int, start_by_radio: bool
) -> Iterator[tuple[bool, int | None, Game]]:
    """What a game must have come from, the furthest first: by radio, the moment, the sentence."""
    radio = is_by_radio(game.board)
    last_by_radio = radio or bool(game.by_radio)

    def said(moves: str, ms: int, end: str) -> Game:
        return Game(boot, number, game.seats, game.first, tuple(map(int, moves)), ms, end)

    last = said(game.moves, game.ms, game.end)
    known = [last]
    for plies, ms in reversed([*enumerate(game.times.split(","), 1)]):
        if ms and (plies < len(game.moves) or game.end == "x"):
            known.append(said(game.moves[:plies], int(ms), "-"))
    if game.started is None or game.heard is None:
        for each in known:
            yield last_by_radio, game.played_before, each
        return
    # The start and the last moment are of lines that came live, all of them one way.
    live_by_radio = radio or start_by_radio
    heard: int | None = game.heard
    for each in known:
        at = game.started + each.ms
        if at > game.heard or (each is last and last_by_radio is not live_by_radio):
            yield last_by_radio, None, each
        else:
            yield live_by_radio, at if heard is None else heard, each
            heard = None
    yield live_by_radio, game.started, said("", 0, "-")
