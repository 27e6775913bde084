"""The rows of `make bench` about the log: many boards at once, the store, and looking at it."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random

from bench_rows import Row, at_most
from noughts.protocol.sentences import Boot, write
from noughts.store.store import Store
from noughts.watch.recorder import Recorder
from random_games import random_game
from watch_load import full_speed, memory

Rows = Iterator[Row]

GAMES = 100_000
_CAPTURED = 13_000
_BARE = Path(__file__).with_name("bare_log.py")
_SECONDS = 8.0
_MEMORY_NOISE = 1.02
"""Two runs of a process differ by a few pages."""


def boards() -> Rows:
    """Boards that send without a pause, and what they cost one core."""
    for count in (1, 4, 16, 32, 64, 128):
        load = full_speed(count, _SECONDS)
        text = f"{load.cpu:.0%} of a core, {load.lost:,} of {load.sent:,} sentences lost"
        target, met = ("0 lost", not load.lost) if count == 64 else ("", True)
        yield Row(f"`noughts watch`, boards at full 115200 baud: {count}", text, target, met)


def sentences() -> Rows:
    """Parsed and stored, each in its own transaction."""
    dice = Random(1)
    told = [game for number in range(1, 3001) for game in random_game("00000A83", number, dice)]
    data = b"".join(write(game).encode() + b"\r\n" for game in told)
    with (
        tempfile.TemporaryDirectory() as folder,
        Store(Path(folder) / "games.db", create=True) as store,
    ):
        ears = Recorder(store)
        start = time.perf_counter()
        for at in range(0, len(data), 64):
            ears.hear("usb-1", data[at : at + 64], 1_790_000_000_000)
        took = time.perf_counter() - start
    yield Row("sentences parsed and stored a second", f"{len(told) / took:,.0f}")


def captured() -> Rows:
    """What `noughts watch --from` takes for a sentence, beside a bare script, and for a game."""
    dice = Random(1)
    with tempfile.TemporaryDirectory() as folder:
        log, store = Path(folder, "captured.log"), Path(folder, "games.db")
        told = 0
        with log.open("w", newline="") as file:
            for number in range(_CAPTURED):
                for game in random_game(f"{number // 40:08X}", number % 40 + 1, dice):
                    file.write(f"{write(game)}\r\n")
                    told += 1
        watch = ["-m", "noughts", "watch", "--plain", "--db", str(store), "--from"]
        ours = cpu_s(*watch, str(log)) - cpu_s(*watch, os.devnull)
        bare = cpu_s(str(_BARE), str(log), f"{store}-bare") - cpu_s("-c", "import sqlite3")
        size = store.stat().st_size / _CAPTURED
    what = f"`noughts watch --from`, {told:,} sentences: CPU, as a ratio to a bare script's"
    note = f"{ours / told * 1e6:.0f} µs a sentence, and {bare / told * 1e6:.1f}"
    yield at_most(what, ours / bare, 10, "{:.1f}", note)
    yield at_most("the store's size per game, lines included", size, 1500, "{:,.0f} bytes")


def cpu_s(*words: str) -> float:
    """Seconds of CPU that Python takes with these arguments."""
    before = os.times()
    subprocess.run([sys.executable, *words], capture_output=True, check=True)
    after = os.times()
    return (
        after.children_user + after.children_system - before.children_user - before.children_system
    )


def commands() -> Rows:
    """Whole commands on a store of many games, the best of five."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "games.db"
        fill(path, GAMES)
        for name, limit_s in (("games", 0.5), ("stats", 1)):
            took = min(run(name, "--db", str(path)) for _ in range(5))
            yield at_most(f"`noughts {name}`, {GAMES:,} games", took, limit_s, "{:.2f} s")
        took = run("report", "--db", str(path), "-o", str(Path(folder) / "class.html"))
        yield Row(f"`noughts report`, {GAMES:,} games", f"{took:.1f} s")
        took = run("export", "--db", str(path), "-o", str(Path(folder) / "games.csv"))
        yield Row(f"`noughts export` to csv, {GAMES:,} games", f"{took:.1f} s")


def fill(path: Path, games: int) -> None:
    """A store of games at random, each a minute after the one before."""
    dice = Random(1)
    at = 1_790_000_000_000
    with Store(path, create=True) as store:
        store.keep("usb-1", Boot("00000A83", "V1", "0.1.0", "2798"), at)
        for number in range(1, games + 1):
            at += 60_000
            for told in random_game("00000A83", number, dice):
                store.keep("usb-1", told, at + told.ms)


def run(*words: str) -> float:
    """Seconds that a whole command takes."""
    start = time.perf_counter()
    subprocess.run([sys.executable, "-m", "noughts", *words], capture_output=True, check=True)
    return time.perf_counter() - start


def resident() -> Rows:
    """What watching costs in memory, after few and after many sentences."""
    few, many = (size / 1e6 for _, size in memory((10_000, 1_000_000)))
    what = "memory of `noughts watch` after 1,000,000 sentences"
    text, met = f"{many:.1f} MB (after 10,000 {few:.1f} MB)", many <= few * _MEMORY_NOISE
    yield Row(what, text, "no higher", met)


PARTS = (boards, sentences, captured, commands, resident)
