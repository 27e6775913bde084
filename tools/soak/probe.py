"""A module that measures, which the soak puts on the board next to the game, with a `main.py`.

The game's other files are unchanged. The module stands between the game and two of its functions:
`buttons.wait`, which the game calls once in each turn of its loop, and `sentences.send`. After each
sentence of a game it collects the heap and prints a line of its own:

    #<free heap in bytes>,<longest gap between two turns since the last such line, in ms>,<jump>

The gap is of device time, read from a timer that the firmware leaves alone and the module starts.
The jump is the most by which the firmware's clock went further in one turn, in ms. The time that
the module takes itself, collecting and printing, is taken out of both. Names are the firmware's or
the game's, where they can be: a new one costs heap.
"""

import re
from collections.abc import Mapping
from typing import NamedTuple

_TIMERS = {"V1": b"0x4000a", "V2": b"0x40008"}
"""TIMER2 of the nRF51 (MicroPython's display uses TIMER0), and TIMER0 of the nRF52 (CODAL uses the
others for touch and analog pins)."""

MODULE = b"""
import gc, buttons
from machine import mem32
from microbit import running_time
gap = 0
jump = 0
last = 0
turn = buttons.wait
mem32[0x4000a508] = 2
mem32[0x4000a510] = 4
mem32[0x4000a000] = 1
def clock():
    mem32[0x4000a048] = 1
    return mem32[0x4000a548]
def wait():
    global gap, jump, last, start
    if not last:
        import sentences
        global send
        send = sentences.send
        sentences.send = tell
        last = running_time()
        start = clock()
    button = turn()
    end = clock()
    time = running_time()
    step = (end - start & 0xffffff) // 1000
    gap = max(gap, step)
    jump = max(jump, time - last - step)
    last = time
    start = end
    return button
def tell(text):
    global gap, jump, last, start
    text = send(text)
    if text[2] != "G":
        return text
    time = running_time()
    end = clock()
    gc.collect()
    print("#%d,%d,%d" % (gc.mem_free(), gap, jump))
    gap = jump = 0
    last += running_time() - time
    start += clock() - end
    return text
buttons.wait = wait
"""
"""As on a V1. The timer counts microseconds, in 24 bits: a small integer."""
_IMPORT = b"    import gc, loop\n"
_LINE = re.compile(r"#([0-9]{1,6}),([0-9]{1,9}),([0-9]{1,9})")


class Reading(NamedTuple):
    free: int
    """Bytes of heap after a collection."""
    gap_ms: int
    """The longest time between two turns of the game's loop since the last sentence."""
    jump_ms: int
    """The most by which the firmware's clock ran ahead of time in one of these turns."""


def alone(game: Mapping[str, bytes]) -> dict[str, bytes]:
    """The game's files without `R` in the menu, which waits for a second board: for that there is
    `tools/radio_pairs.py`."""
    menu = game["menu.py"].replace(b"PEMHRPPPPPP", b"PEMHPPPPPPP")
    assert menu != game["menu.py"]
    return {**game, "menu.py": menu}


def files(game: Mapping[str, bytes], board: str) -> dict[str, bytes]:
    """The game's files, the module, and a `main.py` that imports it first."""
    main = game["main.py"].replace(_IMPORT, b"    import probe\n" + _IMPORT)
    assert main != game["main.py"]
    module = MODULE.replace(_TIMERS["V1"], _TIMERS[board])
    return {**game, "probe.py": module, "main.py": main}


def read(line: str) -> Reading | None:
    match = _LINE.fullmatch(line)
    return Reading(*map(int, match.groups())) if match else None
