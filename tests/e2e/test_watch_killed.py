"""`noughts watch`, killed with SIGKILL at random moments while games arrive.

A process that has everything imported forks for each life of the command; what runs in them is the
command as it is, reading a pseudo-terminal.
"""

import contextlib
import itertools
import json
import random
import sqlite3
import time

import pytest

from lives import Forking, Life
from needed import long
from random_games import random_game


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
        end = time.monotonic() + 120
        while "connected" not in [event["event"] for event in self.new_events()]:
            assert time.monotonic() < end
            time.sleep(0.002)


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
    with contextlib.closing(sqlite3.connect(db)) as store:
        assert store.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        # Nothing is doubled: no game is there under the same ids again.
        assert store.execute("SELECT count(*) FROM games WHERE again").fetchall() == [(0,)]
        assert store.execute("SELECT count(DISTINCT name) FROM boards").fetchall() == [(1,)]


def endless(life, dice):
    """The sentences of one game after another."""
    for number in itertools.count(1):
        yield from random_game(f"{life:04X}", number, dice)


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
