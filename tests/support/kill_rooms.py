"""Rooms, a broker and a collector that are killed with SIGKILL at random moments.

    python tests/support/kill_rooms.py --kills 200

This program plays two boards for each of two rooms, through pseudo-terminals. A real mosquitto
connects the rooms with a collector. After each kill, games must arrive again. A board sends a game
once more if its room was killed in the meantime, as boards that store games do. At the end, each
game must be in the collector's store once, as the room has it, and with the time when it was sent.
"""

from __future__ import annotations

import argparse
import contextlib
import signal
import sqlite3
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from fed_port import Port
from lives import Life
from mosquitto import Mosquitto
from noughts.protocol.sentences import Game
from noughts.store import timestamps
from random_games import random_game
from waiting import until

ROOMS = ("3a", "3b")
_BOARDS = 2
_PLY_MS = 5
_PAUSE_S = 0.005
"""Between two sentences of a board."""
_RESEND_AFTER_S = 0.5
"""A board sends its game again if its room has not stored it by then."""
_TWO, _AT_ONCE = 0.2, 0.2
"""Of all kills, how many hit two at once, and how many come before anything has recovered."""
_ENDED = "SELECT boot, number FROM games WHERE end <> '-'"
_ALL = """
    SELECT boot, number, (SELECT name FROM boards WHERE id = board), moves, times, ms, end, started,
        played_before
    FROM games
"""


class SentGame(NamedTuple):
    """A game that a room has, and when it was sent: from the first to the last moment."""

    game: Game
    board: str
    first_ms: int
    last_ms: int


class Board:
    """Sends one game after another, each until its room has it."""

    def __init__(self, path: Path, room_db: Path, name: str, boot: str, dice: Random) -> None:
        self._port = Port(path)
        self._db, self._name, self._boot, self._dice = room_db, name, boot, dice
        self._due_s = 0.0
        self.done: list[SentGame] = []
        self.times_sent = 0
        self._next()

    def _next(self) -> None:
        game = random_game(self._boot, len(self.done) + 1, self._dice)
        self._game = [replace(each, ms=_PLY_MS * len(each.moves)) for each in game]
        self._first_ms, self._sent = timestamps.now(), 0

    def step(self) -> None:
        """Send the sentence that is due, or check whether the room has the game."""
        now_s, end = time.monotonic(), self._game[-1]
        if self._sent < len(self._game):
            if now_s >= self._due_s:
                self._port.offer(self._game[self._sent])
                self.times_sent += not self._sent
                self._sent += 1
                self._due_s, self._again_s = now_s + _PAUSE_S, now_s + _RESEND_AFTER_S
        elif (end.boot, end.number) in rows(self._db, _ENDED):
            self.done.append(SentGame(end, self._name, self._first_ms, timestamps.now()))
            self._next()
        elif now_s > self._again_s:
            self._sent = 0

    def close(self) -> None:
        self._port.pull()


def rows(db: Path, query: str) -> list[tuple[Any, ...]]:
    """What a store has, if it is there by now."""
    try:
        with contextlib.closing(sqlite3.connect(f"{db.as_uri()}?mode=ro", uri=True)) as store:
            return store.execute(query).fetchall()
    except sqlite3.OperationalError:
        return []


class Outcome(NamedTuple):
    kills: Counter[str]
    games: int
    times_sent: int
    """How often a board sent a game: more than once if its room was killed in the meantime."""
    wrong: list[str]


