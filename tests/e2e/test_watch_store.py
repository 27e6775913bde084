"""The store of `noughts watch`: it is in use or full, and the command is killed."""

import contextlib
import itertools
import json
import random
import resource
import signal
import sqlite3
import time

import pytest

from command import noughts
from lives import Life
from needed import long
from random_games import random_game
from sample_games import DRAW, filled, stages
from waiting import until
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


class Output:
    """What a command has printed into a file by now."""

    def __init__(self, path):
        path.touch()
        self.path = str(path)
        self._file = path.open("rb")
        self._cut_short = b""

    def new_events(self):
        *lines, self._cut_short = (self._cut_short + self._file.read()).split(b"\n")
        return [json.loads(line) for line in lines]

    def new_games(self):
        return [event for event in self.new_events() if event["event"] == "game"]

    def wait_for_the_port(self):
        def connected():
            return "connected" in [event["event"] for event in self.new_events()]

        until(connected, "the port", step_s=0.002)


@pytest.mark.parametrize("lives", [8, long(60)])
def test_what_was_reported_is_stored(port, tmp_path, lives):
    db, dice = tmp_path / "games.db", random.Random(4)
    board = port("board")
    reported = []
    with contextlib.ExitStack() as stack:
        command = Life(tmp_path / "errors", "watch", "--json", "--db", str(db), board.path)
        stack.callback(command.close)
        for life in range(lives):
            output = Output(tmp_path / f"output{life}")
            command.start(output.path)
            output.wait_for_the_port()
            # It is killed when it has reported so much and then so many sentences were sent, in
            # whatever it is doing with them: not after a time, in which it may not have run.
            events = []
            least, more = dice.randrange(5), dice.randrange(1, 1000)
            for sentence in endless(life, dice):
                board.offer(sentence)
                events += output.new_games()
                more -= len(events) >= least
                if not more:
                    break
            command.kill()
            events += output.new_games()
            assert len(events) >= least
            check_rows(db, events)
            reported += events
    check_rows(db, reported)
    assert rows(db, "PRAGMA integrity_check") == [("ok",)]
    # Nothing is doubled: no two games have the same ids.
    once = "SELECT count(*) = count(DISTINCT boot || '/' || number) FROM games"
    assert rows(db, once) == [(1,)]
    assert rows(db, "SELECT count(DISTINCT name) FROM boards") == [(1,)]


def endless(life, dice):
    """The sentences of one game after another."""
    for number in itertools.count(1):
        yield from random_game(f"{life:08X}", number, dice)


def check_rows(db, events):
    with contextlib.closing(sqlite3.connect(db)) as store:
        for event in events:
            boot, number, moves, times, end = store.execute(
                "SELECT boot, number, moves, times, end FROM games WHERE id = ?", [event["game"]]
            ).fetchone()
            assert (boot, number) == (event["boot"], event["number"])
            told = "".join(map(str, event["moves"]))
            assert moves.startswith(told)
            if told:
                assert times.split(",")[len(told) - 1] == str(event["ms"])
            if event["end"] != "-":
                assert (moves, end) == (told, event["end"])
