"""`noughts watch`, killed with SIGKILL at random moments while games arrive.

A process that has everything imported forks for each life of the command, so that 60 lives take
seconds; what runs in them is the command as it is, reading a pseudo-terminal.
"""

import contextlib
import itertools
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

from noughts.protocol.sentences import write
from random_games import random_game

LIVES = 60

FORKING = """
import os, sys
import noughts.commands.watch
from noughts import cli
for line in sys.stdin:
    child = os.fork()
    if not child:
        print("child", os.getpid(), flush=True)  # before whatever else it says
        os._exit(cli.main(sys.argv[1:]))
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
        while not (line := self._lines.get(timeout=120)).startswith("child "):
            pass
        return int(line.split()[1])

    def connected(self):
        """Wait until it reads the port."""
        while '"connected"' not in self._lines.get(timeout=120):
            pass

    def reported(self):
        """The games that it has told of by now; a line cut short was told to nobody."""
        events = []
        with contextlib.suppress(queue.Empty):
            while True:
                with contextlib.suppress(ValueError):
                    events.append(json.loads(self._lines.get_nowait()))
        return [event for event in events if event["event"] == "game"]

    def dead(self):
        """Wait until it is; the games that it had told of until then."""
        lines = []
        while (line := self._lines.get(timeout=120)) != "dead\n":
            lines.append(line)
        for line in lines:
            self._lines.put(line)
        return self.reported()

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
    try:
        for life in range(LIVES):
            child = lives.begin()
            lives.connected()
            # It is killed when it has reported so much and then so many sentences were sent, in
            # whatever it is doing with them: not after a time, in which it may not have run.
            events = []
            least, more = dice.randrange(5), dice.randrange(1, 1000)
            for sentence in endless(life, dice):
                feed(master, write(sentence).encode() + b"\r\n")
                events += lives.reported()
                more -= len(events) >= least
                if not more:
                    break
            os.kill(child, signal.SIGKILL)
            events += lives.dead()
            assert len(events) >= least
            reported += events
            check(db, events)
    finally:
        lives.close()
        os.close(master)
        os.close(slave)
    with contextlib.closing(sqlite3.connect(db)) as store:
        check_rows(store, reported)
        assert store.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        # Nothing is doubled: no game is there under the same ids again.
        assert store.execute("SELECT count(*) FROM games WHERE again").fetchall() == [(0,)]
        assert store.execute("SELECT count(DISTINCT name) FROM boards").fetchall() == [(1,)]


def endless(life, dice):
    """The sentences of one game after another."""
    for number in itertools.count(1):
        yield from random_game(f"{life:04X}", number, dice)


def feed(master, data):
    """As a board: what nobody takes is lost."""
    os.set_blocking(master, False)
    with contextlib.suppress(BlockingIOError):
        os.write(master, data)


def check(db, events):
    with contextlib.closing(sqlite3.connect(db)) as store:
        check_rows(store, events)


def check_rows(store, events):
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
