"""The rows of `make bench` about a board: device time and memory, on stepped boards."""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterator

import bench_floor
import device_time
from bench_rows import Row, at_least, at_most
from device_query import ask_hard
from noughts.boards.packing import files_for_boards
from noughts.boards.radio import Radio, files_with
from noughts.brain import WEIGHTS, Table
from noughts.brain.learn import MAX_BOOK
from noughts.game.positions import Position, unfinished
from official import NEWEST, firmwares, printed

HEAP = {"V1": 10_240, "V2": 65_536}

_TEXTBOOK = b"""
from utime import ticks_us, ticks_diff
LINES = ((0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 4, 8), (2, 4, 6))
def search(m, player, alpha, beta):
    for a, b, c in LINES:
        if m[a] == m[b] == m[c] == -player:
            return -1
    if 0 not in m:
        return 0
    for i in range(9):
        if not m[i]:
            m[i] = player
            value = -search(m, -player, -beta, -alpha)
            m[i] = 0
            if value > alpha:
                alpha = value
                if alpha >= beta:
                    break
    return alpha
def ask(text):
    m = [0 if i == "." else 1 if i == "X" else -1 for i in text]
    start = ticks_us()
    try:
        search(m, 1 if text.count("X") == text.count("O") else -1, -1, 1)
        print(ticks_diff(ticks_us(), start))
    except RuntimeError:
        print(-1)
with open("positions") as file:
    while True:
        text = file.read(9)
        if not text:
            break
        ask(text)
"""


def heap() -> Iterator[Row]:
    """Free heap after collection: at each turn of the loop, in the choice, before a sentence."""
    for name in firmwares():
        board = name.split()[0]
        lowest = device_time.lowest_heap(name)
        note = f"an empty script has {bench_floor.heap(name):,} of {HEAP[board]:,}"
        what = f"free heap at the worst moment of a game, {name}"
        yield at_least(what, lowest, 2600 if board == "V1" else None, "{:,} bytes", note)


def largest_table() -> Iterator[Row]:
    """What a learned table costs a V1 when its book is full."""
    # Entries that name no position: so all of them are looked through.
    full = Table(WEIGHTS, tuple(range(0x10000 - MAX_BOOK, 0x10000)))
    with_it = f"with the largest learned table, {len(full.payload)} bytes, V1"
    for name in firmwares()[:2]:
        lowest = device_time.lowest_heap(name, full)
        what = f"free heap at the worst moment of a game {with_it}{name.removeprefix('V1')}"
        yield at_least(what, lowest, 2600, "{:,} bytes")
    worst_ms = max(answer.us for answer in ask_hard("V1 1.1.1", full).values()) / 1000
    yield at_most(f"hard's choice, worst, {with_it} 1.1.1", worst_ms, 7, "{:.2f} ms")


def choice() -> Iterator[Row]:
    """Hard's choice at every position, and what querying them all costs this computer."""
    for name in firmwares():
        start_s = time.process_time()
        answers = ask_hard(name)
        cpu_s = time.process_time() - start_s
        if name in NEWEST:
            times_ms = [answer.us / 1000 for answer in answers.values()]
            floor_ms = bench_floor.choice_us(name) / 1000
            median_ms = statistics.median(times_ms)
            note = f"median {median_ms:.2f} ms; looking at nine cells {floor_ms:.2f} ms"
            what = f"hard's choice, worst of {len(times_ms):,} positions, {name}"
            limit_ms = 7 if name.startswith("V1") else None
            yield at_most(what, max(times_ms), limit_ms, "{:.2f} ms", note)
        what = f"hard asked for all {len(answers):,} positions on {name}, CPU"
        yield at_most(what, cpu_s, 20, "{:.1f} s")


def textbook() -> Iterator[Row]:
    """Alpha-beta as in the textbooks, on the same firmware, from fewer and fewer marks."""
    some: dict[int, list[Position]] = {}
    for position in unfinished():
        if position.ply >= 1:
            some.setdefault(len(position.free), []).append(position)
    for free in range(1, 9):
        asked = some[free][:: max(1, len(some[free]) // 20)][:20]
        files = {"main.py": _TEXTBOOK, "positions": "".join(map(str, asked)).encode()}
        times_us = [int(word) for word in printed("V1 1.1.1", files).split()]
        failed = sum(us < 0 for us in times_us)
        done_ms = [us / 1000 for us in times_us if us >= 0]
        text = f"{statistics.median(done_ms):.0f} ms" if done_ms else ""
        if failed:
            text += f"{', ' if done_ms else ''}recursion too deep in {failed} of {len(times_us)}"
        yield Row(f"textbook alpha-beta on V1 with {free} free", text)
        if not done_ms:
            break


def start() -> Iterator[Row]:
    """From reset to the menu's letter, and to the game's readiness."""
    for name in NEWEST:
        found = device_time.start(name)
        menu_limit_ms, answer_limit_ms = (260, 1090) if name.startswith("V1") else (220, 550)
        note = f"a script that lights one LED {bench_floor.reset_us(name) / 1000:.0f} ms"
        menu = f"reset to the menu on the LEDs, {name}"
        yield at_most(menu, found.menu_us / 1000, menu_limit_ms, "{:,.0f} ms", note)
        answer = f"reset to the menu's first answer, {name}"
        yield at_most(answer, found.answer_us / 1000, answer_limit_ms, "{:,.0f} ms")


def press_to_led() -> Iterator[Row]:
    """From a button's pin to the light, in the menu and in games of two people."""
    for name in NEWEST:
        waits_ms = [us / 1000 for us in device_time.presses(name)]
        floor_ms = bench_floor.press_us(name) / 1000
        note = (
            f"median {statistics.median(waits_ms):.1f} ms; "
            f"a script that only lights an LED {floor_ms:.1f} ms"
        )
        what = f"press to the first other light on the LEDs, worst of {len(waits_ms)}, {name}"
        yield at_most(what, max(waits_ms), 30, "{:.1f} ms", note)
    name = NEWEST[1]
    waits_ms = [us / 1000 for us in device_time.presses(name, never_silent())]
    note = f"median {statistics.median(waits_ms):.1f} ms"
    what = f"the same with a frame by radio in each turn of the loop, worst of {len(waits_ms)}, "
    yield at_most(f"{what}{name}", max(waits_ms), 30, "{:.1f} ms", note)


def never_silent() -> dict[str, bytes]:
    """The game with radio that sends a frame in each turn of its loop: more than there can be."""
    files = dict(files_with(Radio(sends=7), "V2", files_for_boards()))
    again = b"if i[1]>10:"
    if files["air.py"].count(again) != 1:
        raise RuntimeError("air.py has changed; find out anew how it never stops to send")
    files["air.py"] = files["air.py"].replace(again, b"i[0]=0\n    if i[1]>9999:")
    return files


PARTS = (heap, choice, largest_table, textbook, start, press_to_led)
