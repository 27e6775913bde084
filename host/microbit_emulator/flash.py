"""Flash memory and its controller, NVMC: writing and erasing take time, and can be cut off.

While flash is written or erased, the CPU waits, and the rest of the chip goes on. If the power is
cut in the middle, some bits have changed and others have not: a random choice, in proportion to the
time that has passed.

Not modelled: writing or erasing while the CPU runs from RAM (it waits here too), partial erases,
the limit of writes to a word, wear, access protection.
"""

import random
from collections.abc import Callable
from functools import partial

from microbit_emulator.cpu import RAM, Cpu
from microbit_emulator.firmware import UICR, UICR_SIZE
from microbit_emulator.peripheral import Host, Peripheral
from microbit_emulator.unicorn_core import PAGE, unicorn

FICR = 0x1000_0000
ERASED = 0xFF
_READ_ONLY = unicorn.UC_PROT_READ | unicorn.UC_PROT_EXEC

READY, CONFIG, ERASEPAGE, ERASEALL, ERASEUICR = 0x400, 0x504, 0x508, 0x50C, 0x514
_WRITE_ENABLED, _ERASE_ENABLED = 1, 2


class _Change:
    """A write or an erase that is under way."""

    def __init__(self, kind: str, at: int, before: bytes, after: bytes, start: int, end: int):
        self.kind, self.at, self.before, self.after = kind, at, before, after
        self.start, self.end = start, end

    def cut(self, now: int, chance: random.Random) -> bytes:
        """The memory's content if this ends at `now`."""
        share = (now - self.start) / (self.end - self.start)
        content = bytearray(self.before)
        for place, (old, new) in enumerate(zip(self.before, self.after, strict=True)):
            for bit in range(8):
                if (old ^ new) >> bit & 1 and chance.random() < share:
                    content[place] ^= 1 << bit
        return bytes(content)


class Flash:
    """The flash memory, from address 0, and the UICR."""

    def __init__(
        self, cpu: Cpu, size: int, page: int, write_cycles: int, erase_cycles: int
    ) -> None:
        self._cpu, self._uc = cpu, cpu.core.uc
        self.size, self.page = size, page
        self._write_cycles, self._erase_cycles = write_cycles, erase_cycles
        self.registers = {CONFIG: 0}
        """NVMC's."""
        self.on_change: Callable[[str, int, int, int], object] | None = None
        """Called when a write or an erase begins: `"write"` or `"erase"`, address, size, cycles."""
        self._change: _Change | None = None
        self._stores: list[tuple[int, bytes, bytes]] = []
        self._main = cpu.core.map_memory(0, size, _READ_ONLY)
        self._main[:] = bytes([ERASED]) * size
        self._info = cpu.core.map_memory(FICR, 2 * PAGE, _READ_ONLY)
        self._info[:] = bytes([ERASED]) * 2 * PAGE
        cpu.code = self._main
        self._uc.hook_add(unicorn.UC_HOOK_MEM_WRITE_PROT, self._on_store, begin=0, end=RAM - 1)

    @property
    def busy(self) -> str:
        return self._change.kind if self._change else ""

    def read(self, at: int, size: int) -> bytes:
        memory, start = (self._info, at - FICR) if at >= FICR else (self._main, at)
        return bytes(memory[start : start + size])

    def program(self, at: int, data: bytes) -> None:
        memory, start = (self._info, at - FICR) if at >= FICR else (self._main, at)
        memory[start : start + len(data)] = data
        self._uc.ctl_remove_cache(at, at + len(data))  # it may be code that has run

    def cut(self, chance: random.Random) -> None:
        """Cut the power: a write or erase in progress has changed some of its bits, at random."""
        change, self._change = self._change, None
        if change:
            self.program(change.at, change.cut(self._cpu.now(), chance))

    def erase(self, at: int, size: int) -> None:
        """Begin to erase, if NVMC is set to erase; called within a register access."""
        if self.registers[CONFIG] == _ERASE_ENABLED:
            self._begin("erase", at, bytes([ERASED]) * size, self._erase_cycles)
            self._cpu.halt()

    def _begin(self, kind: str, at: int, after: bytes, cycles: int) -> None:
        now, before = self._cpu.now(), self.read(at, len(after))
        self._change = _Change(kind, at, before, after, now, now + cycles)
        self._cpu.stalled = True
        self._cpu.after(cycles, partial(self._finish, at, after))
        if self.on_change:
            self.on_change(kind, at, len(after), cycles)

    def _finish(self, at: int, after: bytes) -> None:
        self._change, self._cpu.stalled = None, False
        self.program(at, after)

    def _on_store(
        self, uc: unicorn.Uc, kind: int, address: int, size: int, value: int, _: object
    ) -> bool:
        """A store to flash, which Unicorn may carry out or not; the end of the slice handles it."""
        word = (value & (1 << 8 * size) - 1).to_bytes(size, "little")
        self._stores.append((address, self.read(address, size), word))
        self._cpu.after_slice = self._take_stores
        self._cpu.halt()
        return True

    def _take_stores(self) -> None:
        """Undo the stores, and begin to write their zeros, if NVMC allows it."""
        stores, self._stores = self._stores, []
        for at, before, _ in reversed(stores):
            self.program(at, before)
        if self.registers[CONFIG] == _WRITE_ENABLED:
            first = min(at for at, _, _ in stores)
            new = bytearray(self.read(first, max(at + len(word) for at, _, word in stores) - first))
            for at, _, word in stores:
                for place, byte in enumerate(word, at - first):
                    new[place] &= byte
            self._begin("write", first, bytes(new), self._write_cycles * len(stores))


class Nvmc(Peripheral):
    """The flash controller: erases pages, and lets stores through.

    It always reads as ready: the CPU does not run while it is busy.
    """

    def __init__(self, chip: Host, flash: Flash) -> None:
        super().__init__(chip, 0x4001_E000, settings=(CONFIG,))
        flash.registers = self.values
        self.values[READY] = 1
        self.writes |= {
            ERASEPAGE: lambda at: flash.erase(at & -flash.page, flash.page),
            ERASEALL: lambda value: flash.erase(0, flash.size) if value else None,
            ERASEUICR: lambda value: flash.erase(UICR, UICR_SIZE) if value else None,
        }
