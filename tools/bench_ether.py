"""The rows of `make bench` about radio: what a class of virtual boards in one ether costs."""

from __future__ import annotations

import time
from collections.abc import Iterator

from bench_rows import Row
from microbit_emulator import Ether
from official import NEWEST, stepped

_BOARDS = 30
_START_US, _RUN_US, _STEP_US = 1_500_000, 1_000_000, 20_000

_GATEWAY = b"""
import radio
from microbit import sleep
radio.config(group=7, length=64, queue=8)
radio.on()
while True:
    print(radio.receive_bytes() or sleep(5))
"""
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


def ether() -> Iterator[Row]:
    """CPU seconds for a device second of a class and its gateway, each sending every 2 seconds."""
    for name in NEWEST:
        for listens, what in ((False, "on only to send"), (True, "always on")):
            cost_s, alone_s = _costs_s(name, listens)
            title = f"CPU for a device second of {_BOARDS} {name[:2]}s and a gateway, radios {what}"
            yield Row(title, f"{cost_s:.1f} s ({alone_s:.1f} s without an ether)")


def _costs_s(name: str, listens: bool) -> tuple[float, float]:
    """In an ether, and each board alone."""
    player = {"main.py": _PLAYER % listens}
    boards = {f"player {seed}": stepped(name)(player, seed) for seed in range(1, 1 + _BOARDS)}
    boards["gateway"] = stepped(NEWEST[1])({"main.py": _GATEWAY})
    for board in boards.values():
        board.run_for(_START_US)
    start_s = time.process_time()
    for board in boards.values():
        board.run_for(_RUN_US)
    alone_s = time.process_time() - start_s
    ether = Ether(boards)
    start_s = time.process_time()
    for _ in range(_RUN_US // _STEP_US):
        ether.run_for(_STEP_US)
    return time.process_time() - start_s, alone_s


PARTS = (ether,)
