"""Unicorn, with features that its Python binding lacks.

- **Time within a slice.** Unicorn counts the instructions of a run and stops at a limit. Both are
  private fields of its C structure. In a callback, the counter is the exact time, and setting the
  limit to the counter stops the run before the next instruction. (`emu_stop` in a memory-mapped
  access executes the instruction again, endlessly.) The places of the two fields are found at the
  start, by runs of known length.
- **Speed.** Callbacks go straight through ctypes, and several CPU registers are read or written in
  one call. Calls hold the interpreter's lock (`PyDLL`, `PYFUNCTYPE`), because releasing it in each
  callback would cost more than the callback. Other threads still get their turn: Python releases
  the lock within callbacks, and a run is short.

Callbacks declare only the arguments that they use, as narrow as their values. (As one byte, the
engine's handle is a small int that exists already; as a pointer, it would be a new one each time.)
This is correct on all 64-bit ABIs: in System V, AAPCS64 (Apple's too) and Windows, each of the
first four integer arguments is in a register, whose low bits are used, and the caller removes the
unused arguments from the stack.
"""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Callable
from functools import cache
from typing import Any

from microbit_emulator.errors import UnicornError

try:
    import unicorn as unicorn
    from unicorn import arm_const as arm_const
    from unicorn.unicorn_py3.unicorn import uclib as _uclib
except Exception as error:  # a wheel for another machine raises what it likes
    raise UnicornError(
        f"the emulator needs Unicorn, which cannot be loaded here ({error}); "
        "install the version that works: pip install unicorn==2.1.4"
    ) from error

WORKS_WITH = "2.1.4"
"""The version of Unicorn that this was written for."""

_POINTER = ctypes.c_void_p
_library: Any = ctypes.PyDLL(_uclib._name, handle=_uclib._handle)
_start, _stop = _library.uc_emu_start, _library.uc_emu_stop
_start.argtypes = _POINTER, *[ctypes.c_uint64] * 3, ctypes.c_size_t
_stop.argtypes = (_POINTER,)
_read, _write = _library.uc_reg_read_batch, _library.uc_reg_write_batch
_read.argtypes = _write.argtypes = _POINTER, _POINTER, _POINTER, ctypes.c_int

_HANDLE = ctypes.c_ubyte
Read = Callable[[int, int], int]
Write = Callable[[int, int, int, int], None]
READ = ctypes.PYFUNCTYPE(ctypes.c_uint64, _HANDLE, ctypes.c_ushort)
WRITE = ctypes.PYFUNCTYPE(None, _HANDLE, ctypes.c_ushort, ctypes.c_ubyte, ctypes.c_uint)
_TLB_FILL = ctypes.PYFUNCTYPE(
    ctypes.c_bool, _HANDLE, ctypes.c_uint, ctypes.c_ubyte, ctypes.c_size_t
)
INTERRUPT = ctypes.PYFUNCTYPE(None, _HANDLE, ctypes.c_ubyte)

_NO_END = 2  # within the vector table, where no code is
THUMB = 1
"""The bit of an address that marks Thumb instructions, here always set."""
PAGE = 0x1000
"""Memory is mapped in units of this many bytes."""

_IT_STATE = 0x0600_FC00  # in XPSR
_ENTRY_BYTES = 1024
"""That an entry of the TLB covers."""
_ENTRIES = 512
"""The V2 firmware alone uses some 60 pages all the time, and each address has a fixed place. With
256 entries they replace each other 5,800 times a second, with 512 only 350 times."""
_SCRATCH = 0x6000_0000
"""Memory that no micro:bit has, for `grow`."""
_TOUCH = struct.pack("<4H", 0x6801, 0x1880, 0x3B01, 0xD1FB)
"""ldr r1, [r0]; adds r0, r0, r2; subs r3, #1; bne to the first of them"""


