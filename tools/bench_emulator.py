"""What a virtual micro:bit costs: CPU seconds of the computer for a second of device time.

    python tools/bench_emulator.py

Prints a row for each board and state, each beside its target. Other programs on the same cores make
the figures worse; the best of three runs counts.
"""

from __future__ import annotations

import time

import micropython_microbit_fs as microbit_fs

from noughts.device_files import device_files
from noughts.emulator import Microbit

TARGETS = {
    ("V1", "idle in the menu"): 0.06,
    ("V2", "idle in the menu"): 0.15,
    ("V1", "in a game"): 0.13,
    ("V2", "in a game"): 0.20,
}
_SECONDS = 4
_RUNS = 3


def playing(board: str) -> Microbit:
    """A micro:bit with the game in its menu."""
    content = microbit_fs.get_bundled_hex(int(board[1])).content
    files = [microbit_fs.File(name, data) for name, data in device_files().items()]
    microbit = Microbit(board, microbit_fs.add_files(content, files))
    if not microbit.run_until(lambda: b"$NB" in microbit.uart.received, timeout_us=5_000_000):
        raise SystemExit(f"{board}: the game did not start: {microbit.uart.receive()!r}")
    microbit.run_for(500_000)
    return microbit


def cost(microbit: Microbit) -> float:
    """CPU seconds for a second of device time."""
    best = float("inf")
    for _ in range(_RUNS):
        start = time.process_time()
        microbit.run_for(_SECONDS * 1e6)
        best = min(best, time.process_time() - start)
    return best / _SECONDS


def start_game(microbit: Microbit) -> None:
    for _ in range(2):
        microbit.press("B")
        microbit.run_for(80_000)
        microbit.release("B")
        microbit.run_for(1_000_000)


def main() -> None:
    for board in ("V1", "V2"):
        start = time.process_time()
        microbit = playing(board)
        print(f"{board}  to the menu             {time.process_time() - start:6.3f} s of CPU")
        for state in ("idle in the menu", "in a game"):
            if state == "in a game":
                start_game(microbit)
            target = TARGETS[board, state]
            print(f"{board}  {state:<22} {cost(microbit):7.3f} CPU s/device s (target {target})")


if __name__ == "__main__":
    main()
