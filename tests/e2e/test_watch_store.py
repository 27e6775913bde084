"""The store of `noughts watch`: it goes away, is in use or full, and the command is killed."""

import contextlib
import itertools
import json
import random
import resource
import shutil
import signal
import sqlite3
import time
from pathlib import Path

import pytest

from command import noughts
from lives import Forking, Life
from needed import long
from noughts.store.store import Store
from random_games import random_game
from sample_games import AT, BOOT, DRAW, filled, stages
from waiting import until
from watcher import games, happens, rows


def delete(db):
    for path in db.parent.glob("games.db*"):
        if path.is_file():
            path.unlink()


def delete_the_folder(db):
    # First out of the way: the watcher makes a new one as soon as it sees that this one is gone.
    shutil.rmtree(db.parent.rename(db.parent.with_name("deleted")))


def delete_its_log(db):
    Path(f"{db}-wal").unlink()


@pytest.mark.parametrize("harm", [delete_the_folder, delete_its_log, long(delete)])
def test_a_store_that_goes_away_while_it_is_written(port, watch, tmp_path, harm):
    board = port("board")
    (tmp_path / "log").mkdir()
    watcher = watch("log/games", board.path)
    db = watcher.db
    watcher.connected(board.path)
    board.say(BOOT, *stages(DRAW))
    happens(watcher, end="=")
    harm(db)
    board.say(*stages(DRAW, number=2)[:5])
    gone = watcher.wait(lambda event: event["event"] == "moved", "what has become of the store")
    now = db.with_name("games-2.db")
    assert (gone["store"], gone["now"]) == (str(db), str(now))
    board.say(*stages(DRAW, number=2)[5:])
    watcher.wait(lambda event: event.get("number") == 2 and event["end"] == "=", "the second game")
    status, told = watcher.end()
    assert (status, told.endswith(f"stored in {now}\n")) == (0, True)
    (game,) = games(now)
    assert (game["number"], game["moves"], game["thought_ms"]) == (2, DRAW, [1000] * 9)
    assert game["release"] == BOOT.release
    if harm is delete_its_log:
        assert 1 in {game["number"] for game in games(db)}


def test_a_store_that_others_write_and_tidy_is_still_there(port, watch, tmp_path):
    """Checkpoints, readers and other writers are no harm."""
    board = port("board")
    watcher = watch("games", board.path)
    watcher.connected(board.path)
    for number in range(1, 10):
        with Store(watcher.db) as other:
            for game in stages(DRAW, number=number, boot="BBBBBBBB"):
                other.keep("another", game, AT)
            other.read("PRAGMA wal_checkpoint(TRUNCATE)" if number % 2 else "VACUUM")
        board.say(*stages(DRAW, number=number))
    watcher.wait(lambda event: event.get("number") == 9 and event["end"] == "=", "the last")
    assert watcher.end()[0] == 0
    assert rows(watcher.db) == [(18,)]
    assert not [event for event in watcher.events if event["event"] == "moved"]


@contextlib.contextmanager
def locked(db):
    with contextlib.closing(sqlite3.connect(db, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        yield


def test_another_program_that_writes_for_long_is_waited_for(port, watch):
    board = port("board")
    watcher = watch("games", board.path)
    watcher.connected(board.path)
    board.say(*stages(DRAW))
    watcher.wait(lambda event: event.get("end") == "=", "the first game")
    with locked(watcher.db):
        for number in range(2, 300):
            board.say(*stages(DRAW, number=number))
        watcher.wait(lambda event: event["event"] == "busy", "why nothing is stored")
        board.say(*stages(DRAW, number=300))
        assert not [event for event in watcher.events if event.get("number", 0) > 1]
    watcher.wait(lambda event: event["event"] == "free", "that the store is free")
    watcher.wait(lambda event: event.get("number") == 300 and event["end"] == "=", "the last")
    assert rows(watcher.db) == [(300,)]
    status, told = watcher.end()
    assert (status, "300 games ended" in told) == (0, True)


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
        forking = Forking(tmp_path / "errors")
        stack.callback(forking.close)
        command = Life(forking, "watch", "--json", "--db", str(db), board.path)
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
