"""Unicorn, with what its Python binding lacks.

- **Time in mid-slice.** Unicorn counts the instructions of a run and stops at a limit. Both are
  private fields of its C structure; read in a callback, the counter is the exact time, and setting
  the limit to the counter stops the run cleanly before the next instruction. (`emu_stop` in a
  memory-mapped access executes the instruction again, for ever.) Where the two fields are is found
  at start, by runs of known length.
- **Speed.** Callbacks go straight through ctypes, and several CPU registers are read or written in
  one call. Calls keep the interpreter's lock (`PYFUNCTYPE`), which giving up and taking back in
  each callback would cost more than the callback. Other threads still have their turn: Python gives
  the lock up within callbacks, and a run is short.

Callbacks name only the arguments that they use, as narrow as their values. (The engine's handle as
one byte is a small int that exists already; as a pointer, it would be a new one each time.) That is
right on all 64-bit ABIs: in those of System V, AAPCS64 (Apple's too) and Windows, the first four
integer arguments come in a register each, of which the low bits are taken, and the caller clears
the stack of those that nobody looks at.
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

_lib: Any = _uclib

WORKS_WITH = "2.1.4"
"""The version of Unicorn that this was written with."""

_HANDLE = ctypes.c_ubyte
_POINTER = ctypes.c_void_p
Read = Callable[[int, int], int]
Write = Callable[[int, int, int, int], None]
Interrupt = Callable[[int, int], None]
_READ = ctypes.PYFUNCTYPE(ctypes.c_uint64, _HANDLE, ctypes.c_ushort)
_WRITE = ctypes.PYFUNCTYPE(None, _HANDLE, ctypes.c_ushort, ctypes.c_ubyte, ctypes.c_uint)
TlbFill = Callable[[int, int, int, int], bool]
_TLB_FILL = ctypes.PYFUNCTYPE(
    ctypes.c_bool, _HANDLE, ctypes.c_uint, ctypes.c_ubyte, ctypes.c_size_t
)
_INTERRUPT = ctypes.PYFUNCTYPE(None, _HANDLE, ctypes.c_ubyte)


def _function(of_library: Any, *arguments: Any) -> Callable[..., int]:
    """A function of Unicorn's library, called without giving up the interpreter's lock."""
    function = ctypes.PYFUNCTYPE(ctypes.c_int, *arguments)
    return function(_address_of(of_library))


def _address_of(function: Any) -> int:
    return ctypes.cast(function, _POINTER).value or 0


_emu_start = _function(
    _lib.uc_emu_start,
    *(_POINTER, ctypes.c_uint64, ctypes.c_uint64, ctypes.c_uint64, ctypes.c_size_t),
)
_emu_stop = _function(_lib.uc_emu_stop, _POINTER)
_BATCH = _POINTER, _POINTER, _POINTER, ctypes.c_int
_read_batch = _function(_lib.uc_reg_read_batch, *_BATCH)
_write_batch = _function(_lib.uc_reg_write_batch, *_BATCH)
_mmio_map = _function(
    _lib.uc_mmio_map,
    *(_POINTER, ctypes.c_uint64, ctypes.c_size_t, _POINTER, _POINTER, _POINTER, _POINTER),
)
_hook_add = _function(
    _lib.uc_hook_add,
    *(_POINTER, _POINTER, ctypes.c_int, _POINTER, _POINTER, ctypes.c_uint64, ctypes.c_uint64),
)

_NO_END = 2  # within the vector table, where no code is
THUMB = 1
"""The bit of an address that says which instructions are there: always these."""
PAGE = 0x1000
"""Memory is mapped in units of this many bytes."""


class Registers:
    """Some CPU registers, read or written in one call; wide ones have 64 bits, others 32."""

    def __init__(self, handle: int, ids: tuple[int, ...], wide: bool) -> None:
        self._handle, self._count = handle, len(ids)
        size = 8 if wide else 4
        ids_buffer = (ctypes.c_int * len(ids))(*ids)
        values = ctypes.create_string_buffer(size * len(ids))
        at = ctypes.addressof(values)
        pointers = (_POINTER * len(ids))(*range(at, at + size * len(ids), size))
        self._kept = ids_buffer, values, pointers
        self._ids, self._pointers = ctypes.addressof(ids_buffer), ctypes.addressof(pointers)
        self._raw = memoryview(values).cast("B")
        layout = struct.Struct(f"<{len(ids)}{'Q' if wide else 'I'}")
        self._unpack, self._pack = layout.unpack_from, layout.pack_into

    def get(self) -> tuple[int, ...]:
        _read_batch(self._handle, self._ids, self._pointers, self._count)
        return self._unpack(self._raw)

    def set(self, *values: int) -> None:
        self._pack(self._raw, 0, *values)
        _write_batch(self._handle, self._ids, self._pointers, self._count)

    def save(self) -> bytes:
        _read_batch(self._handle, self._ids, self._pointers, self._count)
        return bytes(self._raw)

    def restore(self, saved: bytes) -> None:
        self._raw[:] = saved
        _write_batch(self._handle, self._ids, self._pointers, self._count)


class Core:
    """An ARM M-profile CPU and its memory.

    `counter[0]` is the number of instructions of the present run up to now, `limit[0]` the number
    at which it stops. Raises `UnicornError` where Unicorn keeps them somewhere unknown.
    """

    def __init__(self, model: int) -> None:
        self.uc = _new_uc(model)
        counter, limit = _private_counters()
        self.counter = _field(self.uc, counter)
        self.limit = _field(self.uc, limit)
        self._handle = _address(self.uc)
        self._memory: list[Any] = []
        self.calls: dict[int, tuple[Any, Any]] = {}
        """What is called for the registers of each page, for `set_calls`."""
        self._hooks: list[Any] = []

    def run(self, pc: int, instructions: int) -> int:
        """Run at most this many instructions; returns Unicorn's error code, 0 for none.

        A stop never falls inside an IT block: the run ends behind it, and `counter` says so.
        """
        self.limit[0] = instructions
        return _emu_start(self._handle, pc | THUMB, _NO_END, 0, instructions)

    def stop(self) -> None:
        """End the run from within an interrupt's callback; registers' callbacks set the limit."""
        _emu_stop(self._handle)

    def registers(self, *ids: int, wide: bool = False) -> Registers:
        return Registers(self._handle, ids, wide)

    def on_interrupt(self, action: Interrupt) -> None:
        """Call `action(_, number)` for each exception that the CPU raises.

        A Python exception that leaves it is lost. It may change registers, the PC too, and the run
        goes on from there.
        """
        self._hook(unicorn.UC_HOOK_INTR, _INTERRUPT(action))

    def on_tlb_fill(self, fill: TlbFill) -> None:
        """Call `fill(_, address, kind, entry)` for each page that the TLB does not hold."""
        self._hook(unicorn.UC_HOOK_TLB_FILL, _TLB_FILL(fill))

    def _hook(self, kind: int, call: Any) -> None:
        self._hooks.append(call)
        number = ctypes.c_size_t()
        everywhere = 1, 0
        code = _hook_add(
            self._handle, ctypes.addressof(number), kind, _address_of(call), None, *everywhere
        )
        if code:
            raise UnicornError(f"Unicorn refuses a callback ({unicorn.UcError(code)})")

    def map_registers(self, base: int, read: Read, write: Write) -> None:
        """Let each access to the page at `base` call a function; replaces earlier ones.

        They are called as `read(_, offset)`, which gives a word (Unicorn takes of it what was asked
        for), and `write(_, offset, size, value)`. An exception that leaves them is lost.
        """
        self._map_calls(base, (_READ(read), _WRITE(write)))

    def set_calls(self, calls: dict[int, tuple[Any, Any]]) -> None:
        """Let the pages of registers call what they called when these were in `calls`."""
        for base in self.calls.keys() - calls.keys():
            self.uc.mem_unmap(base, PAGE)
            del self.calls[base]
        for base, both in calls.items():
            if self.calls.get(base) is not both:
                self._map_calls(base, both)

    def _map_calls(self, base: int, calls: tuple[Any, Any]) -> None:
        if base in self.calls:
            self.uc.mem_unmap(base, PAGE)
        self.calls[base] = calls
        read_at, write_at = map(_address_of, calls)
        code = _mmio_map(self._handle, base, PAGE, read_at, None, write_at, None)
        if code:
            raise UnicornError(f"Unicorn refuses registers at {base:#x} ({unicorn.UcError(code)})")

    def map_memory(self, base: int, size: int, protection: int) -> memoryview:
        memory = ctypes.create_string_buffer(size)
        self._memory.append(memory)
        self.uc.mem_map_ptr(base, size, protection, ctypes.addressof(memory))
        return memoryview(memory).cast("B")


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
    """Where `struct uc_struct` keeps the number of instructions run, and the limit.

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
