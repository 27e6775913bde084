"""What emulation costs, as ratios, which differ less from machine to machine than seconds do.

`make bench` has these rows: a V1 against QEMU, a V2 against Unicorn's bare run of as many
instructions, and an empty test with the fixture. `python tools/bench_emulator.py TREE` compares
this tree with another one, such as a worktree of an older commit with its own `.venv`: a process
each by turns, idle in the menu of noughts.
"""

from __future__ import annotations

import gc
import shutil
import struct
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

import psutil

from bench_rows import Row, at_most
from device_time import run_to_menu
from microbit_emulator.microbit import Microbit
from microbit_emulator.program import start
from microbit_emulator.unicorn_core import PAGE, Core, arm_const, unicorn
from noughts.boards import image
from noughts.boards.packing import files_for_boards
from official import NEWEST, printed, stepped

_STEP_US, _WINDOW_US, _WINDOWS = 5_000, 500_000, 8
_QEMU_S = 5.0
_EMPTY_TEST_S = 0.25
_TURNS = 5
_TREE = Path(__file__).parents[1]


def ratios() -> Iterator[Row]:
    """The rows of `make bench`."""
    v1, v2 = (_in_menu(name) for name in NEWEST)
    qemu_s = _qemu_s()
    if qemu_s:
        yield Row(
            "CPU for a device second of a V1 in the menu, against QEMU",
            f"{idle_s(v1) / qemu_s:.1f}",
        )
    before = v2.instructions
    v2.run_for(1_000_000)
    bare_s = _bare_s(v2.instructions - before)
    yield Row(
        "CPU for a device second of a V2 in the menu, against its instructions alone",
        f"{idle_s(v2) / bare_s:.1f}",
    )
    yield at_most(
        "an empty test with the fixture `microbit`, a V2 and a line of program, CPU",
        _empty_test_s(),
        _EMPTY_TEST_S,
        "{:.2f} s",
    )


def _in_menu(name: str) -> Microbit:
    board = stepped(name)()
    run_to_menu(board)
    board.run_for(500_000)
    return board


def idle_s(board: Microbit) -> float:
    """CPU seconds for a device second, stepped and looked at as a virtual board is."""
    costs = []
    gc.collect()
    for _ in range(_WINDOWS):
        start_s = time.process_time()
        for _ in range(_WINDOW_US // _STEP_US):
            board.run_for(_STEP_US)
            board.uart.receive()
            board.leds()
        costs.append((time.process_time() - start_s) / (_WINDOW_US / 1e6))
    return min(costs)


def _qemu_s() -> float | None:
    """The same of QEMU's V1, which runs as fast as it can; None where there is no QEMU."""
    from qemu import Qemu  # of the tests, which need not be there

    if shutil.which("qemu-system-arm") is None:
        return None
    memory = image.bundled()["V1"].with_files(files_for_boards())
    display = b"import microbit\nprint(id(microbit.display))\n"
    with closing(Qemu(memory, int(printed(NEWEST[0], {"main.py": display})))) as qemu:
        while b"$NB" not in qemu.receive():
            time.sleep(0.1)
        (process,) = psutil.Process().children()
        device_us, cpu_s = qemu.clock_us(), sum(process.cpu_times()[:2])
        time.sleep(_QEMU_S)
        cost_s = sum(process.cpu_times()[:2]) - cpu_s
        return cost_s / ((qemu.clock_us() - device_us) / 1e6)


def _bare_s(instructions: int) -> float:
    """CPU seconds in which Unicorn executes so many instructions of a loop, counted too."""
    core = Core(arm_const.UC_CPU_ARM_CORTEX_M4)
    loop = struct.pack("<4H", 0x3101, 0x3101, 0x3101, 0xE7FB)  # adds r1, #1 (three); b back
    core.uc.mem_map(0, 2 * PAGE, unicorn.UC_PROT_ALL)
    core.uc.mem_write(PAGE, loop)
    costs = []
    for _ in range(_TURNS):
        start_s = time.process_time()
        core.run(PAGE, instructions)
        costs.append(time.process_time() - start_s)
    return min(costs)


def _empty_test_s() -> float:
    """CPU seconds of what the fixture does, once a test before it has read the firmware."""
    costs = []
    with TemporaryDirectory() as cache:
        for _ in range(1 + _TURNS):
            start_s = time.process_time()
            start("V2", {"main.py": "print(1)"}, cache=Path(cache))
            costs.append(time.process_time() - start_s)
    return max(costs[1:])


def _compare(other: Path) -> None:
    for name in NEWEST:
        pairs = [[_run(tree, name) for tree in (other, _TREE)] for _ in range(_TURNS)]
        theirs, ours = (min(costs) for costs in zip(*pairs, strict=True))
        ratio = median(our / their for their, our in pairs)
        print(f"{name}: {theirs:.3f} s there, {ours:.3f} s here; median of ratios {ratio:.2f}")


def _run(tree: Path, name: str) -> float:
    code = (
        f"import sys; sys.path[:0] = [{str(tree / 'tools')!r}]\n"
        "import gc, time\nfrom official import stepped\nfrom device_time import run_to_menu\n"
        f"_STEP_US, _WINDOW_US, _WINDOWS = {_STEP_US}, {_WINDOW_US}, {_WINDOWS}\n"
        "def cost(board):\n"
        "    start_s = time.process_time()\n"
        "    for _ in range(_WINDOW_US // _STEP_US):\n"
        "        board.run_for(_STEP_US); board.uart.receive(); board.leds()\n"
        "    return (time.process_time() - start_s) / (_WINDOW_US / 1e6)\n"
        f"board = stepped({name!r})()\nrun_to_menu(board)\nboard.run_for(500_000)\n"
        "print(min(cost(board) for _ in range(_WINDOWS)))\n"
    )
    command = [str(tree / ".venv" / "bin" / "python"), "-c", code]
    return float(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


PARTS = (ratios,)

if __name__ == "__main__":
    _compare(Path(sys.argv[1]))
