"""Rooms full of boards, a broker and a collector under load; `tools/bench_rooms.py` tells of it."""

from __future__ import annotations

import contextlib
import json
import logging
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from random import Random

import psutil
from paho.mqtt import subscribe

from mosquitto import Mosquitto
from noughts.protocol.sentences import Game
from noughts.rooms.address import Credentials, parse
from noughts.rooms.publisher import Publisher
from noughts.store import timestamps
from noughts.store.lines import Received
from noughts.store.store import Store
from random_games import random_game

ROOMS, BOARDS = 40, 25
INTERVAL_S = 1.5
"""Between two sentences of a board."""
_TICK_S = 0.005
_SETTLE_S = 60.0

_Key = tuple[str, int, int]


@dataclass
class Cost:
    """What a process took."""

    cpu: float
    """Share of one core."""
    mib: float


@dataclass
class Load:
    """What came of it."""

    sent: int
    stored: int
    again: int
    """Sentences that came once more."""
    seconds: float
    delays_ms: list[int] = field(default_factory=list)
    costs: dict[str, Cost] = field(default_factory=dict)
    bytes: int = 0
    """That the broker received and sent."""

    def percentile(self, share: float) -> int:
        """A delay that so many are below."""
        return self.delays_ms[min(len(self.delays_ms) - 1, int(share * len(self.delays_ms)))]


class _Process:
    """What a process takes from now on."""

    def __init__(self, pid: int) -> None:
        self._process = psutil.Process(pid)
        self._cpu_s, self._start_s = self._now_s(), time.monotonic()

    def _now_s(self) -> float:
        times = self._process.cpu_times()
        return float(times.user + times.system)

    def cost(self) -> Cost:
        passed_s = time.monotonic() - self._start_s
        mib = self._process.memory_info().rss / 2**20
        return Cost((self._now_s() - self._cpu_s) / passed_s, mib)


class Collector:
    """The command, and when it has told of which sentence."""

    def __init__(self, db: Path, url: str, stack: contextlib.ExitStack) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "noughts", "watch", "--json", "--db", db, url],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        stack.callback(self._process.wait)
        stack.callback(self._process.kill)
        self.pid = self._process.pid
        self.told: dict[_Key, int] = {}
        self.again = 0
        self.ready = threading.Event()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            event = json.loads(line)
            if event["event"] == "broker":
                self.ready.set()
            elif event["event"] == "game":
                self.again += not event["new"]
                key = event["boot"], event["number"], len(event["moves"])
                self.told.setdefault(key, timestamps.from_iso(event["at"]))

    def until(self, count: int, poll: Callable[[], None]) -> None:
        """Poll until it has told of so many sentences, or tells of no more."""
        end_s, known = time.monotonic() + _SETTLE_S, 0
        while len(self.told) < count and time.monotonic() < end_s:
            if len(self.told) > known:
                end_s, known = time.monotonic() + _SETTLE_S, len(self.told)
            poll()
            time.sleep(0.02)


class _Rooms:
    """Stores of rooms, and what publishes them."""

    def __init__(self, folder: Path, rooms: int, boards: int) -> None:
        self._folder = folder
        self._stores = [Store(folder / f"room{room}.db", create=True) for room in range(rooms)]
        self._unstored: list[list[Received]] = [[] for _ in range(rooms)]
        self._publishers: list[Publisher] = []
        self._boards = [
            (room, f"usb-9904{board:044x}", _endless(f"{room:04X}{board:04X}"))
            for room in range(rooms)
            for board in range(boards)
        ]
        self.heard: dict[_Key, int] = {}

    def publish(self, url: str, stack: contextlib.ExitStack) -> None:
        for number in range(len(self._stores)):
            its_own = partial(self._stores.__getitem__, number)
            publisher = Publisher(parse(url), Credentials(), f"room{number}", its_own)
            stack.callback(publisher.close)
            self._publishers.append(publisher)

    def hear(self, board: int) -> None:
        """Write the next sentence of a board."""
        room, name, games = self._boards[board]
        game, at = next(games), timestamps.now()
        self.heard[game.boot, game.number, len(game.moves)] = at
        self._unstored[room].append(Received.of(name, game, at))

    def flush(self) -> None:
        for store, received in zip(self._stores, self._unstored, strict=True):
            store.keep_many(received)
            received.clear()
        for each in self._publishers:
            each.poll()

    def play(self, seconds: float, interval_s: float) -> None:
        """All boards, each with a sentence in every interval, at moments of its own."""
        dice = Random(1)
        count = len(self._boards)
        due = sorted((dice.uniform(0, interval_s), board) for board in range(count))
        start_s = time.monotonic()
        turn, place = 0, 0
        while (passed_s := time.monotonic() - start_s) < seconds:
            while turn * interval_s + due[place][0] <= passed_s:
                self.hear(due[place][1])
                place += 1
                if place == count:
                    turn, place = turn + 1, 0
            self.flush()
            time.sleep(_TICK_S)


def _endless(boot: str) -> Iterator[Game]:
    dice, number = Random(boot), 0
    while True:
        number += 1
        yield from random_game(boot, number, dice)


@contextlib.contextmanager
def _school(rooms: int, boards: int) -> Iterator[tuple[_Rooms, Collector, Mosquitto, Path]]:
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        broker = Mosquitto(folder / "broker", lines=("sys_interval 1",))
        stack.callback(broker.close)
        collector = Collector(folder / "collector.db", broker.url, stack)
        collector.ready.wait()
        yield _Rooms(folder, rooms, boards), collector, broker, folder


def _broker_bytes(broker: Mosquitto) -> int:
    """What it has received and sent by now; it counts once a second."""
    logging.getLogger("paho").setLevel(logging.CRITICAL)  # it says that it has hung up
    time.sleep(1.5)
    topics = [f"$SYS/broker/bytes/{way}" for way in ("received", "sent")]
    told = subscribe.simple(  # type: ignore[no-untyped-call]
        topics, hostname="127.0.0.1", port=broker.port, msg_count=2
    )
    return sum(int(each.payload) for each in told)


def _load(rooms: _Rooms, collector: Collector, seconds: float) -> Load:
    told = collector.told
    delays = sorted(told[key] - at for key, at in rooms.heard.items() if key in told)
    return Load(len(rooms.heard), len(delays), collector.again, seconds, delays)


def busy_classes(rooms: int, boards: int, seconds: float) -> Load:
    """Rooms with so many boards each, as busy as classes are."""
    with _school(rooms, boards) as (played, collector, broker, _), contextlib.ExitStack() as stack:
        played.publish(broker.url, stack)
        bytes_before = _broker_bytes(broker)
        processes = {
            "collector": _Process(collector.pid),
            "broker": _Process(broker.pid),
            "rooms": _Process(psutil.Process().pid),
        }
        played.play(seconds, INTERVAL_S)
        costs = {name: process.cost() for name, process in processes.items()}
        collector.until(len(played.heard), played.flush)
        load = _load(played, collector, seconds)
        load.costs, load.bytes = costs, _broker_bytes(broker) - bytes_before
        return load


def catch_up(rooms: int, boards: int, sentences: int) -> Load:
    """Rooms whose broker was away while they heard so many sentences."""
    with _school(rooms, boards) as (played, collector, broker, _), contextlib.ExitStack() as stack:
        for number in range(sentences):
            played.hear(number % (rooms * boards))
        played.flush()
        start_s = time.monotonic()
        played.publish(broker.url, stack)
        collector.until(sentences, played.flush)
        return _load(played, collector, time.monotonic() - start_s)
