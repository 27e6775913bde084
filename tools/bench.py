"""`make bench`: what the game and its tools cost, next to their targets, in docs/measurements.md.

    make bench                   all parts, in ten minutes, and the document is written
    make bench BENCH="rooms put" these parts, which are only printed

What a board costs is in device time on stepped boards, which repeats to the instruction. What
depends on this computer is a ratio to a yardstick that is measured in the same run, with seconds in
brackets: CPU seconds, or the best of some tries. The exit status is 1 if a target is missed.
"""

import argparse
import gc
import struct
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import psutil

import bench_board
import bench_browser
import bench_load
import bench_page
import bench_radio
from bench_rows import TRIES, Part, Row, as_ratio, at_most, best_by_turns, cpu_s, run_s
from microbit_emulator import Ether, Microbit
from noughts import brain
from noughts.boards.firmware import firmware_for_boards
from noughts.boards.packing import files_for_boards
from noughts.files import atomic_write
from noughts.virtual.board import VirtualBoard
from noughts.virtual.program import program
from official import NEWEST, firmwares, printed, stepped
from qemu import Qemu
from terminal import Terminal

DOCUMENT = Path(__file__).resolve().parents[1] / "docs" / "measurements.md"
_MEASURED_ON = "Measured on "
_HEAD = "| what | measured | target |\n| --- | --- | --- |\n"
_STEP_US, _WINDOW_US, _WINDOWS = 5_000, 500_000, 8
_QEMU_S = 5.0
_IN_CLASS, _ETHER_START_US, _ETHER_RUN_US, _ETHER_STEP_US = 30, 1_500_000, 1_000_000, 20_000

_PLAYER = b"""
import radio
from microbit import display, sleep
from random import randrange
radio.config(group=7, length=64, queue=1)
listens = %d
radio.on() if listens else radio.off()
while True:
    display.set_pixel(2, 2, 9)
    sleep(20)
    if not randrange(100):
        radio.on() if not listens else None
        radio.send_bytes(b'x' * 50)
        radio.off() if not listens else None
"""


_RESIDENT = """
import sys
import psutil
from official import stepped
start, process = stepped(sys.argv[1]), psutil.Process()
boards = []
for seed in range(1 + int(sys.argv[2])):
    boards.append(start(seed=seed))
    boards[-1].run_for(2_000_000)
    if not seed:
        print(process.memory_info().rss)
print(process.memory_info().rss)
"""
"""Prints the resident memory with one board in the menu, and with more."""


def main() -> int:
    """Measure, print a table and write it into the document. Returns 1 if a target is missed."""
    all_parts: tuple[Part, ...] = (
        *bench_board.PARTS,
        *bench_radio.PARTS,
        *PARTS,
        *bench_browser.PARTS,
        *bench_load.PARTS,
        *bench_page.PARTS,
    )
    parts = {part.__name__: part for part in all_parts}
    assert len(parts) == len(all_parts), "two parts have the same name"
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("part", nargs="*", help=f"one of {', '.join(parts)}")
    asked = parser.parse_args().part
    if unknown := set(asked) - set(parts):
        parser.error(f"there is no part {', '.join(unknown)}")
    print("device time on:", ", ".join(firmwares()))
    print(_HEAD, end="")
    rows = []
    for name in asked or parts:
        for row in parts[name]():
            print(row, flush=True)
            rows.append(row)
    if not asked:
        text_before, _, text_after = DOCUMENT.read_text("utf-8").partition(_HEAD)
        text_before = text_before[: text_before.rindex(_MEASURED_ON)]
        table = f"{_MEASURED_ON}`{_commit()}`.\n\n{_HEAD}" + "".join(f"{row}\n" for row in rows)
        atomic_write(
            DOCUMENT, (text_before + table + text_after[text_after.index("\n\n") + 1 :]).encode()
        )
    return 0 if all(row.met for row in rows) else 1


def _commit() -> str:
    """The commit of this tree; it ends in `-dirty` if something has changed since."""
    command = ["git", "describe", "--always", "--abbrev=8", "--dirty", "--exclude=*"]
    return subprocess.check_output(command, cwd=DOCUMENT.parent, text=True).strip()


def emulator() -> Iterator[Row]:
    """An idle board in the menu, compared with QEMU and with a bare loop."""
    v1, v2 = (_in_menu(name) for name in NEWEST)
    what = "CPU for a device second of a V1 in the menu, against QEMU's V1"
    yield as_ratio(what, _idle_s(v1), _qemu_s(), 1)
    instructions_before = v2.instructions
    v2.run_for(1_000_000)
    bare_s = _bare_s(v2.instructions - instructions_before)
    what = "CPU for a device second of a V2 in the menu, against its instructions alone"
    yield as_ratio(what, _idle_s(v2), bare_s, 4)


def _in_menu(name: str) -> Microbit:
    board = stepped(name)()
    assert board.run_until(lambda: b"$NB" in board.uart.received)
    board.run_for(500_000)
    return board


