"""An emulated micro:bit as a debugger sees it: halt, memory, core registers, reset, flash.

Everything that the emulator does not offer publicly is used in this file alone.
"""

from __future__ import annotations

import struct

from microbit_emulator import Microbit
from microbit_emulator.chip import RESET_SOFTWARE
from microbit_emulator.cpu import RAM
from microbit_emulator.errors import FirmwareStoppedError
from microbit_emulator.firmware import UICR, UICR_SIZE
from microbit_emulator.flash import CONFIG, FICR
from microbit_emulator.unicorn_core import arm_const as arm

FLASH_SIZES = {"V1": 0x40000, "V2": 0x80000}
_FICR_SIZE = 0x2000
_AIRCR = 0xE000ED0C
_DFSR, _DHCSR, _DCRSR = 0xE000ED30, 0xE000EDF0, 0xE000EDF4
_DCRDR, _DEMCR = 0xE000EDF8, 0xE000EDFC
_DEBUG_KEY, _RESET_KEY = 0xA05F, 0x05FA
_S_REGRDY, _S_HALT, _S_LOCKUP, _S_RESET_ST = 1 << 16, 1 << 17, 1 << 19, 1 << 25
_PC, _XPSR, _PRIMASK = 15, 16, 20
_CORE_REGISTERS = {
    **{number: arm.UC_ARM_REG_R0 + number for number in range(13)},
    13: arm.UC_ARM_REG_SP,
    14: arm.UC_ARM_REG_LR,
    _XPSR: arm.UC_ARM_REG_XPSR,
    _PRIMASK: arm.UC_ARM_REG_PRIMASK,
}


def erased(model: str) -> Microbit:
    """A board with nothing in its flash."""
    return Microbit(model, flash=b"\xff" * FLASH_SIZES[model])


class DebugPort:
    """Memory and registers of a board's chip. An address where nothing is raises `KeyError`."""

    def __init__(self, board: Microbit) -> None:
        self.board = board
        self._chip = board._chip
        self._cpu, self._flash = self._chip.cpu, self._chip.flash
        self._transfer = self._catch = 0
        self._was_reset = self._locked_up = False

    def run(self, us: int) -> None:
        """Let device time pass. A processor that finds nothing in flash locks up."""
        try:
            self.board.run_for(us)
        except FirmwareStoppedError:
            self._locked_up = self._cpu.halted = True

    def halt(self) -> None:
        self._cpu.halted = True

    def reset(self) -> None:
        """The reset line: also ends debugging."""
        self._cpu.halt_at_reset = self._cpu.debugged = self._locked_up = False
        self.board.reset()

    def erase_all(self) -> None:
        self._flash.program(0, b"\xff" * self._flash.size)
        self._flash.program(UICR, b"\xff" * UICR_SIZE)

    def replace_flash(self, flash: bytes) -> None:
        """Put other contents into all of flash, and start the board again."""
        self._flash.program(0, flash)
        self.board.reset()

    def is_flash(self, address: int) -> bool:
        return address < self._flash.size or UICR <= address < UICR + UICR_SIZE

    def program(self, address: int, data: bytes) -> int:
        """Clear bits of flash; returns the microseconds that it takes."""
        present = self._flash.read(address, len(data))
        self._flash.program(address, bytes(map(int.__and__, present, data)))
        return len(data) // 4 * self._chip.write_us

    def read32(self, address: int) -> int:
        if address == _DHCSR:
            return self._status()
        if address in (_DCRDR, _DEMCR, _DFSR):
            return {_DCRDR: self._transfer, _DEMCR: self._catch, _DFSR: 0}[address]
        if self._is_ram(address):
            return int.from_bytes(self._cpu.read(address, 4), "little")
        if self.is_flash(address) or FICR <= address < FICR + _FICR_SIZE:
            return int.from_bytes(self._flash.read(address, 4), "little")
        read, _ = self._cpu.core.calls[address & ~0xFFF]
        return int(read(0, address & 0xFFF)) & 0xFFFF_FFFF

    def write32(self, address: int, value: int) -> None:
        if address == _DHCSR and value >> 16 == _DEBUG_KEY:
            self._cpu.debugged, self._cpu.halted = bool(value & 1), bool(value & 2)
        elif address == _DCRDR:
            self._transfer = value
        elif address == _DCRSR:
            self._move_core_register(value & 0x7F, writes=bool(value >> 16 & 1))
        elif address == _DEMCR:
            self._catch, self._cpu.halt_at_reset = value, bool(value & 1)
        elif address == _AIRCR and value >> 16 == _RESET_KEY and value & 4:
            self._chip.start(RESET_SOFTWARE, keep_ram=True)
            self._was_reset, self._locked_up = True, False
        elif self._is_ram(address):
            self._cpu.write(address, struct.pack("<I", value))
            self._cpu.core.uc.ctl_remove_cache(address, address + 4)
        elif self.is_flash(address):
            self._write_flash(address, value)
        elif address != _DFSR:
            _, write = self._cpu.core.calls[address & ~0xFFF]
            write(0, address & 0xFFF, 4, value)

    def _is_ram(self, address: int) -> bool:
        return RAM <= address < RAM + len(self._cpu.ram)

    def _status(self) -> int:
        was_reset, self._was_reset = self._was_reset, False
        return (
            _S_REGRDY
            | self._cpu.halted * _S_HALT
            | self._locked_up * _S_LOCKUP
            | was_reset * _S_RESET_ST
            | self._cpu.debugged
        )

    def _write_flash(self, address: int, value: int) -> None:
        if self._flash.registers[CONFIG] == 1:
            data = struct.pack("<I", self.read32(address) & value)
            self._flash._begin("write", address, data, self._flash._write_cycles)

    def _move_core_register(self, number: int, writes: bool) -> None:
        """Between a register of the processor and the data transfer register."""
        if number == _PC:
            if writes:
                self._cpu.pc = self._transfer & ~1
            self._transfer = self._cpu.pc
        elif writes:
            value = self._transfer & 1 if number == _PRIMASK else self._transfer
            self._cpu.core.uc.reg_write(_CORE_REGISTERS[number], value)
        elif number != _PRIMASK:
            self._transfer = self._cpu.core.uc.reg_read(_CORE_REGISTERS[number])
