"""`make bench`: what the game costs on the real V1 firmware, in device time, beside its targets.

Device time counts every instruction of the emulated chip as 64 ns and repeats from run to run.
Where idle time does not matter it is skipped, so that this takes a minute or two.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

import uflash
from noughts.boards.base import Button
from noughts.boards.emulated import EmulatedBoard

import bench_floor
import bench_log
from asking import FAST, Asker
from noughts import table
from noughts.device_files import device_files, files_for_boards
from noughts.firmware import image
from noughts.packing import packed
from noughts.positions import Position, unfinished

HEAP = 10_240
FRAME_MS = 18
"""The display shows one of its three rows every 6 ms."""
TABLE_FLOOR = 17.1
"""Bytes of information in hard's 101 choices where no line can be completed with one mark."""

# A probe changes the heap that it measures: each takes some 30 bytes of it.
_PROBE = b"gc.collect()\nprint('free', gc.mem_free())\n"

_TEXTBOOK = b"""
from microbit import display
from utime import ticks_us, ticks_diff
display.show("?")
LINES = ((0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 4, 8), (2, 4, 6))
def search(m, player, low, high):
    for a, b, c in LINES:
        if m[a] == m[b] == m[c] == -player:
            return -1
    if 0 not in m:
        return 0
    for i in range(9):
        if not m[i]:
            m[i] = player
            value = -search(m, -player, -high, -low)
            m[i] = 0
            if value > low:
                low = value
                if low >= high:
                    break
    return low
def ask(text):
    m = [0 if i == "." else 1 if i == "X" else -1 for i in text]
    start = ticks_us()
    try:
        search(m, 1 if text.count("X") == text.count("O") else -1, -1, 1)
        print("=", ticks_diff(ticks_us(), start))
    except RuntimeError as e:
        print("=", -1)
while True:
    ask(input())
"""