class Registers:
    """Some CPU registers, read or written in one call."""

    def __init__(self, core: Core, *ids: int) -> None:
        self._handle, self._count = core.handle, len(ids)
        ids_buffer, values = (ctypes.c_int * len(ids))(*ids), (ctypes.c_uint64 * len(ids))()
        at = ctypes.addressof(values)
        pointers = (_POINTER * len(ids))(*range(at, at + 8 * len(ids), 8))
        self._kept = ids_buffer, values, pointers
        self._ids, self._pointers = ctypes.addressof(ids_buffer), ctypes.addressof(pointers)
        layout = struct.Struct(f"<{len(ids)}Q")
        self._unpack, self._pack = layout.unpack_from, layout.pack_into
        self._raw = memoryview(values).cast("B")

    def get(self) -> tuple[int, ...]:
        _read(self._handle, self._ids, self._pointers, self._count)
        return self._unpack(self._raw)

    def set(self, *values: int) -> None:
        self._pack(self._raw, 0, *values)
        _write(self._handle, self._ids, self._pointers, self._count)


class Core:
    """An ARM M-profile CPU and its memory.

    `counter[0]` is the number of instructions so far in the current run, `limit[0]` the number at
    which it stops. Raises `UnicornError` if their places in Unicorn cannot be found.
    """

    def __init__(self, model: int) -> None:
        self.uc = _new_uc(model)
        self.counter, self.limit = (_field(self.uc, offset) for offset in _private_counters())
        self.handle = _address(self.uc)
        self.calls: dict[int, tuple[Any, Any]] = {}
        """The callbacks for the registers of each page."""
        self.memories: list[tuple[int, memoryview]] = []
        """The memory that Python sees, with the addresses."""
        self._hooks: list[Any] = []

    def run(self, pc: int, instructions: int) -> int:
        """Run at most this many instructions. Returns Unicorn's error code, 0 for none.

        A run never stops inside an IT block, but after it; `counter` includes these instructions.
        """
        self.limit[0] = instructions
        code: int = _start(self.handle, pc | THUMB, _NO_END, 0, instructions)
        return code

    def stop(self) -> None:
        """End the run within an interrupt's callback; callbacks of registers set the limit."""
        _stop(self.handle)

    def hook(self, kind: int, call: Any) -> None:
        """Call an `INTERRUPT` for each exception that the CPU raises.

        It may change registers, even the PC, and the run continues from there. Python exceptions
        from it are lost.
        """
        self._hooks.append(call)
        number, everywhere = ctypes.c_size_t(), (1, 0)
        hooked = self.uc._uch, ctypes.byref(number), kind, call, None, *everywhere
        _uclib.uc_hook_add(*hooked)

    def map_registers(self, base: int, calls: tuple[Any, Any]) -> None:
        """Call a `READ` or a `WRITE` for each access to the page at `base`; replaces earlier ones.

        They are called as `read(_, offset)`, which returns a word (Unicorn uses the part that it
        needs), and `write(_, offset, size, value)`. Exceptions from them are lost.
        """
        if base in self.calls:
            self.uc.mem_unmap(base, PAGE)
        self.calls[base] = calls
        read, write = calls
        _uclib.uc_mmio_map(self.uc._uch, base, PAGE, read, None, write, None)

    def map_memory(self, base: int, size: int, protection: int) -> memoryview:
        memory = ctypes.create_string_buffer(size)
        self.uc.mem_map_ptr(base, size, protection, ctypes.addressof(memory))
        self.memories.append((base, memoryview(memory).cast("B")))
        return self.memories[-1][1]


class _Entry(ctypes.Structure):
    """`uc_tlb_entry`."""

    _fields_ = (("paddr", ctypes.c_uint64), ("perms", ctypes.c_int))


