"""The floors of what `make bench` measures: the same things in the least scripts that do them."""

from __future__ import annotations

from noughts.boards.base import Button
from noughts.boards.emulated import EmulatedBoard

from asking import FAST

_HEAP = b"import gc\ngc.collect()\nprint(gc.mem_free())\n"

_SHOWN = b"from microbit import display\ndisplay.set_pixel(2, 2, 9)\n"

# All nine cells have to be looked at, whatever is made of them.
_CHOICE = b"""
from utime import ticks_us, ticks_diff
def choose(marks):
    best = 0
    for cell in range(9):
        if not marks[cell]:
            best = cell
    return best
start = ticks_us()
choose([0] * 9)
print(ticks_diff(ticks_us(), start))
"""

_PRESS = b"""
from microbit import display, pin5
while True:
    display.set_pixel(2, 2, 0 if pin5.read_digital() else 9)
"""
_PRESSES = 40


def heap() -> int:
    """Bytes that the firmware leaves a script that only asks for them."""
    return _number(_HEAP)


def choice_us() -> int:
    """Microseconds to look at nine cells."""
    return _number(_CHOICE)


def _number(script: bytes) -> int:
    """What a script prints."""
    with EmulatedBoard({"main.py": script}, icount=FAST) as board:
        board.serial.timeout = 20
        return int(board.serial.read_until(b"\r\n").lstrip(b"\0"))


def reset_us() -> int:
    """Microseconds from reset to the first LED of a script that does nothing else."""
    with EmulatedBoard({"main.py": _SHOWN}, icount=FAST) as board:
        while not any(board.leds()):
            shown_us = board.clock_us()
    return shown_us


def press_us() -> int:
    """The most microseconds from a pin going low to the frame buffer."""
    waits = []
    with EmulatedBoard({"main.py": _PRESS}) as board:
        _rest(board, 1_000_000)
        for number in range(_PRESSES):
            _rest(board, 50_000 + 371 * number)
            start_us = board.clock_us()
            board.press(Button.A)
            while not any(board.leds()):
                pass
            waits.append(board.clock_us() - start_us)
            board.release(Button.A)
    return max(waits)


def _rest(board: EmulatedBoard, us: int) -> None:
    end_us = board.clock_us() + us
    while board.clock_us() < end_us:
        pass
