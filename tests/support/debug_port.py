"""An emulated micro:bit as an interface chip sees it: the chip's debug port, reset, and flash."""

from __future__ import annotations

from microbit_emulator import Microbit

FLASH_SIZES = {"V1": 0x40000, "V2": 0x80000}
_UICR, _UICR_SIZE = 0x1000_1000, 0x400


def erased(model: str) -> Microbit:
    """A board with nothing in its flash."""
    return Microbit(model, flash=b"\xff" * FLASH_SIZES[model])


class DebugPort:
    """Words of memory and registers, and what an interface chip does with the chip as a whole."""

    def __init__(self, board: Microbit) -> None:
        self.board = board
        self._debugger = board.debugger
        self._debugger.lock_up_at_faults()  # as a board does that has nothing in flash
        self.read32 = self._debugger.read_word
        self.write32 = self._debugger.write_word

    def run(self, us: int) -> None:
        """Let device time pass."""
        self.board.run_for(us)

    def halt(self) -> None:
        self._debugger.halt()

    def reset(self) -> None:
        """The reset line: also ends debugging."""
        self._debugger.detach()
        self.board.reset()

    def erase_all(self) -> None:
        self._debugger.program(0, b"\xff" * FLASH_SIZES[self.board.board])
        self._debugger.program(_UICR, b"\xff" * _UICR_SIZE)

    def replace_flash(self, flash: bytes) -> None:
        """Put other contents into all of flash, and start the board again."""
        self._debugger.program(0, flash)
        self.board.reset()

    def is_flash(self, address: int) -> bool:
        in_uicr = _UICR <= address < _UICR + _UICR_SIZE
        return in_uicr or address < FLASH_SIZES[self.board.board]

    def program(self, address: int, data: bytes) -> None:
        """Clear bits of flash."""
        present = self._debugger.read_memory(address, len(data))
        self._debugger.program(address, bytes(map(int.__and__, present, data)))
