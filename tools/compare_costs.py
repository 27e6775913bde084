"""Compare what boards cost in this emulator and in another one, such as an older commit's.

    tools/compare_costs.py OLD/host --python OLD/.venv/bin/python        # everything
    tools/compare_costs.py OLD/host --python … --only 'V1'

Each tree runs in a process of its own, and they take turns of a quarter of a device second, so a
busy computer slows both. What counts is CPU time: of a running board's turns the median, of those
that do one thing (a snapshot, a process) the fastest. `compare_cores.py` says how to make the other
tree's environment.
"""

from __future__ import annotations

import argparse
import os
import random
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from compare_cores import ROOT, TESTS, write_images

Turn = Callable[[], object]
TURNS, _TURNS_AT_ONCE = 24, 9
_TURN_US = 250_000
_IN_AIR = 30
_LIMITS = {
    "menu": (0.35, 0.4),
    "game": (0.35, 0.4),
    "busy loop": (0.7, 0.7),
    "air": (0.5, 0.5),
    "import to a running board": (1, 1),
    "empty test with the fixture": (1, 1),
}
"""The largest ratios to the last tree with Unicorn, for a V1 and a V2."""
_LIMITS_S = {"snapshot": 0.0005, "restore": 0.0005}
"""The most CPU seconds, whatever the other tree takes."""
_START = "from microbit_emulator import start; start('V2', {'main.py': 'pass'})"
_EMPTY_TEST = "def test_empty(microbit):\n    pass\n"


# What is measured, in a process of a tree: each makes a board, and returns a turn.


def _in_menu(kind: str) -> Any:
    from microbit_emulator import Microbit

    images = Path(os.environ["COMPARE_IMAGES"])
    flash, uicr = ((images / f"{kind}.{part}").read_bytes() for part in ("flash", "uicr"))
    board = Microbit(kind, flash=flash, uicr=uicr, seed=1)
    board.run_for(2_500_000)
    return board


def _menu(kind: str) -> Turn:
    return partial(_in_menu(kind).run_for, _TURN_US)


def _game(kind: str) -> Turn:
    """Random presses, as in `compare_cores.py`."""
    board, chance = _in_menu(kind), random.Random(1)

    def turn() -> None:
        button: Any = chance.choice("AAB")
        board.press(button)
        board.run_for(_TURN_US / 2)
        board.release(button)
        board.run_for(_TURN_US / 2)

    return turn


def _busy(kind: str) -> Turn:
    import repl

    board = repl.another({"V1": repl.NEWEST[0], "V2": repl.NEWEST[1]}[kind])
    board.uart.send(b"n = 0\rwhile True: n += 1\r\r")
    board.run_for(_TURN_US)
    return partial(board.run_for, _TURN_US)


def _air(kind: str) -> Turn:
    """A class and its gateway, whose radios always listen."""
    import on_air
    import repl
    from microbit_emulator import Ether

    program = on_air.ON.encode() + (
        b"\nimport radio\nfrom microbit import sleep\nfrom random import randrange\n"
        b"while True:\n sleep(20)\n if not randrange(100): radio.send_bytes(b'x' * 50)\n"
    )
    name = {"V1": on_air.V1, "V2": on_air.V2}[kind]
    boards = {f"b{at:02}": repl.another(name, at) for at in range(_IN_AIR)}
    boards["gateway"] = repl.another(on_air.V2, _IN_AIR)
    for board in boards.values():
        board.uart.send(b"\x05" + program + b"\x04")
    ether = Ether(boards)
    ether.run_for(_TURN_US)

    def turn() -> None:
        for _ in range(10):
            ether.run_for(_TURN_US / 10)

    return turn


def _snapshot(kind: str) -> Turn:
    return partial(_in_menu(kind).snapshot)


def _restore(kind: str) -> Turn:
    return partial(_in_menu(kind).snapshot().restore)


def _start(_: str) -> Turn:
    return partial(subprocess.run, [sys.executable, "-c", _START], check=True)


