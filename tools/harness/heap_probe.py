"""The free heap of a board while it runs, without a change of its program.

A game by radio leaves a V1 no memory to compile a line that prints it. So this does what a debugger
can: it halts the board where MicroPython calls a C function, lets it call `gc.collect` and
`gc.mem_free` there, and goes on. A collection is safe at such a call, and costs some 2 ms each.
"""

import struct
from collections.abc import Callable
from functools import cache

from microbit_emulator import Microbit
from official import printed, stepped

PLACES = "microbit.sleep", "print", "len"
"""Where it halts: in each turn of the loop, before each sentence, and while a frame is checked."""

_MEASURING = "gc.collect", "gc.mem_free"
_ASK = b"import gc, microbit\nfor function in (%s):\n    print(id(function))\n"
_MANY_ARGUMENTS = 0xFFFF
"""In the upper half of the second word of a function object that takes any number: then the
function's address is in the third one, else in the second."""
_BKPT = b"\x00\xbe"
_R0, _SP, _LR, _PC = 0, 13, 14, 15
_THUMB = 1


@cache
def _addresses(firmware: str) -> dict[str, int]:
    """Where a V1's firmware has the machine code of these functions, by name."""
    names = (*_MEASURING, *PLACES)
    flash = stepped(firmware)({}).flash
    addresses = {}
    objects = printed(firmware, {"main.py": _ASK % ", ".join(names).encode()}).split()
    for name, object_address in zip(names, map(int, objects), strict=True):
        _, second, third = struct.unpack_from("<3I", flash, object_address)
        address = third if second >> 16 == _MANY_ARGUMENTS else second
        addresses[name] = address & ~_THUMB
    return addresses


class HeapProbe:
    """Measures a V1 each time that it halts in `check`, which must follow each short run."""

    def __init__(self, board: Microbit, firmware: str, run: Callable[[], None]) -> None:
        """run: runs the board for a time that is short against a turn of its loop."""
        self.lowest: dict[str, int] = {}
        """The fewest free bytes, by the function that was called."""
        self._run = run
        addresses = _addresses(firmware)
        self._measuring_functions = [addresses[name] for name in _MEASURING]
        self._places = {addresses[name]: name for name in PLACES}
        self._debugger = board.debugger
        self._code = {at: board.flash[at : at + len(_BKPT)] for at in self._places}
        self._debugger.resume()  # as long as it is attached, a BKPT halts
        for at in self._places:
            self._debugger.program(at, _BKPT)

    def check(self) -> None:
        """If the board has halted, measure, and let it go on."""
        if not self._debugger.halted:
            return
        registers = [self._debugger.core_register(number) for number in range(_PC + 1)]
        place = registers[_PC]
        for function in self._measuring_functions:
            self._debugger.set_core_register(_LR, place | _THUMB)  # halts there again
            self._debugger.set_core_register(_PC, function)
            self._continue()
        free = self._debugger.core_register(_R0) >> 1  # a small integer has a 1 as its last bit
        name = self._places[place]
        self.lowest[name] = min(free, self.lowest.get(name, free))
        for number, value in enumerate(registers):
            if number != _SP:  # is as before
                self._debugger.set_core_register(number, value)
        self._debugger.program(place, self._code[place])
        self._debugger.step()
        self._run()
        self._debugger.program(place, _BKPT)
        self._debugger.resume()

    def _continue(self) -> None:
        self._debugger.resume()
        while not self._debugger.halted:
            self._run()
