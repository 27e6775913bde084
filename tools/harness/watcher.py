"""A running `noughts watch --json`, and the games it has stored."""

import contextlib
import json
import signal
import sqlite3
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

from noughts.store import queries
from noughts.store.game_filter import GameFilter
from noughts.store.store import Store
from noughts.store.stored_game import StoredGame
from waiting import until


class Watcher:
    """Runs the command, and collects its events. `end()` or `kill()` it."""

    def __init__(self, db: Path, *words: str) -> None:
        self.db = db
        self._process = subprocess.Popen(
            [sys.executable, "-m", "noughts", "watch", "--json", "--db", str(db), *words],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.events: list[dict[str, Any]] = []
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self.events.append(json.loads(line))

    def happens(self, event: str, times: int = 1, **named: object) -> None:
        """Wait for a number of such events, with these fields."""
        expected = {"event": event, **named}
        until(
            lambda: sum(expected.items() <= e.items() for e in self.events) >= times, str(expected)
        )

    def connected(self, port: str, times: int = 1) -> None:
        self.happens("connected", times, port=port)

    def end(self, number: int = signal.SIGINT) -> tuple[int, str]:
        """End it as Ctrl-C does; returns its exit status and its standard error."""
        self._process.send_signal(number)
        status = self._process.wait(120)
        self._thread.join(120)
        assert self._process.stderr is not None
        return status, self._process.stderr.read()

    def kill(self) -> None:
        """Kill it as `kill -9` does, even if it has ended."""
        self._process.kill()
        self._process.wait(120)
        self._thread.join(120)

    close = kill


def games(db: Path) -> list[StoredGame]:
    with Store(db) as store:
        return list(queries.games(store, GameFilter()))


def rows(db: Path, query: str = "SELECT count(*) FROM games WHERE end != '-'") -> list[Any]:
    """The rows in a store, or none if it is not there yet."""
    try:
        with contextlib.closing(sqlite3.connect(f"{db.as_uri()}?mode=ro", uri=True)) as store:
            return store.execute(query).fetchall()
    except sqlite3.OperationalError:
        return []
