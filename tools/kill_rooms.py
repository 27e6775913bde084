"""Rooms, a broker and a collector that are killed with SIGKILL at random moments.

    PYTHONPATH=tests/support:tools .venv/bin/python tools/kill_rooms.py --kills 200

Two rooms hear two boards each, which this program is, through pseudo-terminals; a real mosquitto
stands between them and a collector. After each kill games must arrive again. A board tells a game
once more if its room was killed while it told it, as boards that keep games do. At the end each
game must be in the collector's store once, as the room has it, and with the time when it was told.
"""

from __future__ import annotations

import argparse
import contextlib
import random
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lives import Forking, Life
from mosquitto import Mosquitto
from told_games import Board, Told, rows

ROOMS = ("3a", "3b")
_BOARDS = 2
_RECOVER_S = 120.0
_TWO, _AT_ONCE = 0.2, 0.2
"""Of all kills, how many hit two at once, and how many come before anything has recovered."""


@dataclass
class Outcome:
    """What came of it."""

    kills: Counter[str]
    games: int
    told: int
    """How often a board told a game: more than once if its room was killed meanwhile."""
    seconds: float
    wrong: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        kills = ", ".join(f"{self.kills[name]} of {name}" for name in sorted(self.kills))
        return (
            f"{self.kills.total()} kills ({kills}) in {self.seconds:.0f} s; {self.games:,} games, "
            f"told {self.told:,} times; "
            + (f"{len(self.wrong)} wrong" if self.wrong else "each is there once, as it was played")
        )


class School:
    """The boards, the rooms, the broker and the collector."""

    def __init__(self, folder: Path, seed: int, stack: contextlib.ExitStack) -> None:
        self._dice = random.Random(seed)
        self._errors = folder / "errors"
        forking = Forking(self._errors)
        stack.callback(forking.close)
        self.broker = Mosquitto(folder / "broker")
        stack.callback(self.broker.close)
        self.db = folder / "collector.db"
        self.lives: dict[str, Life | Mosquitto] = {"the broker": self.broker}
        self.boards: list[Board] = []
        collector = Life(forking, "watch", "--json", "--db", str(self.db), self.broker.url)
        self._commands = {"the collector": collector}
        for number, room in enumerate(ROOMS):
            db = folder / f"{room}.db"
            ports = [folder / f"{room}-{index}" for index in range(_BOARDS)]
            for index, port in enumerate(ports):
                boot = f"{number + 1:04X}{index:04X}"
                name = f"{room}/{port}"
                self.boards.append(Board(port, db, name, boot, random.Random(self._dice.random())))
                stack.callback(self.boards[-1].close)
            words = ["watch", "--json", "--db", str(db), "--publish", self.broker.url]
            words += ["--room", room, *map(str, ports)]
            self._commands[f"room {room}"] = Life(forking, *words)
        self.lives |= self._commands
        for life in self._commands.values():
            life.start()
            stack.callback(life.close)

    def arrived(self) -> int:
        """Games that the collector has, and that have ended."""
        found = rows(self.db, "SELECT count(*) FROM games WHERE end <> '-'")
        return int(found[0][0]) if found else 0

    def until_arrived(self, count: int) -> None:
        """Play until the collector has so many games."""
        end_s = time.monotonic() + _RECOVER_S
        while self.arrived() < count:
            assert time.monotonic() < end_s, f"nothing arrives: {self._errors.read_text()}"
            self._play(0.02)

    def _play(self, seconds: float) -> None:
        end_s = time.monotonic() + seconds
        while time.monotonic() < end_s:
            for board in self.boards:
                board.step()
            time.sleep(0.001)

    def kill(self, count: int) -> Iterator[str]:
        """Kill so often, and start again; gives who was killed."""
        while count:
            if self._dice.random() >= _AT_ONCE:
                self.until_arrived(self.arrived() + self._dice.randrange(1, 6))
            self._play(self._dice.uniform(0, 0.1))
            names = sorted(self.lives)
            victims = self._dice.sample(names, min(count, 1 + (self._dice.random() < _TWO)))
            for name in victims:
                self.lives[name].kill()
                yield name
            count -= len(victims)
            self._play(self._dice.uniform(0, 0.3))
            for name in self._dice.sample(victims, len(victims)):
                self.lives[name].start()

    def end(self) -> list[Told]:
        """Wait until the collector has what the rooms have, and end all as Ctrl-C does."""
        told = [each for board in self.boards for each in board.done]
        wanted = {(each.game.boot, each.game.number) for each in told}
        ended = "SELECT boot, number FROM games WHERE end <> '-'"
        end_s = time.monotonic() + _RECOVER_S
        while not wanted <= set(rows(self.db, ended)) and time.monotonic() < end_s:
            time.sleep(0.02)
        for life in reversed(self._commands.values()):  # the rooms first
            life.kill(signal.SIGINT)
        return told

    def wrong(self, told: list[Told], folder: Path) -> Iterator[str]:
        """What is not as it should be."""
        kept: dict[tuple[str, int], list[tuple[Any, ...]]] = {}
        for boot, number, *row in rows(self.db, _KEPT):
            kept.setdefault((boot, number), []).append(tuple(row))
        in_rooms = {
            (boot, number): (moves, times, ms, end)
            for room in ROOMS
            for boot, number, _, moves, times, ms, end, *_ in rows(folder / f"{room}.db", _KEPT)
        }
        for each in told:
            game = each.game
            found = kept.get((game.boot, game.number), [])
            if len(found) != 1:
                yield f"{each.board}: game {game.number} is there {len(found)} times"
                continue
            ((board, *played, started, before),) = found
            moves = "".join(map(str, game.moves))
            if (board, played[0], played[-1]) != (each.board, moves, game.end):
                yield f"{each.board}: game {game.number} is {board} {played}"
            if tuple(played) != in_rooms[game.boot, game.number]:
                yield f"{each.board}: game {game.number} is {played} and not as its room has it"
            if started is None:  # all but its end was told while its room was dead
                if before is None or before < each.first_ms:
                    yield f"{each.board}: game {game.number} was played before {before}"
            elif not each.first_ms - game.ms <= started <= each.last_ms:
                late = started - each.first_ms
                yield f"{each.board}: game {game.number} began {late} ms after it was told first"
        more = sum(map(len, kept.values())) - len(told) - len(self.boards)  # one may be going on
        if more > 0:
            yield f"{more} games that nobody played"
        said = self._errors.read_text()
        if "Traceback" in said:
            yield said


_KEPT = """
    SELECT boot, number, (SELECT name FROM boards WHERE id = board), moves, times, ms, end, started,
        played_before
    FROM games
"""


def run(folder: Path, kills: int, seed: int) -> Outcome:
    """Kill so often."""
    start_s = time.monotonic()
    killed: Counter[str] = Counter()
    with contextlib.ExitStack() as stack:
        school = School(folder, seed, stack)
        school.until_arrived(1)
        for name in school.kill(kills):
            killed[name] += 1
            if sys.stderr.isatty():
                print(f"\r{killed.total()}", end="", file=sys.stderr)
        told = school.end()
        times = sum(board.times_told for board in school.boards)
        outcome = Outcome(killed, len(told), times, time.monotonic() - start_s)
        outcome.wrong += school.wrong(told, folder)
    return outcome


def main() -> int:
    """Kill, and say what came of it; 1 if something is wrong."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        outcome = run(Path(folder), args.kills, args.seed)
    print(outcome)
    for line in outcome.wrong[:20]:
        print(line)
    return 1 if outcome.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
