"""Unicorn, with what its Python binding lacks.

- **Time in mid-slice.** Unicorn counts the instructions of a run and stops at a limit. Both are
  private fields of its C structure; read in a callback, the counter is the exact time, and setting
  the limit to the counter stops the run cleanly before the next instruction. (`emu_stop` in a
  memory-mapped access executes the instruction again, for ever.) Where the two fields are is found
  at start, by runs of known length.
- **Speed.** Callbacks for registers go straight through ctypes, and several CPU registers are read
  or written in one call: together, half of what the binding costs.
"""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from noughts.emulator.errors import UnicornError

try:
    import unicorn as unicorn
    from unicorn import arm_const as arm_const
    from unicorn.unicorn_py3.unicorn import uclib as _uclib
except Exception as error:  # a wheel for another machine raises what it likes
    raise UnicornError(
        f"the emulator needs Unicorn, which cannot be loaded here ({error}); "
        "install it with: pip install 'unicorn>=2.1.4'"
    ) from error

_lib: Any = _uclib

WORKS_WITH = "2.1.4"
"""The version of Unicorn that this was written with."""

Read = Callable[[Any, int, int, Any], int]
Write = Callable[[Any, int, int, int, Any], None]
_READ = ctypes.CFUNCTYPE(
    ctypes.c_uint64, ctypes.c_void_p, ctypes.c_uint, ctypes.c_uint, ctypes.c_void_p
)
_WRITE = ctypes.CFUNCTYPE(
    None, ctypes.c_void_p, ctypes.c_uint, ctypes.c_uint, ctypes.c_uint, ctypes.c_void_p
)
_EMU_START = ctypes.CFUNCTYPE(
    ctypes.c_int,
    ctypes.c_void_p,
    ctypes.c_uint64,
    ctypes.c_uint64,
    ctypes.c_uint64,
    ctypes.c_size_t,
)
_emu_start = _EMU_START(ctypes.cast(_lib.uc_emu_start, ctypes.c_void_p).value or 0)

_NO_END = 0xFFFF_FFFE
_THUMB = 1
PAGE = 0x1000
"""Memory is mapped in units of this many bytes."""


class Registers:
    """Some CPU registers, read or written in one call."""

    def __init__(self, uc: unicorn.Uc, ids: Sequence[int], wide: bool = False) -> None:
        self._handle = uc._uch
        self._count = len(ids)
        self._ids = (ctypes.c_int * len(ids))(*ids)
        self._values: Any = ((ctypes.c_uint64 if wide else ctypes.c_uint32) * len(ids))()
        at, size = ctypes.addressof(self._values), 8 if wide else 4
        self._pointers = (ctypes.c_void_p * len(ids))(*(at + size * i for i in range(len(ids))))

    def get(self) -> list[int]:
        _lib.uc_reg_read_batch(self._handle, self._ids, self._pointers, self._count)
        values: list[int] = self._values[:]
        return values

    def set(self, *values: int) -> None:
        self._values[:] = values
        _lib.uc_reg_write_batch(self._handle, self._ids, self._pointers, self._count)


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
        self._handle = self.uc._uch
        self._memory: list[Any] = []
        self._callbacks: dict[int, tuple[Any, Any]] = {}

    def run(self, pc: int, instructions: int) -> int:
        """Run at most this many instructions; returns Unicorn's error code, 0 for none.

        A stop never falls inside an IT block: the run ends behind it, and `counter` says so.
        """
        self.limit[0] = instructions
        code: int = _emu_start(self._handle, pc | _THUMB, _NO_END, 0, instructions)
        return code

    def registers(self, *ids: int, wide: bool = False) -> Registers:
        return Registers(self.uc, ids, wide)

    def map_registers(self, base: int, read: Read, write: Write) -> None:
        """Let each access to the page at `base` call a function; replaces earlier ones.

        They are called as `read(_, offset, size, _)` and `write(_, offset, size, value, _)`. An
        exception that leaves them is lost.
        """
        if base in self._callbacks:
            self.uc.mem_unmap(base, PAGE)
        calls = self._callbacks[base] = _READ(read), _WRITE(write)
        code = _lib.uc_mmio_map(
            self._handle,
            ctypes.c_uint64(base),
            ctypes.c_size_t(PAGE),
            calls[0],
            None,
            calls[1],
            None,
        )
        if code:
            raise UnicornError(f"Unicorn refuses registers at {base:#x} ({unicorn.UcError(code)})")

    def map_memory(self, base: int, size: int, protection: int) -> memoryview:
        """Map memory that Python reads and writes directly."""
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
    uc.mem_map(0, PAGE)
    uc.mem_write(0, loop)
    runs = 12_345, 54_321
    seen = []
    for instructions in runs:
        uc.emu_start(_THUMB, _NO_END, 0, instructions)
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
