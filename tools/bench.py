"""`make bench`: what the game and its tools cost, beside their targets.

What a board costs is in device time on stepped boards, which repeats to the instruction. The rest
is seconds of this computer: CPU seconds where other programs may run beside it, the best of some.
The exit status is 1 where a target is missed.
"""

from __future__ import annotations

import os
import pty
import select
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

from micropython_microbit_fs import get_bundled_hex

import bench_floor
import bench_log
import device_time
from asking import ask_hard
from bench_rows import Row, at_least, at_most
from noughts import table
from noughts.device_files import files_for_boards
from noughts.emulator import Microbit
from noughts.emulator.hexfile import load
from noughts.firmware import image
from noughts.positions import Position, unfinished
from noughts.virtual.board import VirtualBoard
from noughts.virtual.process import STEP_US
from noughts.virtual.program import program
from official import firmwares, printed, stepped

NEWEST = "V1 1.1.1", "V2 2.1.2"
HEAP = {"V1": 10_240, "V2": 65_536}
TABLE_FLOOR = 17.1
"""Bytes of information in hard's 101 choices where no line can be completed with one mark."""
IDLE_S = {"V1": (0.06, 0.13), "V2": (0.15, 0.20)}
"""CPU seconds for a device second, in the menu and in a game."""
_WINDOWS, _WINDOW_US = 5, 2_000_000
_TRIES = 5
_LIT = "█".encode()
"""A LED at its brightest, as `noughts play` draws it."""
_PLAY_TIMEOUT_S = 60.0

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


def main() -> int:
    """Measure, and print one table; 1 where a target is missed."""
    print("device time on:", ", ".join(firmwares()))
    rows: list[Row] = []
    for part in PARTS:
        for row in part():
            rows.append(row)
            print(".", end="", flush=True, file=sys.stderr)
    print(file=sys.stderr)
    print("| what | measured | target |\n| --- | --- | --- |")
    for row in rows:
        missed = "" if row.met else " **missed**"
        print(f"| {row.what} | {row.measured} | {row.target}{missed} |")
    return 0 if all(row.met for row in rows) else 1


def heap() -> Iterator[Row]:
    """Free heap after collection: at each turn of the loop, in the choice, before a sentence."""
    for name in firmwares():
        what = f"free heap at the worst moment of a game, {name}"
        lowest, empty = device_time.lowest_heap(name), bench_floor.heap(name)
        board = name.split()[0]
        if board == "V1":
            yield at_least(what, lowest, 2560, "{:,} bytes")
        else:
            yield Row(what, f"{lowest:,} bytes")
        floor = f"{empty:,} of {HEAP[board]:,} bytes"
        yield Row("… the floor: what an empty script has", floor)


def choice() -> Iterator[Row]:
    """Hard's choice at every position, and what asking them all costs this computer."""
    for name in firmwares():
        start_s = time.process_time()
        answers = ask_hard(name)
        cpu_s = time.process_time() - start_s
        times_ms = [answer.us / 1000 for answer in answers.values()]
        if name in NEWEST:
            median = f"{statistics.median(times_ms):.2f} ms"
            yield Row(f"hard's choice, median of {len(times_ms):,} positions, {name}", median)
            what = f"hard's choice, worst position, {name}"
            if name.startswith("V1"):
                yield at_most(what, max(times_ms), 7, "{:.2f} ms")
            else:
                yield Row(what, f"{max(times_ms):.2f} ms")
            floor = f"{bench_floor.choice_us(name) / 1000:.2f} ms"
            yield Row("… the floor: looking at nine cells", floor)
        what = f"hard asked for all {len(times_ms):,} positions, {name}, CPU"
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
        yield Row(f"textbook alpha-beta on V1, {free} free cells", text)
        if not done_ms:
            break


def start() -> Iterator[Row]:
    """From reset to the menu's letter, and to the game's readiness."""
    for name in NEWEST:
        found = device_time.start(name)
        menu_ms, answer_ms = found.menu_us / 1000, found.answer_us / 1000
        menu, answer = f"reset to the menu on the LEDs, {name}", f"… to its first answer, {name}"
        if name.startswith("V1"):
            yield at_most(menu, menu_ms, 400, "{:,.0f} ms")
            yield at_most(answer, answer_ms, 1000, "{:,.0f} ms")
        else:
            yield Row(menu, f"{menu_ms:.0f} ms")
            yield Row(answer, f"{answer_ms:.0f} ms")
        floor = f"{bench_floor.reset_us(name) / 1000:.0f} ms"
        yield Row("… the floor: a script that lights one LED", floor)


def press_to_led() -> Iterator[Row]:
    """From a press to the light, in the menu and in games of two people."""
    for name in NEWEST:
        waits_ms = [us / 1000 for us in device_time.presses(name)]
        what = f"press to other light on the LEDs, worst of {len(waits_ms)}, {name}"
        yield at_most(what, max(waits_ms), 30, "{:.1f} ms")
        yield Row("… median", f"{statistics.median(waits_ms):.1f} ms")
        floor = f"{bench_floor.press_us(name) / 1000:.1f} ms"
        yield Row("… the floor: a script that only lights an LED", floor)