def main() -> int:
    """Measure, and print one table."""
    print("measured on:", image.for_v1(), "in QEMU, -icount shift=6")
    rows: list[tuple[str, str, str]] = []
    for part in PARTS:
        for row in part():
            rows.append(row)
            print(".", end="", flush=True, file=sys.stderr)
    print(file=sys.stderr)
    widths = [max(len(row[column]) for row in rows) for column in range(3)]
    for row in (("what", "measured", "target"), tuple("-" * width for width in widths), *rows):
        print(
            "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        )
    return 0


def insert(source: bytes, before: bytes, what: bytes) -> bytes:
    """A device file with lines inserted before a line, at that line's indent."""
    at = source.index(before)
    indent = source[source.rindex(b"\n", 0, at) + 1 : at]
    lines = what.replace(b"\n", b"\n" + indent)
    return b"import gc\n" + source[:at] + lines + source[at:]


def heap() -> Iterator[tuple[str, str, str]]:
    """Free heap after collection: at each turn of the loop, in the choice, before a sentence."""
    files = device_files()
    files["buttons.py"] = insert(files["buttons.py"], b"microbit.sleep(5)\n", _PROBE)
    files["ai.py"] = insert(files["ai.py"], b"return cells", _PROBE)
    files["sentences.py"] = insert(files["sentences.py"], b'print("$', _PROBE)
    with tempfile.TemporaryDirectory() as folder:
        older = Path(folder) / "v1.0.1.hex"
        image.read(uflash._RUNTIME, "uflash")["V1"].memory.write_hex_file(str(older))
        for release, firmware in (("1.1.1", None), ("1.0.1", older)):
            lowest = lowest_heap(packed(files), firmware)
            what = f"free heap, worst moment of a game, V1 {release}"
            yield what, f"{lowest:,} of {HEAP:,} bytes", ">= 2,560"
            if firmware is None:
                empty = bench_floor.heap()
                yield "  floor: what an empty script has", f"{empty:,} bytes", ""
                yield "  so all of the game takes at most", f"{empty - lowest:,} bytes", ""


def lowest_heap(files: Mapping[str, bytes], firmware: Path | None) -> int:
    """The lowest free heap that the files' probes tell while keys are pressed."""
    lowest = HEAP
    with EmulatedBoard(files, firmware) as board:
        for keys in ("", "A", "B", "B", "AB", "A A B", "B", "B", "A B", "B", "B", "AB", "AB", "B"):
            for key in keys.split():
                lowest = min(lowest, press(board, key))
            lowest = min(lowest, watch(board, 1500))
    return lowest


def press(board: EmulatedBoard, key: str) -> int:
    """Press, and give the lowest free heap told meanwhile."""
    for name in key:
        board.press(Button(name))
    low = watch(board, 80)
    for name in key:
        board.release(Button(name))
    return min(low, watch(board, 400))


_heard: dict[int, bytes] = {}


def watch(board: EmulatedBoard, ms: int) -> int:
    """The lowest `free` that the board tells in so many ms."""
    low = HEAP
    end_us = board.clock_us() + ms * 1000
    while board.clock_us() < end_us:
        *lines, rest = (_heard.get(id(board), b"") + board.serial.read(4096)).split(b"\n")
        _heard[id(board)] = rest
        for line in lines:
            if line.lstrip(b"\0").startswith(b"free "):
                low = min(low, int(line.split()[1]))
        time.sleep(0.002)
    return low


def choice() -> Iterator[tuple[str, str, str]]:
    """Hard's choice at every position."""
    with Asker() as asker:
        times = [took_us for _, _, took_us in asker.ask(unfinished())]
    median, worst = statistics.median(times), max(times)
    yield f"hard's choice, median of {len(times):,}", f"{median / 1000:.2f} ms", ""
    yield "hard's choice, worst position", f"{worst / 1000:.2f} ms", "<= 8 ms"
    yield "  floor: looking at nine cells", f"{bench_floor.choice_us() / 1000:.2f} ms", ""


def textbook() -> Iterator[tuple[str, str, str]]:
    """Alpha-beta as in the textbooks, on the same firmware, from fewer and fewer marks."""
    some: dict[int, list[Position]] = {}
    for position in unfinished():
        if position.ply >= 1:
            some.setdefault(len(position.free), []).append(position)
    with EmulatedBoard({"main.py": _TEXTBOOK}, icount=FAST) as board:
        board.serial.timeout = 60
        while not any(board.leds()):
            pass
        for free in range(1, 9):
            positions = some[free][:: max(1, len(some[free]) // 20)][:20]
            times = [ask(board, position) for position in positions]
            failed = sum(took_us < 0 for took_us in times)
            done = [took_us for took_us in times if took_us >= 0]
            text = f"{statistics.median(done) / 1000:.0f} ms" if done else ""
            if failed:
                text += f"{', ' if done else ''}recursion too deep in {failed} of {len(times)}"
            yield f"  textbook alpha-beta, {free} free", text, ""
            if failed == len(times):
                break


def ask(board: EmulatedBoard, position: Position) -> int:
    """Microseconds of a search, -1 if the firmware gave up."""
    board.serial.write(str(position).encode() + b"\r")
    while not (line := board.serial.read_until(b"\n")).startswith(b"="):
        if not line:
            return -1
    return int(line.split()[1])


def reset_to_menu() -> Iterator[tuple[str, str, str]]:
    """From reset to the menu's letter, and to the game's readiness."""
    with EmulatedBoard(icount=FAST) as board:
        while not any(board.leds()):
            shown_us = board.clock_us()
        ready_us = shown_us
        while b"$" not in board.serial.read(4096):
            ready_us = board.clock_us()
    yield "reset to menu on the LEDs", f"{shown_us / 1000:.0f} ms", "<= 700 ms"
    yield "  reset to the menu's first answer", f"{ready_us / 1000:.0f} ms", ""
    floor_us = bench_floor.reset_us()
    yield "  floor: reset to the one LED of a script", f"{floor_us / 1000:.0f} ms", ""


def press_to_led() -> Iterator[tuple[str, str, str]]:
    """From a pin going low to another picture in the frame buffer, in the menu and in a game."""
    waits: list[float] = []
    with EmulatedBoard() as board:
        watch(board, 1500)
        for keys in ("A" * 8, "B", "A" * 20 + "BBABAB"):
            for number, key in enumerate(keys):
                # Other moments of the 6 ms turn, and of the blink, from press to press.
                watch(board, 211 + 7 * (number % 13))
                before = board.leds()
                start_us = board.clock_us()
                board.press(Button(key))
                while board.leds() == before:
                    if board.clock_us() - start_us > 1_000_000:
                        break
                waits.append((board.clock_us() - start_us) / 1000)
                watch(board, 60)
                board.release(Button(key))
    worst = max(waits) + FRAME_MS
    median = statistics.median(waits)
    yield f"press to frame buffer, median of {len(waits)}", f"{median:.0f} ms", ""
    yield "press to frame buffer, worst", f"{max(waits):.0f} ms", ""
    yield "press to LED, worst (+ one frame of 18 ms)", f"{worst:.0f} ms", "<= 30 ms"
    floor = bench_floor.press_us() / 1000 + FRAME_MS
    yield "  floor: a script that only lights an LED", f"{floor:.0f} ms", ""


def sizes() -> Iterator[tuple[str, str, str]]:
    """Bytes in flash."""
    files: Mapping[str, bytes] = files_for_boards()
    for name, content in files.items():
        yield f"  {name}", f"{len(content):,} bytes", ""
    for firmware in image.bundled().values():
        usage = firmware.usage(files)
        yield f"file system used, {firmware.board}", str(usage), ""
        chunks = f"{usage.used // 128} chunks of 128 bytes"
        yield f"  files as they go onto a {firmware.board}", chunks, "<= 100"
    payload = len(table.make().payload)
    yield "table payload, index included", f"{payload} bytes", "<= 48"
    over = f"{payload - TABLE_FLOOR:.1f} bytes over {TABLE_FLOOR}"
    yield "  floor: the information in the choices", over, ""


def commands() -> Iterator[tuple[str, str, str]]:
    """Whole commands on this machine, the best of five."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "noughts.hex"
        for name, words, target in (
            ("table --check", ["table", "--check"], "<= 0.3 s"),
            ("--help", ["--help"], "<= 0.2 s"),
            ("prove hard", ["prove", "hard"], "<= 1 s"),
            ("solve .........", ["solve", "........."], "<= 1 s"),
            ("hex", ["hex", "-o", str(path)], "<= 1 s"),
        ):
            yield f"noughts {name}", f"{min(bench_log.run(*words) for _ in range(5)):.2f} s", target
        yield "size of noughts.hex", f"{path.stat().st_size:,} bytes", ""


def put() -> Iterator[tuple[str, str, str]]:
    """Whole `noughts put` commands onto the emulated board, in real time."""
    other = table.Table((1,) * 10, ())
    with tempfile.TemporaryDirectory() as folder, EmulatedBoard({}) as board:
        path = Path(folder) / "table.py"
        path.write_text(table.source(other))
        port = ("--port", board.port)
        everything = bench_log.run("put", *port)
        changed = [bench_log.run("put", *port, *more) for more in (("--table", str(path)), ()) * 3]
        nothing = bench_log.run("put", *port)
    yield f"put of a changed table, worst of {len(changed)}", f"{max(changed):.1f} s", "<= 3 s"
    yield "put of all files", f"{everything:.1f} s", ""
    yield "put of nothing, all files being there", f"{nothing:.1f} s", ""


PARTS = (
    heap,
    choice,
    textbook,
    reset_to_menu,
    press_to_led,
    sizes,
    commands,
    put,
    *bench_log.PARTS,
)


if __name__ == "__main__":
    sys.exit(main())
