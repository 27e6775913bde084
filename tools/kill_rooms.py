"""Rooms, a broker and a collector that are killed with SIGKILL at random moments.

    PYTHONPATH=tools/harness python tools/kill_rooms.py 200 1

This program plays two boards for each of two rooms, through pseudo-terminals. A real mosquitto
connects the rooms with a collector. Give it a number of kills and a seed. After each kill,
games must arrive again. At the end, the collector must store each game once, just as its room does.
"""

import argparse
import contextlib
import multiprocessing
import os
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from itertools import count
from pathlib import Path
from random import Random
from typing import NamedTuple

from fed_port import Port
from mosquitto import Mosquitto
from noughts.protocol.sentences import Sentence
from random_games import random_game
from waiting import until
from watcher import rows

ROOMS = ("3a", "3b")
_BOARDS = 2
_PLY_MS = 5
_TWO, _AT_ONCE = 0.2, 0.2
"""The shares of kills that hit two at once, and that come before anything has recovered."""
_ENDED = "SELECT boot, number FROM games WHERE end <> '-'"
_ALL = """
    SELECT (SELECT name FROM boards WHERE id = board), boot, number, moves, times, ms, end,
        coalesce(started, played_before - ms)
    FROM games ORDER BY boot, number
"""
"""If only the end of a game was received, a room that was killed may take it for a late game, and
the collector may not: hence `coalesce`, which gives the same moment for both."""

_RESEND_AFTER_S = 10.0
_FORKS = multiprocessing.get_context("forkserver")
_FORKS.set_forkserver_preload(
    ["noughts.cli.watch", "noughts.rooms.collector", "noughts.rooms.publisher"]
)


def sentences(boot: str, dice: Random) -> Iterator[Sentence]:
    for number in count(1):
        for game in random_game(boot, number, dice):
            yield replace(game, ms=_PLY_MS * len(game.moves))


def _run(words: list[str], errors: str) -> None:
    from noughts.__main__ import main

    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs ignore it
    sys.argv[1:] = words
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    os.dup2(os.open(errors, os.O_WRONLY | os.O_CREAT | os.O_APPEND), 2)
    os._exit(main())


class Life:
    """A command that is started again and again: each life is a fork with everything imported.

    Its standard error goes to a file.
    """

    def __init__(self, errors: Path, *words: str) -> None:
        errors.touch()
        self._errors, self._words = str(errors), list(words)

    def start(self) -> None:
        self._process = _FORKS.Process(target=_run, args=(self._words, self._errors))
        self._process.start()

    def kill(self, number: int = signal.SIGKILL) -> None:
        """End it, and wait until it has ended. Raises `ProcessLookupError` if it had before."""
        if not self._process.is_alive():
            raise ProcessLookupError
        while self._process.is_alive():  # a signal that comes too early is lost
            os.kill(self._process.pid or 0, number)
            self._process.join(_RESEND_AFTER_S)

    def close(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            self.kill()


class Outcome(NamedTuple):
    kills: Counter[str]
    games: int
    wrong: list[str]


class School:
    def __init__(self, folder: Path, seed: int, stack: contextlib.ExitStack) -> None:
        self._dice = Random(seed)
        self._folder, self._errors, self._db = folder, folder / "errors", folder / "collector.db"
        broker = Mosquitto(folder / "broker")
        stack.callback(broker.close)
        watch = "watch", "--json", "--db"
        self._commands = {"the collector": Life(self._errors, *watch, str(self._db), broker.url)}
        self._boards: list[tuple[Port, Iterator[Sentence]]] = []
        for number, room in enumerate(ROOMS):
            ports = [folder / f"{room}-{index}" for index in range(_BOARDS)]
            for index, path in enumerate(ports):
                port, boot = Port(path), f"{number + 1:04X}{index:04X}"
                stack.callback(port.pull)
                self._boards.append((port, sentences(boot, Random(self._dice.random()))))
            words = ["--publish", broker.url, "--room", room, *map(str, ports)]
            self._commands[f"room {room}"] = Life(self._errors, *watch, str(self._of(room)), *words)
        self._lives: dict[str, Life | Mosquitto] = {"the broker": broker, **self._commands}
        for life in self._commands.values():
            life.start()
            stack.callback(life.close)

    def _of(self, room: str) -> Path:
        return self._folder / f"{room}.db"

    def _play_until(self, games: int) -> None:
        def arrived() -> bool:
            self._play(0.02)
            return len(rows(self._db, _ENDED)) >= games

        until(arrived, "games", step_s=0)

    def _play(self, seconds: float) -> None:
        end_s = time.monotonic() + seconds
        while time.monotonic() < end_s:
            for port, unsent in self._boards:
                port.offer(next(unsent))
            time.sleep(_PLY_MS / 1000)

    def kill(self, kills: int) -> Iterator[str]:
        """Kill processes and start them again; yields the name of each one killed."""
        self._play_until(1)
        while kills:
            if self._dice.random() >= _AT_ONCE:
                self._play_until(len(rows(self._db, _ENDED)) + self._dice.randrange(1, 6))
            self._play(self._dice.uniform(0, 0.1))
            names = sorted(self._lives)
            victims = self._dice.sample(names, min(kills, 1 + (self._dice.random() < _TWO)))
            for name in victims:
                self._lives[name].kill()
                yield name
            kills -= len(victims)
            self._play(self._dice.uniform(0, 0.3))
            for name in self._dice.sample(victims, len(victims)):
                self._lives[name].start()
        self._play_until(len(rows(self._db, _ENDED)) + len(self._boards))

    def end(self) -> tuple[int, list[str]]:
        """End all as Ctrl-C does; returns the number of games, and those that differ."""
        for name in self._commands.keys() - {"the collector"}:
            self._commands[name].kill(signal.SIGINT)
        for name in self._commands.keys() - {"the collector"}:  # to send what was not confirmed
            self._commands[name].start()
        played = [  # with the boards' names at the collector
            (f"{room}/{board}", *game)
            for room in ROOMS
            for board, *game in rows(self._of(room), _ALL)
        ]
        with contextlib.suppress(AssertionError):  # differences are reported as wrong
            until(lambda: rows(self._db, _ALL) == played, "all games")
        for life in reversed(self._commands.values()):  # the rooms first
            life.kill(signal.SIGINT)
        stored = rows(self._db, _ALL)
        wrong = [f"missing or different: {game}" for game in played if game not in stored]
        wrong += [f"not as its room has it: {game}" for game in stored if game not in played]
        errors = self._errors.read_text()
        return len(played), wrong + [errors] * ("Traceback" in errors)


def run(folder: Path, kills: int, seed: int) -> Outcome:
    with contextlib.ExitStack() as stack:
        school = School(folder, seed, stack)
        return Outcome(Counter(school.kill(kills)), *school.end())


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("kills", type=int)
    parser.add_argument("seed", type=int)
    options = parser.parse_args()
    start_s = time.monotonic()
    with tempfile.TemporaryDirectory() as place:
        came = run(Path(place), options.kills, options.seed)
    names = ", ".join(f"{came.kills[name]} of {name}" for name in sorted(came.kills))
    took = f"{came.kills.total()} kills ({names}) in {time.monotonic() - start_s:.0f} s"
    print(f"{took}; {came.games:,} games, {len(came.wrong)} wrong", *came.wrong[:20], sep="\n")
    sys.exit(bool(came.wrong))
