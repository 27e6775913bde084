"""Compare the traces of this emulator with those of another one, such as an older commit's.

    tools/compare_cores.py OLD/host --python OLD/.venv/bin/python        # all scenarios
    tools/compare_cores.py OLD/host --python … --only 'V1 random'
    tools/compare_cores.py OLD/host --python … --with-old-rules         # after `make core`

The last commit with the core on Unicorn is f651f5b0. Both trees run the scenarios here, which use
this tree's tests, so the other one needs its development tools (pytest, uflash) too:

    git worktree add --detach OLD f651f5b0 && make -C OLD .venv/dev

Both run the same firmware, seed and inputs at the same device times. At each step a trace has the
time, the instructions, R0 to R15, the flags and the exception number in XPSR, for a V2 S0 to S31,
a checksum of RAM and one of flash, LEDs, tone and output. The first difference of each scenario is
printed, and the CPU time of both. A scenario fails, even if it does so in both trees, if it raises
an exception, or if a board's program does, except where `_may_print_traceback` expects it.

Some rules have changed since the last core on Unicorn, and traces differ by them: see `RULES`.
With --with-old-rules, our core is compiled with the old ones, and all traces are equal.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
import zipfile
import zlib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from build_core import build

ROOT = Path(__file__).resolve().parents[1]
TESTS = ROOT / "host/microbit_emulator/tests"
PRESSES = 60
"""Sequences of random presses and tilts, in all."""


class Rule(NamedTuple):
    """What the core does otherwise than the last one on Unicorn: its line, and the old rule's."""

    reason: str
    file: str
    line: str
    old_line: str


RULES = (
    Rule(
        "Switching a peripheral off by POWER resets it, so i2c.scan() on a V1 is [14, 29]",
        "peripheral.c",
        "  if (offset == POWER && !new) switch_off(page);",
        "  if (false && offset == POWER && !new) switch_off(page);",
    ),
    Rule(
        "A pause is not a period, so a tone after a pause begins with its own first period",
        "gpio.c",
        "  if (signal->period && has_stopped(signal, at)) period = 0;",
        "",
    ),
    Rule(
        "LEDs that a program lights row by row, such as CODAL after a panic, have a level",
        "leds.c",
        "takes_turns = !stands && shown < oldest;",
        "takes_turns = false;",
    ),
    Rule(
        "A reset sets the floating-point registers to 0; on the chip their values are unknown",
        "exceptions.c",
        "  fill(&cpu, 0, sizeof cpu);",
        "  Processor before = cpu; fill(&cpu, 0, sizeof cpu); copy(cpu.s, before.s, sizeof cpu.s);",
    ),
    Rule(
        "A reset sets the flags to 0; on the chip their values are unknown",
        "exceptions.c",
        "  cpu.nz = 1;",
        "  cpu.nz = before.nz; cpu.c = before.c; cpu.v = before.v; cpu.q = before.q;"
        "  cpu.ge = before.ge;",
    ),
)


# Scenarios: each yields after a step, with the boards to look at.

Steps = Iterator[list[Any]]


def _repl(name: str) -> Steps:
    """The inputs of the tests of determinism, on a firmware; then a reset and power cuts."""
    import repl
    from microbit_emulator import Microbit

    board = Microbit(name.split()[0], repl.firmware(name), seed=3)
    for _ in range(30):
        board.run_for(50_000)
        yield [board]
    start = board.clock_us
    for at, action in repl.INPUTS:
        board.run_until(start + at)
        action(board)
        yield [board]
    for _ in range(20):
        board.run_for(10_007)
        yield [board]
    board.uart.send(b"import microbit; microbit.reset()\r")
    for cut_us in (300_000, 120_001, 700_000):
        for _ in range(5):
            board.run_for(cut_us / 5)
            yield [board]
        board.power_cut()
        yield [board]
        board.power_on()
        board.uart.send(b"\x03f = open('c', 'w'); f.write('z' * 300); f.close()\r")
    board.reset()
    for _ in range(20):
        board.run_for(50_000)
        yield [board]


