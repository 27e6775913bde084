"""The core, `core/core.wasm`, in wasmtime: compiled once in a process, an instance per board.

A call by wasmtime's own interface takes some 100 microseconds, because it looks up the function's
type each time. Runs may be that short, so calls go through the C interface beneath it. They hold
the interpreter's lock (`PyDLL`): two threads cannot be in one instance at a time.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import cache
from pathlib import Path

from microbit_emulator.errors import EngineError

try:
    import wasmtime
    from wasmtime import _ffi as c_interface

    _library = c_interface.dll
    _call = ctypes.PyDLL(_library._name, handle=_library._handle).wasmtime_func_call_unchecked
except Exception as error:  # a wheel for another machine raises what it likes
    raise EngineError(
        f"the emulator needs wasmtime, which cannot be loaded here ({error}); "
        "install the version that works: pip install wasmtime==50.0.1"
    ) from error

CORE = Path(__file__).with_name("core") / "core.wasm"

_POINTER = ctypes.c_void_p
_call.argtypes = _POINTER, _POINTER, _POINTER, ctypes.c_size_t, _POINTER
_call.restype = _POINTER
_MAX_VALUES = 3
"""Parameters of a function of the core."""


class _Value(ctypes.Union):
    """`wasmtime_val_raw_t`, of 16 bytes."""

    _fields_ = (("i32", ctypes.c_int32), ("f64", ctypes.c_double), ("size", ctypes.c_byte * 16))


@cache
def _module() -> tuple[wasmtime.Engine, wasmtime.Module]:
    engine = wasmtime.Engine(_config())
    return engine, wasmtime.Module(engine, CORE.read_bytes())


def _config() -> wasmtime.Config:
    """With wasmtime's folder for compiled modules, if it can be used: that saves 0.1 s."""
    config = wasmtime.Config()
    try:
        config.cache = True
    except wasmtime.WasmtimeError:
        return wasmtime.Config()
    return config


class Instance:
    """One core: its memory, which never grows or moves, and its functions by name."""

    def __init__(self) -> None:
        engine, module = _module()
        self._store = wasmtime.Store(engine)
        exports = wasmtime.Instance(self._store, module, []).exports(self._store)
        memory = exports["memory"]
        assert isinstance(memory, wasmtime.Memory)
        size = memory.data_len(self._store)
        self.base = ctypes.addressof(memory.data_ptr(self._store).contents)
        self.memory = memoryview((ctypes.c_ubyte * size).from_address(self.base)).cast("B")
        self._values = (_Value * _MAX_VALUES)()
        self._trap = _POINTER()
        self._exports = exports
        self._functions: dict[str, Callable[..., int]] = {}
        self._context = ctypes.cast(self._store._context(), _POINTER).value

    def function(self, name: str) -> Callable[..., int]:
        """A function of the core: it takes integers and floats, and returns an integer."""
        if name not in self._functions:
            self._functions[name] = self._bound(name)
        return self._functions[name]

    def _bound(self, name: str) -> Callable[..., int]:
        """A function that calls the core's, whose type takes long to look up."""
        function = self._exports[name]
        assert isinstance(function, wasmtime.Func)
        fields = [str(kind) for kind in function.type(self._store).params]
        call, context, values, trap = _call, self._context, self._values, self._trap
        where = ctypes.addressof(function._func)
        at, trap_at, count = ctypes.addressof(values), ctypes.addressof(trap), max(1, len(fields))

        def run(*arguments: float) -> int:
            for nth, (field, argument) in enumerate(zip(fields, arguments, strict=True)):
                setattr(values[nth], field, argument)
            error = call(context, where, at, count, trap_at)
            if error or trap:
                raise EngineError("the core has failed; report this, with the program")
            return int(values[0].i32)

        def run_alone() -> int:
            if call(context, where, at, count, trap_at) or trap:
                raise EngineError("the core has failed; report this, with the program")
            return int(values[0].i32)

        def run_until(end: float) -> int:
            values[0].f64 = end
            if call(context, where, at, 1, trap_at) or trap:
                raise EngineError("the core has failed; report this, with the program")
            return int(values[0].i32)

        if not fields:
            return run_alone
        return run_until if fields == ["f64"] else run