def _empty_test(_: str) -> Turn:
    """pytest with no other plugin, as the trees' environments may have different ones."""
    test = Path(os.environ["COMPARE_IMAGES"], "test_empty.py")
    test.write_text(_EMPTY_TEST, "utf-8")
    options = ["-q", "-p", "microbit_emulator.pytest_plugin"]
    return partial(
        subprocess.run,
        [sys.executable, "-m", "pytest", *options, str(test)],
        cwd=test.parent,
        env=os.environ | {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        stdout=subprocess.DEVNULL,
        check=True,
    )


BY_TURNS = {"menu": _menu, "game": _game, "busy loop": _busy, "air": _air}
AT_ONCE = {
    "snapshot": _snapshot,
    "restore": _restore,
    "import to a running board": _start,
    "empty test with the fixture": _empty_test,
}
_ONLY_V2 = "import to a running board", "empty test with the fixture"
NAMES = [
    f"{kind} {what}"
    for what in (*BY_TURNS, *AT_ONCE)
    for kind in (["V2"] if what in _ONLY_V2 else ["V1", "V2"])
]


def _cpu_s() -> float:
    """CPU seconds of this process and of those that it has started."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def _answer(name: str) -> None:
    """Take a turn for each line of standard input, and print the CPU seconds that it took."""
    kind, _, what = name.partition(" ")
    turn = {**BY_TURNS, **AT_ONCE}[what](kind)
    turn()
    for _ in sys.stdin:
        before_s = _cpu_s()
        turn()
        print(_cpu_s() - before_s, flush=True)


class _Tree:
    """A process of a tree, which takes turns."""

    def __init__(self, name: str, host: Path, python: str, images: Path) -> None:
        environment = os.environ | {
            "PYTHONPATH": f"{host}:{TESTS}:{ROOT / 'tools'}",
            "COMPARE_IMAGES": str(images),
        }
        words = [python, __file__, "--answer", name]
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(words, env=environment, stdin=pipe, stdout=pipe, text=True)

    def turn_s(self) -> float:
        assert self._process.stdin and self._process.stdout
        self._process.stdin.write("\n")
        self._process.stdin.flush()
        return float(self._process.stdout.readline())

    def end(self) -> None:
        self._process.communicate()


def _compare(name: str, trees: list[tuple[Path, str]], images: Path) -> bool:
    """Print the costs of both, old and new. Returns whether the target is met."""
    kind, _, what = name.partition(" ")
    processes = [_Tree(name, *tree, images) for tree in trees]
    turns = TURNS if what in BY_TURNS else _TURNS_AT_ONCE
    try:
        pairs = [[process.turn_s() for process in processes] for _ in range(turns)]
    finally:
        for process in processes:
            process.end()
    if what in BY_TURNS:
        form = "{:.4f} s a device second"
        old_s, new_s = (
            statistics.median(turns_s) * 1e6 / _TURN_US for turns_s in zip(*pairs, strict=True)
        )
    else:
        form = "{:.5f} s"
        old_s, new_s = map(min, zip(*pairs, strict=True))
    ratio = new_s / old_s
    if what in _LIMITS_S:
        measured, limit, unit = new_s, _LIMITS_S[what], " s"
    else:
        measured, limit, unit = ratio, _LIMITS[what][kind == "V2"], ""
    is_met: bool = measured <= limit
    target = f"(target {limit}{unit})" + ("" if is_met else " MISSED")
    print(f"{name}: {form.format(old_s)}, {form.format(new_s)}; {ratio:.2f} {target}", flush=True)
    return is_met


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("host", nargs="?", type=Path, help="the other tree's folder `host`")
    parser.add_argument("--python", help="a Python that can run it")
    parser.add_argument("--only", default="", help="what has this in its name")
    parser.add_argument("--answer", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.answer:
        _answer(options.answer)
        return 0
    if not options.host or not options.python:
        parser.error("the other tree's host and --python are needed")
    if not options.host.is_dir():
        parser.error(f"{options.host} is not a folder")
    names = [name for name in NAMES if options.only in name]
    if not names:
        parser.error(f"nothing has {options.only!r} in its name, such as {NAMES[0]!r}")
    trees = [(options.host.resolve(), options.python), (ROOT / "host", sys.executable)]
    with TemporaryDirectory() as folder:
        write_images(Path(folder))
        results = [_compare(name, trees, Path(folder)) for name in names]
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
