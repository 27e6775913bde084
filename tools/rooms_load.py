"""Rooms full of boards, a broker and a collector under load, in a process that does nothing else.

    PYTHONPATH=tools/harness python tools/rooms_load.py busy|back [ROOMS]

It prints a `Load`, of which `make bench` makes rows. The broker is a real mosquitto. The 40 rooms
are publishers of the command's own code, because 40 commands would need more memory and processors
than this computer has to spare. Their stores are written to in place of recorders. A delay is from
the moment at which a sentence was received in its room until the collector, which has stored it,
prints it.
"""

import argparse
import json
import logging
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from random import Random
from typing import NamedTuple

import psutil
from paho.mqtt import subscribe

from mosquitto import Mosquitto
from noughts.protocol.sentences import Game
from noughts.rooms.address import parse
from noughts.rooms.publisher import Publisher
from noughts.store import timestamps
from noughts.store.lines import Received
from noughts.store.store import Store
from random_games import random_game
from waiting import until

ROOMS, IN_ROOM = 40, 25
INTERVAL_S = 1.5  # of a board's sentences: a person takes 2.6 s for a move, and the chip 0.4
_BUSY_S, _MISSED = 20.0, 30_000
_STEP_S, _GIVE_UP_S = 0.005, 60.0

_Key = tuple[str, int, int]


class Load(NamedTuple):
    sent: int
    again: int
    """Sentences that came again."""
    delays_ms: list[int]
    seconds: float
    costs: Sequence[tuple[float, float]] = ()
    """Of the broker, the collector and the rooms: share of a core, and MB."""
    bytes: int = 0
    """That the broker received and sent."""


def usage(pid: int) -> psutil.Process:
    """A process whose `cpu_percent()` counts from now on."""
    process = psutil.Process(pid)
    process.cpu_percent()
    return process


class _School:
    """The stores of rooms, a broker, and the collector, a command that prints what it stores."""

    def __init__(self, rooms: int, stack: ExitStack) -> None:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        self.broker = Mosquitto(folder / "broker", lines=("sys_interval 1",))
        stack.callback(self.broker.close)
        self._output = folder / "collector.json"
        words = ["watch", "--json", "--db", str(folder / "collector.db"), self.broker.url]
        with self._output.open("wb") as output:
            process = subprocess.Popen([sys.executable, "-m", "noughts", *words], stdout=output)
        stack.callback(process.wait)
        stack.callback(process.kill)
        until(self._output.read_bytes, "the collector at the broker")
        self.collector_pid = process.pid
        self._stack = stack
        self._stores = [Store(folder / f"room{room}.db", create=True) for room in range(rooms)]
        self._unstored: list[list[Received]] = [[] for _ in range(rooms)]
        self._publishers: list[Publisher] = []
        self._boards = [
            (room, f"usb-9904{board:044x}", _endless(f"{room:04X}{board:04X}"))
            for room in range(rooms)
            for board in range(IN_ROOM)
        ]
        self.received: dict[_Key, int] = {}

    def publish(self) -> None:
        for number in range(len(self._stores)):
            publisher = Publisher(parse(self.broker.url), f"room{number}")
            self._stack.callback(publisher.close)
            self._publishers.append(publisher)

    def receive(self, board: int) -> None:
        room, name, games = self._boards[board % len(self._boards)]
        game, at = next(games), timestamps.now()
        self.received[game.boot, game.number, len(game.moves)] = at
        self._unstored[room].append(Received.of(name, game, at))

    def flush(self) -> None:
        for store, received in zip(self._stores, self._unstored, strict=True):
            store.add_many(received)
            received.clear()
        for publisher, store in zip(self._publishers, self._stores, strict=False):
            publisher.pass_on(store)

    def play(self, seconds: float) -> None:
        """Let all boards send one sentence per interval, each at its own time."""
        dice = Random(1)
        count = len(self._boards)
        due = sorted((dice.uniform(0, INTERVAL_S), board) for board in range(count))
        start_s = time.monotonic()
        done = 0
        while (passed_s := time.monotonic() - start_s) < seconds:
            while done // count * INTERVAL_S + due[done % count][0] <= passed_s:
                self.receive(due[done % count][1])
                done += 1
            self.flush()
            time.sleep(_STEP_S)

    def broker_bytes(self) -> int:
        """Bytes received and sent by now; the broker counts once a second."""
        logging.getLogger("paho").setLevel(logging.CRITICAL)  # it says that it has hung up
        time.sleep(1.5)
        counts = subscribe.simple(  # type: ignore[no-untyped-call]
            [f"$SYS/broker/bytes/{way}" for way in ("received", "sent")],
            hostname="127.0.0.1",
            port=self.broker.port,
            msg_count=2,
        )
        return sum(int(message.payload) for message in counts)

    def load(self, start_ms: int) -> Load:
        """Wait until the collector has reported all sentences, or stops reporting."""
        stored: dict[_Key, int] = {}
        events, at, rest = 0, 0, b""
        end_s = time.monotonic() + _GIVE_UP_S
        while len(stored) < len(self.received) and time.monotonic() < end_s:
            for _ in range(25):
                self.flush()
                time.sleep(2 * _STEP_S)
            stored_count = len(stored)
            with self._output.open("rb") as output:
                output.seek(at)
                *lines, rest = (rest + output.read()).split(b"\n")
                at = output.tell()
            games = [event for event in map(json.loads, lines) if event["event"] == "game"]
            events += len(games)
            for game in games:
                key = game["boot"], game["number"], len(game["moves"])
                stored.setdefault(key, timestamps.from_iso(game["at"]))
            if len(stored) > stored_count:
                end_s = time.monotonic() + _GIVE_UP_S
        delays = sorted(stored[key] - at for key, at in self.received.items() if key in stored)
        again = events - len(stored)
        return Load(len(self.received), again, delays, (max(stored.values()) - start_ms) / 1000)


def _endless(boot: str) -> Iterator[Game]:
    dice, number = Random(boot), 0
    while True:
        number += 1
        yield from random_game(boot, number, dice)


def busy_classes() -> Load:
    with ExitStack() as stack:
        school = _School(ROOMS, stack)
        school.publish()
        bytes_before = school.broker_bytes()
        pids = school.broker.pid, school.collector_pid, os.getpid()
        processes = [usage(pid) for pid in pids]
        start_ms = timestamps.now()
        school.play(_BUSY_S)
        costs = [
            (process.cpu_percent() / 100, process.memory_info().rss / 1e6) for process in processes
        ]
        load = school.load(start_ms)
        return load._replace(costs=costs, bytes=school.broker_bytes() - bytes_before)


def catch_up(rooms: int) -> Load:
    with ExitStack() as stack:
        school = _School(rooms, stack)
        for number in range(_MISSED):
            school.receive(number)
        school.flush()
        start_ms = timestamps.now()
        school.publish()
        return school.load(start_ms)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("part", choices=("busy", "back"))
    parser.add_argument("rooms", nargs="?", type=int, default=ROOMS, help="for back")
    options = parser.parse_args()
    result = catch_up(options.rooms) if options.part == "back" else busy_classes()
    print(json.dumps(result._asdict()))