def _pressing(kind: str, seed: int, seconds: int = 20) -> Steps:
    """Random presses and tilts in the game, and now and then a cut in power."""
    from microbit_emulator import Microbit

    images = Path(os.environ["COMPARE_IMAGES"])
    flash, uicr = ((images / f"{kind}.{part}").read_bytes() for part in ("flash", "uicr"))
    chance = random.Random(seed)
    board = Microbit(kind, flash=flash, uicr=uicr, seed=seed)
    board.run_for(1_500_000)
    while board.clock_us < seconds * 1e6:
        button: Any = chance.choice("AAB")
        board.press(button)
        board.run_for(chance.randrange(20_000, 200_000))
        board.release(button)
        board.tilt(*(chance.randrange(-1000, 1001) for _ in range(3)))
        board.run_for(chance.randrange(30_000, 500_000) + chance.random())
        if not chance.randrange(40):
            board.power_cut()
            yield [board]
            board.power_on()
        if not chance.randrange(40):
            board.reset()
        yield [board]


def _module(name: str, title: str) -> Steps:
    import repl
    import test_programs

    code = test_programs.code(name, title)
    board = repl.another(name)
    board.uart.send(repl.CTRL_A)
    board.run_for(50_000)
    board.uart.send(code.encode() + repl.CTRL_D)
    for _ in range(100):
        board.run_for(20_000)
        yield [board]


def _public(name: str) -> Steps:
    from microbit_emulator import start

    archive = zipfile.ZipFile(TESTS / "public_programs.zip")
    kind = "V1" if name.startswith("bbcmicrobit") else "V2"
    board = start(kind, {"main.py": archive.read(name)})
    for half in range(12):
        button: Any = "AB"[half % 2]
        board.press(button)
        board.tilt((-300, 300, 0)[half % 3], (200, -500)[half % 2])
        board.run_for(150_000)
        yield [board]
        board.release(button)
        board.run_for(350_000)
        yield [board]


def _ether(kinds: str) -> Steps:
    """Boards that send, sleep and switch their radios at random; one loses power for a while."""
    import on_air
    import repl
    import test_ether_determinism
    from microbit_emulator import Ether

    firmwares = {"1": on_air.V1, "2": on_air.V2}
    boards = {f"b{at:02}": repl.another(firmwares[kind], at) for at, kind in enumerate(kinds)}
    ether = Ether(boards, seed=1, loss=0.1)
    program = on_air.ON.encode() + b"\n" + test_ether_determinism.PROGRAM.encode()
    for board in boards.values():
        board.uart.send(b"\x05" + program + b"\x04")
    several = list(boards.values())
    for step in range(25):
        ether.run_for(20_000)
        yield several
        if step == 12:
            several[-1].power_cut()
        if step == 15:
            several[-1].power_on()


def _busy(kind: str, code: str) -> Steps:
    import repl

    name = {"V1": repl.NEWEST[0], "V2": repl.NEWEST[1]}[kind]
    board = repl.another(name)
    board.uart.send(b"\x05" + code.encode() + b"\x04")
    for _ in range(30):
        board.run_for(100_000)
        yield [board]


MATHS = (
    "from math import *\nx = 0.1\nwhile True:\n"
    " for i in range(40):\n"
    "  x = sin(x * 3.7) * 2.5 + sqrt(abs(x)) - exp(-abs(x)) / 3.0 + atan2(x, i + 1) * log(i + 2)\n"
    "  y = int(x * 1e6) ^ (i << 7); z = y // 13 % 1000 * 0.37; w = '%.3f %d %x' % (z, y, abs(y))\n"
    " print(w, round(z), float('nan'), 1e38 * 10 * x, x == z, x < z)\n"
)


