"""A micro:bit as a debugger sees it: halt, resume, core registers, memory.

Memory and registers are read and written as through the chip's debug port, a word at a time, with
the debug registers of ARMv7-M (DHCSR, DCRSR, DCRDR, DEMCR, AIRCR), whose effects are modelled too.
"""

import struct

from microbit_emulator.chip import Chip

_DHCSR, _DEMCR = 0xE000_EDF0, 0xE000_EDFC
_KEY, _DEBUGEN, _HALT, _STEP, _CATCH_RESET = 0xA05F_0000, 1, 2, 4, 1

XPSR, MSP, PSP = 16, 17, 18
"""Numbers of core registers after R0 to R15."""


class Debugger:
    """The debug port of a chip. A halted core executes nothing; device time goes on."""

    def __init__(self, chip: Chip) -> None:
        self._chip, function = chip, chip.core.function
        self._read, self._write = function("debug_read"), function("debug_write")
        self._register, self._set = function("core_register"), function("set_core_register")

    def lock_up_at_faults(self, locks_up: bool = True) -> None:
        """Let a fault lock the core up until a reset, as on a board.

        Otherwise it raises an error. A chip whose flash is erased faults at once.
        """
        self._chip.core.function("lock_up_at_faults")(locks_up)

    def halt(self) -> None:
        """Halt the core between two instructions."""
        self._write(_DHCSR, _signed(_KEY | _DEBUGEN | _HALT))

    def resume(self) -> None:
        """Let it run on; a BKPT halts it."""
        self._write(_DHCSR, _signed(_KEY | _DEBUGEN))

    def step(self) -> None:
        """Let it execute one instruction, as soon as device time passes."""
        self._write(_DHCSR, _signed(_KEY | _DEBUGEN | _STEP))

    def detach(self) -> None:
        """Let it run as without a debugger."""
        self._write(_DEMCR, 0)
        self._write(_DHCSR, _signed(_KEY))

    def catch_reset(self, halts: bool = True) -> None:
        """Halt the core at its first instruction after each reset."""
        self._write(_DEMCR, _CATCH_RESET * halts)

    @property
    def halted(self) -> bool:
        """Whether the core is halted."""
        return bool(self._chip.status.halted)

    @property
    def locked_up(self) -> bool:
        """Whether a fault has locked the core up."""
        return bool(self._chip.status.locked_up)

    def core_register(self, number: int) -> int:
        """A core register: 0 to 15, or `XPSR`, `MSP`, `PSP`; 20 for the masks."""
        return self._register(number) & 0xFFFF_FFFF

    def set_core_register(self, number: int, value: int) -> None:
        """Set a core register."""
        self._set(number, _signed(value))

    def read_word(self, address: int) -> int:
        """A word of memory, or a register of a peripheral, whose reading may have an effect."""
        return self._read(_signed(address)) & 0xFFFF_FFFF

    def write_word(self, address: int, value: int) -> None:
        """Write a word: flash only takes zeros, and only if NVMC lets it."""
        self._write(_signed(address), _signed(value))

    def read_memory(self, address: int, size: int) -> bytes:
        """Whole words of memory."""
        words = (self.read_word(at) for at in range(address, address + size, 4))
        return struct.pack(f"<{-(-size // 4)}I", *words)[:size]

    def write_memory(self, address: int, data: bytes) -> None:
        """Write whole words of memory."""
        for at, (word,) in enumerate(struct.iter_unpack("<I", data)):
            self.write_word(address + 4 * at, word)

    def program(self, address: int, data: bytes) -> None:
        """Set bytes of flash or UICR as they are, at once, as a programmer leaves them."""
        self._chip.program(address, data)


def _signed(word: int) -> int:
    return (word & 0xFFFF_FFFF ^ 0x8000_0000) - 0x8000_0000
