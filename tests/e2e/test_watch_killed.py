"""`noughts watch`, killed with SIGKILL at random moments while games arrive.

A process that has everything imported forks for each life of the command, so that 200 lives take
seconds; what runs in them is the command as it is, reading a pseudo-terminal.
"""

import contextlib
import json
import os
import queue
import random
import signal
import sqlite3
import subprocess
import sys
import threading
import tty

from noughts.log.sentences import write
from random_games import random_game

LIVES = 200

FORKING = """
import os, sys
import noughts.commands.watch
from noughts import cli
for line in sys.stdin:
    child = os.fork()
    if not child:
        os._exit(cli.main(sys.argv[1:]))
    print("child", child, flush=True)
    os.waitpid(child, 0)
    print("\\ndead", flush=True)  # what it wrote last may have been cut short
"""


class Lives:
    """Starts the command again and again, and knows what it reported."""

    def __init__(self, db, port):
        words = ["watch", "--json", "--db", str(db), port]
        self._forking = subprocess.Popen(
            [sys.executable, "-c", FORKING, *words],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        self._lines = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        for line in self._forking.stdout:
            self._lines.put(line)

    def begin(self):
        """Its process id."""
        self._forking.stdin.write("again\n")
        self._forking.stdin.flush()
        while not (line := self._lines.get(timeout=30)).startswith("child "):
            pass
        return int(line.split()[1])

    def connected(self):
        """Wait until it reads the port."""
        while '"connected"' not in self._lines.get(timeout=30):
            pass

    def reported(self):
        """What it had printed until it was dead; a line cut short was not told to anybody."""
        events = []
        while (line := self._lines.get(timeout=30)) != "dead\n":
            with contextlib.suppress(ValueError):
                events.append(json.loads(line))
        return events

    def close(self):
        self._forking.kill()
        self._forking.wait()


def test_what_was_reported_is_kept(tmp_path):
    db = tmp_path / "games.db"
    dice = random.Random(4)
    master, slave = os.openpty()
    tty.setraw(slave)
    lives = Lives(db, os.ttyname(slave))
    reported = []
    at_risk = 0
    try:
        for life in range(LIVES):
            child = lives.begin()
            lives.connected()
            bell = threading.Timer(dice.uniform(0, 0.04), os.kill, (child, signal.SIGKILL))
            bell.start()
            number = 0
            while bell.is_alive():
                number += 1
                for game in random_game(f"{life:04X}", number, dice):
                    feed(master, write(game).encode() + b"\r\n")
            events = [event for event in lives.reported() if event["event"] == "game"]
            at_risk += number > 1
            reported += events
            check(db, events)
    finally:
        lives.close()
        os.close(master)
        os.close(slave)
    assert at_risk > LIVES / 2  # games were arriving when it was killed
    assert len(reported) > LIVES
    with contextlib.closing(sqlite3.connect(db)) as store:
        check_rows(store, reported)
        assert store.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        # Nothing is doubled: no game is there under the same ids again.
        assert store.execute("SELECT count(*) FROM games WHERE again").fetchall() == [(0,)]
        assert store.execute("SELECT count(DISTINCT name) FROM boards").fetchall() == [(1,)]


def feed(master, data):
    """As a board: what nobody takes is lost."""
    os.set_blocking(master, False)
    with contextlib.suppress(BlockingIOError):
        os.write(master, data)


def check(db, events):
    with contextlib.closing(sqlite3.connect(db)) as store:
        check_rows(store, events)


def check_rows(store, events):
    rows = {
        row[0]: row[1:]
        for row in store.execute("SELECT id, boot, number, moves, times, end FROM games")
    }
    for event in events:
        boot, number, moves, times, end = rows[event["game"]]
        assert (boot, number) == (event["boot"], event["number"])
        told = "".join(map(str, event["moves"]))
        assert moves.startswith(told)
        if told:
            assert times.split(",")[len(told) - 1] == str(event["ms"])
        if event["end"] != "-":
            assert (moves, end) == (told, event["end"])
