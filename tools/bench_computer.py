"""The rows of `make bench` about this computer: virtual boards, and whole commands."""

from __future__ import annotations

import os
import pty
import select
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from micropython_microbit_fs import get_bundled_hex

import device_time
from bench_emulator import idle_s
from bench_log import run
from bench_rows import Row, at_least, at_most
from microbit_emulator.firmware import read
from noughts import brain
from noughts.virtual.board import VirtualBoard
from noughts.virtual.program import program
from official import NEWEST, stepped
from soak.session import Session

IDLE_S = {"V1": (0.06, 0.13), "V2": (0.15, 0.20)}
"""CPU seconds for a device second, in the menu and in a game."""
_TRIES = 5
_LIT = "█".encode()
"""An LED at its brightest, as `noughts play` draws it."""
_PLAY_TIMEOUT_S = 60.0
_SOAK_SEED, _SOAK_S = 3, 60.0


def virtual() -> Iterator[Row]:
    """What a virtual board costs, and how soon it shows its menu."""
    for name in NEWEST:
        board = stepped(name)()
        device_time.run_to_menu(board)
        board.run_for(500_000)
        menu_s, game_s = IDLE_S[board.board]
        what = f"CPU for a device second of a virtual {board.board} in"
        yield at_most(f"{what} the menu", idle_s(board), menu_s, "{:.3f} s")
        board.press("B")
        board.run_for(100_000)
        board.release("B")
        board.run_for(500_000)
        yield at_most(f"{what} a game", idle_s(board), game_s, "{:.3f} s")
    shown_s = min(_play_s() for _ in range(_TRIES))
    yield at_most("`noughts play` to its menu on the LEDs", shown_s, 1.5, "{:.2f} s")
    for version, name in enumerate(("V1", "V2"), 1):
        text = get_bundled_hex(version).content
        read_s = min(_read_s(text, name) for _ in range(_TRIES))
        yield at_most(f"the emulator's reading of {name}'s hex, CPU", read_s, None, "{:.2f} s")


def _play_s() -> float:
    """Seconds from the command, in a terminal, to the first LED that it draws lit."""
    with tempfile.TemporaryDirectory() as home:
        return _played_s(home)


def _played_s(home: str) -> float:
    start_s = time.perf_counter()
    pid, terminal = pty.fork()
    if pid == 0:
        os.environ |= {"TERM": "xterm-256color", "PYTHONUTF8": "1", "COLUMNS": "100", "LINES": "30"}
        os.environ |= {"HOME": home, "XDG_DATA_HOME": home}  # a board that nobody has played on
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
    read(text, board)
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
            took_s = min(run(*words) for _ in range(_TRIES))
            note = f"{path.stat().st_size:,} bytes" if name == "hex" else ""
            yield at_most(f"`noughts {name}`", took_s, limit_s, "{:.2f} s", note)


def put() -> Iterator[Row]:
    """Whole `noughts put` commands onto a virtual board, in real time."""
    other = brain.Table(brain.WEIGHTS, (*brain.make().book, 65535))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.py"
        path.write_text(brain.source(other))
        for name in ("V1", "V2"):
            with VirtualBoard(program(name, {})) as board:
                port = ("--port", board.port)
                everything_s = run("put", *port)
                changed = ("--table", str(path)), ()
                changed_s = [run("put", *port, *more) for more in changed * 3]
                nothing_s = run("put", *port)
            note = f"all files {everything_s:.1f} s, none {nothing_s:.1f} s"
            what = f"`noughts put` of a changed table, worst of {len(changed_s)}, {name}"
            yield at_most(what, max(changed_s), 3, "{:.1f} s", note)


def soak() -> Iterator[Row]:
    """How fast `make soak` goes. QEMU did 27 device-hours of a V1 in an hour of two cores; it would
    be taken for the soak again if the emulator were less than half as fast."""
    for board, least in (("V1", 13.5), ("V2", None)):
        start_s = time.process_time()
        result = Session(board, _SOAK_SEED, _SOAK_S, lambda line: None, lambda line: None).run()
        rate = 2 * result.device_s / (time.process_time() - start_s)
        what = f"device-hours of `make soak` in an hour of two cores, {board}"
        yield at_least(what, rate, least, "{:.1f}")


def tests() -> Iterator[Row]:
    """All tests, set-up and checks not counted."""
    run_tests = "-m", "pytest", "-q", "-n", "4", "--dist", "loadfile", "--no-loadscope-reorder"
    command = [sys.executable, *run_tests]
    start_s = time.perf_counter()
    done = subprocess.run(command, cwd=Path(__file__).parents[1], capture_output=True, text=True)
    took_s = time.perf_counter() - start_s
    if done.returncode:
        raise RuntimeError(f"the tests fail: {done.stdout[-400:]}")
    yield at_most("all tests, on this computer", took_s, 120, "{:.0f} s")


PARTS = (virtual, commands, put, soak, tests)
