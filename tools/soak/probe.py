"""What the soak puts on the board beside the game: a module that measures, and its own `main.py`.

The game's other files are unchanged. The module stands between the game and two of its functions:
`buttons.wait`, which the game calls once in each turn of its loop, and `sentences.send`. After each
sentence of a game it collects the heap and prints a line of its own:

    #<free heap in bytes>,<longest gap between two turns since the last such line, in ms>,<jump>

The gap is of device time, read from the timer of `soak.machine` by way of its CC[2]. The jump is
the most by which the firmware's clock went further in one turn, in ms. The time that the module
takes itself, collecting and printing, is taken out of both. Names are the firmware's or the game's,
where they can be: a new one costs heap.

QEMU's accelerometer is a stub that always says the same, with which the cursor ends in a corner. So
the module also stands before `tilt.move`, and leans the board another way every half second.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

MODULE = b"""
import gc, buttons
from machine import mem32
from microbit import running_time
gap = 0
jump = 0
last = 0
turn = buttons.wait
def clock():
    mem32[0x4000A048] = 1
    return mem32[0x4000A548]
def wait():
    global gap, jump, last, start
    if not last:
        import sentences, tilt
        global send, move
        send = sentences.send
        sentences.send = tell
        move = tilt.move
        tilt.move = lean
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
def lean(cell, right, down, now):
    way = (now >> 9) * 37 % 101 % 9
    return move(cell, way % 3 * 400 - 400, way // 3 * 500 - 500, now)
def tell(text):
    global gap, jump, last, start
    send(text)
    time = running_time()
    end = clock()
    gc.collect()
    print("#%d,%d,%d" % (gc.mem_free(), gap, jump))
    gap = jump = 0
    last += running_time() - time
    start += clock() - end
buttons.wait = wait
"""
"""What the module is."""
_IMPORT = b"    import loop\n"
_LINE = re.compile(r"#([0-9]{1,5}),([0-9]{1,9}),([0-9]{1,9})")


class Reading(NamedTuple):
    """What the board measured at a sentence."""

    free: int
    """Bytes of heap after collection."""
    gap_ms: int
    """The longest time between two turns of the game's loop since the sentence before."""
    jump_ms: int
    """The most by which the firmware's clock went further than time in one of these turns."""


def files(game: Mapping[str, bytes]) -> dict[str, bytes]:
    """The game's files, the module, and a `main.py` that imports it first."""
    main = game["main.py"].replace(_IMPORT, b"    import probe\n" + _IMPORT)
    if main == game["main.py"]:
        raise ValueError("main.py does not import loop any more; adapt the probe")
    return {**game, "probe.py": MODULE, "main.py": main}


def read(line: str) -> Reading | None:
    """The reading in a line, or None."""
    found = _LINE.fullmatch(line)
    return Reading(*map(int, found.groups())) if found else None