class School:
    def __init__(self, folder: Path, seed: int, stack: contextlib.ExitStack) -> None:
        self._dice = Random(seed)
        self._folder, self._errors, self._db = folder, folder / "errors", folder / "collector.db"
        broker = Mosquitto(folder / "broker")
        stack.callback(broker.close)
        watch = "watch", "--json", "--db"
        self._commands = {"the collector": Life(self._errors, *watch, str(self._db), broker.url)}
        self.boards: list[Board] = []
        for number, room in enumerate(ROOMS):
            db = folder / f"{room}.db"
            ports = [folder / f"{room}-{index}" for index in range(_BOARDS)]
            for index, port in enumerate(ports):
                dice, boot = Random(self._dice.random()), f"{number + 1:04X}{index:04X}"
                self.boards.append(Board(port, db, f"{room}/{port}", boot, dice))
                stack.callback(self.boards[-1].close)
            words = [str(db), "--publish", broker.url, "--room", room, *map(str, ports)]
            self._commands[f"room {room}"] = Life(self._errors, *watch, *words)
        self._lives: dict[str, Life | Mosquitto] = {"the broker": broker, **self._commands}
        for life in self._commands.values():
            life.start()
            stack.callback(life.close)

    def _play_until(self, count: int) -> None:
        def arrived() -> bool:
            self._play(0.02)
            return len(rows(self._db, _ENDED)) >= count

        until(arrived, "games", step_s=0)

    def _play(self, seconds: float) -> None:
        end_s = time.monotonic() + seconds
        while time.monotonic() < end_s:
            for board in self.boards:
                board.step()
            time.sleep(0.001)

    def kill(self, count: int) -> Iterator[str]:
        """Kill so often, and start again; gives who was killed."""
        self._play_until(1)
        while count:
            if self._dice.random() >= _AT_ONCE:
                self._play_until(len(rows(self._db, _ENDED)) + self._dice.randrange(1, 6))
            self._play(self._dice.uniform(0, 0.1))
            names = sorted(self._lives)
            victims = self._dice.sample(names, min(count, 1 + (self._dice.random() < _TWO)))
            for name in victims:
                self._lives[name].kill()
                yield name
            count -= len(victims)
            self._play(self._dice.uniform(0, 0.3))
            for name in self._dice.sample(victims, len(victims)):
                self._lives[name].start()

    def end(self) -> list[SentGame]:
        """Wait until the collector has what the rooms have, and end all as Ctrl-C does."""
        sent = [each for board in self.boards for each in board.done]
        wanted = {(each.game.boot, each.game.number) for each in sent}
        with contextlib.suppress(AssertionError):  # a missing game is reported as wrong
            until(lambda: wanted <= set(rows(self._db, _ENDED)), "all games")
        for life in reversed(self._commands.values()):  # the rooms first
            life.kill(signal.SIGINT)
        return sent

    def wrong(self, sent: list[SentGame]) -> Iterator[str]:
        stored: dict[tuple[str, int], list[list[Any]]] = {}
        for boot, number, *row in rows(self._db, _ALL):
            stored.setdefault((boot, number), []).append(row)
        in_rooms = {
            (boot, number): row
            for room in ROOMS
            for boot, number, _, *row in rows(self._folder / f"{room}.db", _ALL)
        }
        for each in sent:
            game, what = each.game, f"{each.board}: game {each.game.number}"
            found = stored.get((game.boot, game.number), [])
            if len(found) != 1:
                yield f"{what} is there {len(found)} times"
                continue
            ((board, *played, started, before),) = found
            moves = "".join(map(str, game.moves))
            if (board, played[0], played[-1]) != (each.board, moves, game.end):
                yield f"{what} is {board} {played}"
            if played != in_rooms[game.boot, game.number][:-2]:
                yield f"{what} is {played} and not as its room has it"
            if started is None:  # all but its end was sent while its room was dead
                if before is None or before < each.first_ms:
                    yield f"{what} was played before {before}"
            elif not each.first_ms - game.ms <= started <= each.last_ms:
                yield f"{what} began {started - each.first_ms} ms after it was first sent"
        more = sum(map(len, stored.values())) - len(sent) - len(self.boards)  # one may be going on
        if more > 0:
            yield f"{more} games that nobody played"
        errors = self._errors.read_text()
        if "Traceback" in errors:
            yield errors


def run(folder: Path, kills: int, seed: int) -> Outcome:
    with contextlib.ExitStack() as stack:
        school = School(folder, seed, stack)
        killed = Counter(school.kill(kills))
        sent = school.end()
        times = sum(board.times_sent for board in school.boards)
        return Outcome(killed, len(sent), times, list(school.wrong(sent)))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    start_s = time.monotonic()
    with tempfile.TemporaryDirectory() as place:
        came = run(Path(place), args.kills, args.seed)
    names = ", ".join(f"{came.kills[name]} of {name}" for name in sorted(came.kills))
    took = f"{came.kills.total()} kills ({names}) in {time.monotonic() - start_s:.0f} s"
    end = f"{len(came.wrong)} wrong" if came.wrong else "each is there once, as it was played"
    print(f"{took}; {came.games:,} games, sent {came.times_sent:,} times; {end}")
    print(*came.wrong[:20], sep="\n")
    sys.exit(bool(came.wrong))
