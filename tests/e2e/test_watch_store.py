"""The store of `noughts watch`: it is in use, or the disk is full."""

import contextlib
import itertools
import json
import resource
import signal
import sqlite3
import time

from command import noughts
from sample_games import DRAW, filled, stages
from watcher import games, rows


@contextlib.contextmanager
def locked(db):
    with contextlib.closing(sqlite3.connect(db, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        yield


def test_the_end_does_not_wait_for_another_program(port, watch):
    board = port("board")
    watcher = watch("games", board.path)
    watcher.connected(board.path)
    board.say(stages([])[0])
    watcher.wait(lambda event: event.get("game"), "the start")
    with locked(watcher.db):
        board.say(*stages(DRAW)[1:])
        watcher.wait(lambda event: event["event"] == "busy", "why nothing is stored")
        status, told = watcher.end(signal.SIGTERM)
    assert (status, told.count("\n")) == (1, 1)
    (log,) = watcher.db.parent.glob("games.db-not-stored-*.log")
    assert "9 sentences are not stored; `noughts watch --from FILE` reads them from" in told
    assert str(log) in told
    assert noughts("watch", "--from", log, "--db", watcher.db).returncode == 0
    assert [game["moves"] for game in games(watcher.db)] == [DRAW]


def test_a_capture_waits_for_another_program(started, capture, tmp_path):
    db = filled(tmp_path / "games.db", stages([4]))
    with locked(db):
        process = started("--from", capture(*stages(DRAW)), "--db", db)
        assert b"in use by another program" in process.stderr.readline()
    assert process.wait(120) == 0
    assert rows(db) == [(1,)]


def test_a_full_disk_is_one_line_and_nothing_is_lost(started, port, tmp_path):
    """The system lets no file grow beyond 130 KB."""
    board, db = port("board"), tmp_path / "games.db"
    limit = resource.RLIMIT_FSIZE, (130_000, 130_000)
    process = started(
        "--json", "--db", db, board.path, text=True, preexec_fn=lambda: resource.setrlimit(*limit)
    )
    process.stdout.readline()
    for number in itertools.count(1):
        board.offer(*stages([4], number=number))  # it may be ending, and read no more
        if process.poll() is not None:
            break
        time.sleep(0.001)
    events = [json.loads(line) for line in process.stdout]
    error = process.stderr.read()
    assert (process.returncode, error.count("\n")) == (1, 1)
    assert error.startswith("noughts: ")
    kept = {(game["number"], tuple(game["moves"])) for game in games(db)}
    told = {(each["number"], (4,)) for each in events if each["event"] == "game" and each["moves"]}
    assert told and told <= kept