def scenarios() -> dict[str, Callable[[], Steps]]:
    import repl
    import test_programs

    steps_by_name: dict[str, Callable[[], Steps]] = {}
    for name in repl.FIRMWARES:
        steps_by_name[f"{name[:2]} firmware {name[3:]}"] = partial(_repl, name)
    for seed in range(PRESSES):
        kind = "V1" if seed % 2 else "V2"
        steps_by_name[f"{kind} random {seed}"] = partial(_pressing, kind, seed)
    for name, title in test_programs.CASES:
        steps_by_name[f"{name[:2]} module {title}"] = partial(_module, name, title)
    with zipfile.ZipFile(TESTS / "public_programs.zip") as archive:
        programs = [name for name in archive.namelist() if name.endswith(".py")]
    for name in programs:
        kind = "V1" if name.startswith("bbcmicrobit") else "V2"
        steps_by_name[f"{kind} public {name}"] = partial(_public, name)
    for kind in ("V1", "V2"):
        steps_by_name[f"{kind} maths"] = partial(_busy, kind, MATHS)
        steps_by_name[f"{kind} ether of two"] = partial(_ether, kind[1] * 2)
        steps_by_name[f"{kind} ether of thirty"] = partial(_ether, kind[1] * 30)
    steps_by_name["V2 ether with V1"] = partial(_ether, "21")
    return steps_by_name


# Traces.

_PC, _XPSR, _S0 = 15, 16, 64
"""Numbers of core registers, as debuggers count them."""
_XPSR_COMPARED = 0xF80F_01FF
"""N, Z, C, V, Q, GE and the exception number.

Thumb is always set, and no step ends in an IT block.
"""


def _registers(board: Any) -> list[int]:
    """R0 to R15, XPSR, and for a V2 S0 to S31."""
    floats = 32 * (board.board == "V2")
    if hasattr(board, "debugger"):
        numbers = *range(17), *range(_S0, _S0 + floats)
        registers = [board.debugger.core_register(number) for number in numbers]
    else:  # up to 1.1, the core was Unicorn
        arm = importlib.import_module("unicorn.arm_const")
        names = *(f"R{number}" for number in range(13)), "SP", "LR", "PC", "XPSR"
        ids = [getattr(arm, f"UC_ARM_REG_{name}") for name in names]
        ids += range(arm.UC_ARM_REG_S0, arm.UC_ARM_REG_S0 + floats)
        cpu = board._chip.cpu
        registers = [cpu.core.uc.reg_read(number) & 0xFFFF_FFFF for number in ids]
        registers[_PC] = cpu.pc
    registers[_XPSR] &= _XPSR_COMPARED
    return registers


def _line(board: Any, output: bytes) -> str:
    registers = " ".join(f"{value:x}" for value in _registers(board))
    tone = board.tone()
    sums = f"{zlib.crc32(board.ram):x} {zlib.crc32(board.flash):x}"
    leds = "".join(map(str, board.leds()))
    return (
        f"{board.clock_us} {board.instructions} {sums} {leds} {tone and tuple(tone)} "
        f"{output!r} {registers}"
    )


def _may_print_traceback(name: str) -> bool:
    """The inputs of a firmware's scenario have Ctrl-C; some public programs fail on boards too."""
    from test_public_programs import DIFFERENCES

    _, part, *title = name.split(" ", 2)
    return part == "firmware" or (part == "public" and title[0] in DIFFERENCES)


def _trace(name: str) -> None:
    begun, problem = time.process_time(), ""
    outputs: defaultdict[int, bytes] = defaultdict(bytes)  # of each board
    try:
        for boards in scenarios()[name]():
            for place, board in enumerate(boards):
                output = board.uart.receive()
                outputs[place] += output
                print(_line(board, output))
        for output in outputs.values():
            _, traceback, lines = output.partition(b"Traceback")
            if traceback and not _may_print_traceback(name):
                problem = f"the board printed {traceback + lines[:300]!r}"
    except Exception as error:
        problem = f"{type(error).__name__}: {error}"
    print(json.dumps({"cpu_s": time.process_time() - begun, "problem": problem}))


def with_old_rules(folder: Path) -> Path:
    """A copy of our emulator there, compiled with the old rules; its folder `host`."""
    copy = folder / "microbit_emulator"
    shutil.copytree(ROOT / "host/microbit_emulator", copy, ignore=shutil.ignore_patterns("tests"))
    for rule in RULES:
        path = copy / "core" / rule.file
        source = path.read_text("utf-8")
        if source.count(rule.line) != 1:
            raise SystemExit(f"noughts: {path.name} has no longer {rule.line!r}; change RULES")
        path.write_text(source.replace(rule.line, rule.old_line), "utf-8")
        print(f"old rule   {rule.file}; now: {rule.reason}")
    if problem := build(copy / "core/core.wasm", copy / "core"):
        raise SystemExit(f"noughts: {problem}")
    return folder


