"""The floors of what `make bench` measures: the same things in the least scripts that do them."""

from __future__ import annotations

from device_time import reset_to_light_us, wait_us
from official import printed, stepped

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
_PRESSES = 24


def heap(firmware: str) -> int:
    """Bytes that a firmware leaves a script that only asks for them."""
    return int(printed(firmware, {"main.py": _HEAP}))


def choice_us(firmware: str) -> int:
    """Microseconds to look at nine cells."""
    return int(printed(firmware, {"main.py": _CHOICE}))


def reset_us(firmware: str) -> int:
    """Microseconds from reset to the first LED of a script that does nothing else."""
    board = stepped(firmware)({"main.py": _SHOWN})
    board.run_for(1_000_000)
    return reset_to_light_us(board)


def press_us(firmware: str) -> int:
    """The most microseconds from a press to the LED that a script lights."""
    board = stepped(firmware)({"main.py": _PRESS})
    board.run_for(1_000_000)
    waits = []
    for number in range(_PRESSES):
        board.run_for(50_000 + 1310 * number)
        waits.append(wait_us(board, "A"))
        board.release("A")
    return max(waits)