def _idle_s(board: Microbit) -> float:
    """CPU seconds per device second, stepped and read like a virtual board."""
    costs = []
    gc.collect()
    for _ in range(_WINDOWS):
        before_s = time.process_time()
        for _ in range(_WINDOW_US // _STEP_US):
            board.run_for(_STEP_US)
            board.uart.receive()
            board.leds()
        costs.append((time.process_time() - before_s) / (_WINDOW_US / 1e6))
    return min(costs)


def _qemu_s() -> float:
    """The same for QEMU's V1, which runs as fast as it can."""
    memory = firmware_for_boards()["V1"].with_files(files_for_boards()).memory
    display = b"import microbit\nprint(id(microbit.display))\n"
    with closing(Qemu(memory, int(printed(NEWEST[0], {"main.py": display})))) as qemu:
        while b"$NB" not in qemu.receive():
            time.sleep(0.1)
        (process,) = psutil.Process().children()
        device_us, cpu_s = qemu.clock_us(), sum(process.cpu_times()[:2])
        time.sleep(_QEMU_S)
        cost_s = sum(process.cpu_times()[:2]) - cpu_s
        return float(cost_s) / ((qemu.clock_us() - device_us) / 1e6)


def _bare_s(instructions: int) -> float:
    """CPU seconds for this many instructions of a bare loop on the same core."""
    loop = bytes.fromhex("0010002009000000") + struct.pack("<4H", 0x3101, 0x3101, 0x3101, 0xE7FB)
    board = Microbit("V2", flash=loop)  # adds r1, #1 (three); b back
    costs = []
    for _ in range(TRIES):
        before_s = time.process_time()
        board.run_for(instructions / 64)
        costs.append(time.process_time() - before_s)
    return min(costs)


def ether() -> Iterator[Row]:
    """A class and its gateway, each sending every 2 seconds, compared with the boards alone."""
    for name in NEWEST:
        for listens, how in ((False, "on only to send"), (True, "always on")):
            player = {"main.py": _PLAYER % listens}
            boards = {f"{seed}": stepped(name)(player, seed) for seed in range(1, 1 + _IN_CLASS)}
            boards["gateway"] = stepped(NEWEST[1])({"main.py": _PLAYER % True})
            for board in boards.values():
                board.run_for(_ETHER_START_US)
            before_s = time.process_time()
            for board in boards.values():
                board.run_for(_ETHER_RUN_US)
            alone_s = time.process_time() - before_s
            ether = Ether(boards)
            before_s = time.process_time()
            for _ in range(_ETHER_RUN_US // _ETHER_STEP_US):
                ether.run_for(_ETHER_STEP_US)
            what = f"{_IN_CLASS} {name[:2]}s and a gateway in an ether, radios {how}: CPU, "
            what += "against the boards alone"
            yield as_ratio(what, time.process_time() - before_s, alone_s, None)


def memory() -> Iterator[Row]:
    """What each of 30 more boards takes in a process that has one, which compiled the core."""
    for name in NEWEST:
        words = (sys.executable, "-c", _RESIDENT, name, str(_IN_CLASS))
        ran = subprocess.run(words, capture_output=True, text=True, check=True)
        bytes_with_one, bytes_with_all = map(int, ran.stdout.split())
        what = f"memory of each of {_IN_CLASS} {name[:2]}s in a process"
        board_mb = (bytes_with_all - bytes_with_one) / _IN_CLASS / 1e6
        note = f"the process with one {bytes_with_one / 1e6:.0f} MB"
        yield at_most(what, board_mb, None, "{:.1f} MB", note)


def commands() -> Iterator[Row]:
    """Whole commands, the best of five runs."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "noughts.hex"
        for name, words, limit in (
            ("table --check", ["table", "--check"], 30),
            ("--help", ["--help"], 14),
            ("prove hard", ["prove", "hard"], 40),
            ("solve .........", ["solve", "........."], 40),
            ("hex", ["hex", "-o", str(path)], 75),
        ):
            took_s, bare_s = best_by_turns(
                partial(cpu_s, "-m", "noughts", *words), partial(cpu_s, "-c", "pass")
            )
            note = f"{path.stat().st_size:,} bytes" if name == "hex" else ""
            what = f"`noughts {name}`: CPU, against a start of Python"
            yield as_ratio(what, took_s, bare_s, limit, note)
    what = "`noughts play` to its menu on the LEDs, against a start of Python"
    menu_s, start_s = best_by_turns(_play_s, partial(run_s, "-c", "pass"))
    yield as_ratio(what, menu_s, start_s, 140)


def _play_s() -> float:
    """Seconds from the start of the command, in a terminal, until it draws a lit LED."""
    with TemporaryDirectory() as home:  # of a board that nobody has played on
        before_s = time.perf_counter()
        with closing(Terminal("play", HOME=home, XDG_DATA_HOME=home)) as terminal:
            terminal.wait_for("█")
            return time.perf_counter() - before_s


def put() -> Iterator[Row]:
    """Whole `noughts put` commands onto a virtual board, in the board's real time."""
    other = brain.Table(brain.WEIGHTS, (*brain.make_table().book, 65535))
    with TemporaryDirectory() as folder:
        path = Path(folder) / "table.py"
        path.write_text(brain.source(other))
        for name in ("V1", "V2"):
            with VirtualBoard(program(name, {})) as board:
                command = ("-m", "noughts", "put", "--port", board.port)
                everything_s = run_s(*command)
                changed = ("--table", str(path)), ()
                changed_s = [run_s(*command, *more) for more in changed * 3]
                nothing_s = run_s(*command)
            note = f"all files {everything_s:.1f} s, none {nothing_s:.1f} s"
            what = f"`noughts put` of a changed table, worst of {len(changed_s)}, {name}"
            yield at_most(what, max(changed_s), 3, "{:.1f} s", note)


PARTS: tuple[Part, ...] = (emulator, ether, memory, commands, put)


if __name__ == "__main__":
    sys.exit(main())