def sizes() -> Iterator[Row]:
    """Bytes in flash."""
    files: Mapping[str, bytes] = files_for_boards()
    for firmware in image.bundled().values():
        usage = firmware.usage(files)
        yield Row(f"file system used, {firmware.board}", f"{usage.used:,} of {usage.total:,} bytes")
    # A chunk is the same on both boards.
    yield at_most("files as they go onto a board", usage.used // 128, 100, "{} chunks of 128 bytes")
    payload = len(table.make().payload)
    yield at_most("table payload, index included", payload, 26, "{} bytes")
    yield Row("… the floor: the information in the choices", f"{TABLE_FLOOR} bytes")


def virtual() -> Iterator[Row]:
    """What a virtual board costs, and how soon it shows its menu."""
    for name in NEWEST:
        board = stepped(name)()
        device_time.run_to_menu(board)
        board.run_for(500_000)
        menu_s, game_s = IDLE_S[board.board]
        what = f"CPU for a device second of a virtual {board.board} in"
        yield at_most(f"{what} the menu", _idle_s(board), menu_s, "{:.3f} s")
        board.press("B")
        board.run_for(100_000)
        board.release("B")
        board.run_for(500_000)
        yield at_most(f"{what} a game", _idle_s(board), game_s, "{:.3f} s")
    shown_s = min(_play_s() for _ in range(_TRIES))
    yield at_most("`noughts play` to its menu on the LEDs", shown_s, 1.5, "{:.2f} s")
    for version, name in enumerate(("V1", "V2"), 1):
        text = get_bundled_hex(version).content
        read_s = min(_read_s(text, name) for _ in range(_TRIES))
        yield Row(f"the emulator's reading of {name}'s hex, CPU", f"{read_s:.2f} s")


def _idle_s(board: Microbit) -> float:
    """CPU seconds for a device second, stepped and looked at as a virtual board is."""
    costs = []
    for _ in range(_WINDOWS):
        start_s = time.process_time()
        for _ in range(_WINDOW_US // STEP_US):
            board.run_for(STEP_US)
            board.uart.receive()
            board.leds()
        costs.append((time.process_time() - start_s) / (_WINDOW_US / 1e6))
    return min(costs)


def _play_s() -> float:
    """Seconds from the command, in a terminal, to the first LED that it draws lit."""
    start_s = time.perf_counter()
    pid, terminal = pty.fork()
    if pid == 0:
        os.environ |= {"TERM": "xterm-256color", "PYTHONUTF8": "1", "COLUMNS": "100", "LINES": "30"}
        os.execv(sys.executable, [sys.executable, "-m", "noughts", "play"])
    seen = b""
    try:
        while _LIT not in seen:
            left_s = start_s + _PLAY_TIMEOUT_S - time.perf_counter()
            if not select.select([terminal], [], [], max(0, left_s))[0]:
                raise RuntimeError(f"noughts play shows no menu: {seen[-400:]!r}")
            seen += os.read(terminal, 65536)
        took_s = time.perf_counter() - start_s
        os.write(terminal, b"q")
        while select.select([terminal], [], [], _PLAY_TIMEOUT_S)[0] and os.read(terminal, 65536):
            pass
    except OSError:  # it has ended
        pass
    finally:
        os.close(terminal)
        os.waitpid(pid, 0)
    return took_s


def _read_s(text: str, board: str) -> float:
    start_s = time.process_time()
    load(text, board)
    return time.process_time() - start_s


def commands() -> Iterator[Row]:
    """Whole commands on this machine, the best of five."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "noughts.hex"
        for name, words, limit_s in (
            ("table --check", ["table", "--check"], 0.3),
            ("--help", ["--help"], 0.2),
            ("prove hard", ["prove", "hard"], 1),
            ("solve .........", ["solve", "........."], 1),
            ("hex", ["hex", "-o", str(path)], 0.6),
        ):
            took_s = min(bench_log.run(*words) for _ in range(_TRIES))
            yield at_most(f"`noughts {name}`", took_s, limit_s, "{:.2f} s")
        yield Row("size of noughts.hex", f"{path.stat().st_size:,} bytes")


def put() -> Iterator[Row]:
    """Whole `noughts put` commands onto a virtual board, in real time."""
    other = table.Table((1,) * 10, ())
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.py"
        path.write_text(table.source(other))
        for name in ("V1", "V2"):
            with VirtualBoard(program(name, {})) as board:
                port = ("--port", board.port)
                everything_s = bench_log.run("put", *port)
                changed = ("--table", str(path)), ()
                changed_s = [bench_log.run("put", *port, *more) for more in changed * 3]
                nothing_s = bench_log.run("put", *port)
            what = f"`noughts put` of a changed table, worst of {len(changed_s)}, {name}"
            yield at_most(what, max(changed_s), 3, "{:.1f} s")
            yield Row("… of all files", f"{everything_s:.1f} s")
            yield Row("… of none, all being there", f"{nothing_s:.1f} s")


PARTS = (
    heap,
    choice,
    textbook,
    start,
    press_to_led,
    sizes,
    virtual,
    commands,
    put,
    *bench_log.PARTS,
)


if __name__ == "__main__":
    sys.exit(main())