def _run(name: str, host: Path, python: str, images: Path) -> subprocess.Popen[str]:
    environment = os.environ | {
        "PYTHONPATH": f"{host}:{TESTS}",
        "COMPARE_IMAGES": str(images),
    }
    words = [python, __file__, "--trace", name]
    return subprocess.Popen(words, env=environment, stdout=subprocess.PIPE, text=True)


class _Result(NamedTuple):
    """Of a scenario: `equal`, `DIFFERENT`, or `FAILED`, in one tree or in both."""

    verdict: str
    old_cpu_s: float
    new_cpu_s: float


def _compare(name: str, old: tuple[Path, str], host: Path, images: Path) -> _Result:
    ours = _run(name, host, sys.executable, images)
    theirs = _run(name, *old, images)
    outputs = [process.communicate()[0].splitlines() for process in (theirs, ours)]
    ends = [json.loads(lines.pop()) for lines in outputs]
    old_cpu_s, new_cpu_s = (end["cpu_s"] for end in ends)
    pairs = zip(*outputs, strict=False)
    different = next((at for at, (one, two) in enumerate(pairs) if one != two), None)
    if any(end["problem"] for end in ends):
        verdict = "FAILED"
        print(f"FAILED     {name}: after {len(outputs[0])} steps, {len(outputs[1])}")
        for end in ends:
            print(f"  {end['problem'] or 'no failure'}")
    elif different is None and len(outputs[0]) == len(outputs[1]):
        verdict = "equal"
        cpu = f"CPU {old_cpu_s:.2f} s, {new_cpu_s:.2f} s"
        print(f"equal      {name}: {len(outputs[0])} steps; {cpu}")
    else:
        verdict = "DIFFERENT"
        print(f"DIFFERENT  {name}: step {different} of {len(outputs[0])}, {len(outputs[1])}")
    if different is not None:
        for lines in outputs:
            print(f"  {lines[different][:1000]}")
    return _Result(verdict, old_cpu_s, new_cpu_s)


def write_images(folder: Path) -> None:
    """The game in the flash of both kinds of boards, after a first start."""
    sys.path[:0] = [str(ROOT / "host"), str(ROOT / "tools/harness")]
    from official import NEWEST, stepped

    for name in NEWEST:
        board = stepped(name)()
        (folder / f"{name[:2]}.flash").write_bytes(board.flash)
        (folder / f"{name[:2]}.uicr").write_bytes(board.uicr)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("host", nargs="?", type=Path, help="the other tree's folder `host`")
    parser.add_argument("--python", help="a Python that can run it")
    parser.add_argument("--images", type=Path, help="a folder where flash images are kept")
    parser.add_argument("--only", default="", help="scenarios whose names contain this")
    parser.add_argument("--with-old-rules", action="store_true", help="compile our core with them")
    parser.add_argument("--trace", help="print the trace of a scenario")
    options = parser.parse_args()
    if options.trace:
        _trace(options.trace)
        return 0
    if not options.host or not options.python:
        parser.error("the other tree's host and --python are needed")
    if not options.host.is_dir():
        parser.error(f"{options.host} is not a folder")
    sys.path[:0] = [str(TESTS)]
    old = options.host.resolve(), options.python
    names = [name for name in scenarios() if options.only in name]
    if not names:
        parser.error(f"no scenario has {options.only!r} in its name")
    with tempfile.TemporaryDirectory() as folder:
        images = options.images or Path(folder, "images")
        images.mkdir(parents=True, exist_ok=True)
        if not any(images.iterdir()):
            write_images(images)
        host = with_old_rules(Path(folder)) if options.with_old_rules else ROOT / "host"
        results = [_compare(name, old, host, images) for name in names]
    counts = Counter(result.verdict for result in results)
    print(
        f"{counts['equal']} of {len(results)} equal, {counts['DIFFERENT']} different, "
        f"{counts['FAILED']} failed; CPU {sum(result.old_cpu_s for result in results):.1f} s, "
        f"{sum(result.new_cpu_s for result in results):.1f} s"
    )
    return 0 if counts["equal"] == len(results) else 1


if __name__ == "__main__":
    sys.exit(main())
