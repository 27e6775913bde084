"""The rows of `make bench` about the log: many boards at once, the store, and looking at it."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random

from noughts.log.sentences import Boot, write
from noughts.log.store import Store
from noughts.log.watching import Ears
from random_games import random_game
from watch_load import full_speed, memory

Rows = Iterator[tuple[str, str, str]]

GAMES = 100_000
_SECONDS = 8.0


def boards() -> Rows:
    """Boards that send without a pause, and what they cost one core."""
    for count in (1, 4, 16, 32, 64, 80):
        load = full_speed(count, _SECONDS)
        text = f"{load.cpu:.0%} of a core, {load.lost:,} of {load.sent:,} sentences lost"
        yield f"{count} boards at full 115200 baud", text, "0 lost" if count == 64 else ""


def sentences() -> Rows:
    """Parsed and stored, each in its own transaction."""
    dice = Random(1)
    told = [game for number in range(1, 3001) for game in random_game("0A83", number, dice)]
    data = b"".join(write(game).encode() + b"\r\n" for game in told)
    with (
        tempfile.TemporaryDirectory() as folder,
        Store(Path(folder) / "games.db", create=True) as store,
    ):
        ears = Ears(store, None)
        start = time.perf_counter()
        for at in range(0, len(data), 64):
            ears.hear("usb-1", data[at : at + 64], 1_790_000_000_000)
        took = time.perf_counter() - start
    yield "sentences parsed and stored a second", f"{len(told) / took:,.0f}", ""


def commands() -> Rows:
    """Whole commands on a store of many games, the best of five."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "games.db"
        fill(path, GAMES)
        for name, target in (("games", "<= 0.5 s"), ("stats", "<= 1 s")):
            took = min(run(name, "--db", str(path)) for _ in range(5))
            yield f"noughts {name}, {GAMES:,} games", f"{took:.2f} s", target
        took = run("export", "--db", str(path), "-o", str(Path(folder) / "games.csv"))
        yield f"noughts export to csv, {GAMES:,} games", f"{took:.1f} s", ""


def fill(path: Path, games: int) -> None:
    """A store of games at random, each a minute after the one before."""
    dice = Random(1)
    at = 1_790_000_000_000
    with Store(path, create=True) as store:
        store.keep("usb-1", Boot("0A83", "V1", "0.1.0", "2798"), at)
        for number in range(1, games + 1):
            at += 60_000
            for told in random_game("0A83", number, dice):
                store.keep("usb-1", told, at + told.ms)


def run(*words: str) -> float:
    """Seconds that a whole command takes."""
    start = time.perf_counter()
    subprocess.run([sys.executable, "-m", "noughts", *words], capture_output=True, check=True)
    return time.perf_counter() - start


def resident() -> Rows:
    """What watching costs in memory, after few and after many sentences."""
    found = dict(memory((10_000, 1_000_000)))
    for count, size in found.items():
        target = "no higher" if count == max(found) else ""
        yield f"memory of watch after {count:,} sentences", f"{size / 1e6:.1f} MB", target


PARTS = (boards, sentences, commands, resident)