class Tlb:
    """How the CPU looks up addresses: so that stores to RAM are fast.

    Unicorn keeps every store to a page on a slow path while the page's entry in its TLB is
    executable, for the page may hold code that it has translated; and the CPU's own memory map
    calls all RAM executable. So entries are made here, where virtual addresses are the physical
    ones: RAM can be read and written until code is fetched from a page, and from then on that page
    is executable. What the firmware may do does not depend on these entries: Unicorn checks that
    against the map of memory.

    The slow path is also taken wherever a memory hook covers the RAM: hooks are given bounds.
    """

    def __init__(self, core: Core, ram: range, fail: Callable[[BaseException], object]) -> None:
        self._core, self._ram, self._fail = core, ram, fail
        self._xpsr = Registers(core, arm_const.UC_ARM_REG_XPSR)
        self._pages_of_code: set[int] = set()
        self._fills = 0
        core.uc.ctl_set_tlb_mode(unicorn.UC_TLB_VIRTUAL)
        core.hook(unicorn.UC_HOOK_TLB_FILL, _TLB_FILL(self._fill))
        core.uc.mem_map(_SCRATCH, _ENTRIES * _ENTRY_BYTES)
        core.uc.mem_write(_SCRATCH, _TOUCH)

    def grow(self) -> None:
        """Grow the TLB to `_ENTRIES`, between two runs, after memory was mapped.

        Mapping flushes it. A flush doubles it if it is full, and shrinks it if little of it is used
        and the last resize was some time ago by the computer's clock.
        """
        uc = self._core.uc
        context = uc.context_save()
        self._touch()
        while self._touch():
            uc.ctl(unicorn.UC_CTL_TLB_FLUSH, unicorn.UC_CTL_IO_WRITE)
            self._touch()
        uc.context_restore(context)

    def _touch(self) -> int:
        """Read a word from each of this many pages. Returns how many the TLB did not hold."""
        uc, before = self._core.uc, self._fills
        uc.reg_write(arm_const.UC_ARM_REG_R0, _SCRATCH)
        uc.reg_write(arm_const.UC_ARM_REG_R2, _ENTRY_BYTES)
        uc.reg_write(arm_const.UC_ARM_REG_R3, _ENTRIES)
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

        It belongs to the current instruction. The rest of the block expects 0 and does not change
        it, so the next instructions would be conditional.
        """
        (xpsr,) = self._xpsr.get()
        if xpsr & _IT_STATE:
            self._xpsr.set(xpsr & ~_IT_STATE)


def _new_uc(model: int) -> unicorn.Uc:
    uc = unicorn.Uc(unicorn.UC_ARCH_ARM, unicorn.UC_MODE_THUMB | unicorn.UC_MODE_MCLASS)
    uc.ctl_set_cpu_model(model)
    return uc


def _field(uc: unicorn.Uc, offset: int) -> memoryview:
    field = (ctypes.c_uint64 * 1).from_address(_address(uc) + offset)
    return memoryview(field).cast("B").cast("Q")


def _address(uc: unicorn.Uc) -> int:
    return int(uc._uch.value)


@cache
def _private_counters() -> tuple[int, int]:
    """The places in `struct uc_struct` of the number of executed instructions, and of the limit.

    In 2.1.4, `emu_counter` is at 1368 and `emu_count` at 1376 on x86-64.
    """
    words = 325  # of the structure, from its start
    loop = struct.pack("<4H", 0x3101, 0x3101, 0x3101, 0xE7FB)  # adds r1, #1 (three); b back
    uc = _new_uc(arm_const.UC_CPU_ARM_CORTEX_M4)
    uc.mem_map(0, 2 * PAGE)
    uc.mem_write(PAGE, loop)
    runs = 12_345, 54_321
    seen = []
    for instructions in runs:
        uc.emu_start(PAGE | THUMB, _NO_END, 0, instructions)
        seen.append(struct.unpack(f"<{words}Q", ctypes.string_at(_address(uc), 8 * words)))
    pairs = list(zip(*seen, strict=True))
    # The instruction that meets the limit has been counted, and has not run.
    counters = [8 * at for at, pair in enumerate(pairs) if pair == (runs[0] + 1, runs[1] + 1)]
    limits = [8 * at for at, pair in enumerate(pairs) if pair == runs]
    if len(counters) != 1 or len(limits) != 1:
        raise UnicornError(
            f"Unicorn {unicorn.__version__} does not count as this emulator needs it; "
            f"install the version that works: pip install unicorn=={WORKS_WITH}"
        )
    return counters[0], limits[0]
