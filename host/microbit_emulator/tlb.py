"""How Unicorn's CPU looks up addresses: so that stores to RAM are fast.

Unicorn keeps every store to a page on a slow path while the page's entry in its TLB is executable,
for the page may hold code that it has translated; and the CPU's own memory map calls all RAM
executable. So entries are made here, where virtual addresses are the physical ones: RAM can be read
and written until code is fetched from a page, and from then on that page is executable. What the
firmware may do does not depend on these entries: Unicorn checks that against the map of memory.

The slow path is also taken wherever a memory hook covers the RAM: hooks are given bounds.
"""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Callable

from microbit_emulator.unicorn_core import Core, unicorn
from microbit_emulator.unicorn_core import arm_const as arm

_IT_STATE = 0x0600_FC00  # in XPSR
_ENTRY_BYTES = 1024
"""What an entry of the TLB covers."""
_ENTRIES = 512
"""The V2 firmware alone uses some 60 pages all the time, and each entry is in the place that its
address says: with 256 they throw each other out 5,800 times a second, with 512 350 times."""
_SCRATCH = 0x6000_0000
"""Memory that no micro:bit has, for `grow`."""
_TOUCH = struct.pack("<4H", 0x6801, 0x1880, 0x3B01, 0xD1FB)
"""ldr r1, [r0]; adds r0, r0, r2; subs r3, #1; bne to the first of them"""


class _Entry(ctypes.Structure):
    """`uc_tlb_entry`."""

    _fields_ = (("paddr", ctypes.c_uint64), ("perms", ctypes.c_int))


class Tlb:
    """Fills the TLB's entries, and sees to it that there are enough."""

    def __init__(self, core: Core, ram: range, fail: Callable[[BaseException], object]) -> None:
        self._core, self._ram, self._fail = core, ram, fail
        self._xpsr = core.registers(arm.UC_ARM_REG_XPSR)
        self._pages_of_code: set[int] = set()
        self._fills = 0
        core.uc.ctl_set_tlb_mode(unicorn.UC_TLB_VIRTUAL)
        core.on_tlb_fill(self._fill)
        core.uc.mem_map(_SCRATCH, _ENTRIES * _ENTRY_BYTES)
        core.uc.mem_write(_SCRATCH, _TOUCH)

    def grow(self) -> None:
        """Let the TLB hold `_ENTRIES`; to be called where memory has been mapped, between two runs.

        Mapping flushes it. It doubles when it is flushed while it is full, and shrinks when that
        happens while little of it is used, if the last time is a while ago by the computer's clock.
        """
        uc = self._core.uc
        context = uc.context_save()
        self._touch()
        while self._touch():
            uc.ctl(unicorn.UC_CTL_TLB_FLUSH, unicorn.UC_CTL_IO_WRITE)
            self._touch()
        uc.context_restore(context)

    def _touch(self) -> int:
        """Read a word of each of as many pages; returns how many the TLB did not hold."""
        uc, before = self._core.uc, self._fills
        uc.reg_write(arm.UC_ARM_REG_R0, _SCRATCH)
        uc.reg_write(arm.UC_ARM_REG_R2, _ENTRY_BYTES)
        uc.reg_write(arm.UC_ARM_REG_R3, _ENTRIES)
        self._core.run(_SCRATCH, 4 * _ENTRIES)
        self._core.counter[0] = 0
        return self._fills - before

    def _fill(self, _: int, address: int, kind: int, entry: int) -> bool:
        try:
            self._fills += 1
            if kind == unicorn.UC_MEM_FETCH:
                self._pages_of_code.add(address)
            else:
                self._clear_it_state()
            made = _Entry.from_address(entry)
            made.paddr = address
            data = address in self._ram and address not in self._pages_of_code
            read_write = unicorn.UC_PROT_READ | unicorn.UC_PROT_WRITE
            made.perms = read_write if data else unicorn.UC_PROT_ALL
        except BaseException as error:
            self._fail(error)
            return False
        return True

    def _clear_it_state(self) -> None:
        """Clear the IT state that Unicorn restores to make an entry.

        It is that of the instruction under way. The block that goes on expects to find it 0, and
        leaves it: what runs next would be conditional.
        """
        (xpsr,) = self._xpsr.get()
        if xpsr & _IT_STATE:
            self._xpsr.set(xpsr & ~_IT_STATE)
