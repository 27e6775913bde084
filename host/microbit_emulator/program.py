"""A micro:bit with a MicroPython program."""

import os
import pickle
import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from microbit_emulator import __version__
from microbit_emulator.errors import ProgramError
from microbit_emulator.firmware import V2, Image, micropython
from microbit_emulator.microbit import Microbit

Program = str | os.PathLike[str] | Mapping[str, str | bytes]
"""The path of a Python file, a folder or a hex file; or the contents of files by name."""

_NOT_PROGRAM = re.compile(r"\.|test_.*\.py$|conftest\.py$")
_BEFORE_PRINT_US = 2_000
"""MicroPython's time to read a short program, and to print a letter."""


def start(
    board: str = V2,
    program: Program = "main.py",
    *,
    hex: str | os.PathLike[str] | None = None,
    seed: int = 0,
    clock_error: float = 0.0,
    cache: Path | None = None,
) -> Microbit:
    """A micro:bit whose program is about to begin.

    A program is a Python file, which becomes `main.py`; a folder, with all files directly in it,
    except hidden ones and tests (`test_*.py`, `conftest.py`); a mapping of names to contents; or a
    hex file, which starts at power-on. All but the last run on the official MicroPython, or on the
    one in `hex`. `cache` is a folder for the official one after its first start, which saves most
    of a second.

    Raises `HexError`, `ProgramError`, `EngineError`.
    """
    if not isinstance(program, Mapping) and os.fspath(program).lower().endswith(".hex"):
        return Microbit(board, os.fspath(program), seed=seed, clock_error=clock_error)
    plain, begins_us = _started(board, None if hex is None else os.fspath(hex), cache)
    microbit = _reset(board, plain.with_files(_files(program)), seed, clock_error)
    microbit.run_for(begins_us)
    microbit.uart.receive()  # V1 sends a zero byte when it starts
    microbit.uart.recent = b""
    return microbit


@lru_cache
def _started(board: str, hex: str | None, cache: Path | None) -> tuple[Image, int]:
    """MicroPython after its first start, which may set UICR, and the time to start a program."""
    snapshot = None
    if cache and hex is None:
        with suppress(PackageNotFoundError):
            official = version("micropython-microbit-fs")
            snapshot = cache / f"{board}-{__version__}-{official}.pickle"
    if snapshot and snapshot.exists():
        snapshot_parts: tuple[Image, int] = pickle.loads(snapshot.read_bytes())
        return snapshot_parts
    plain = micropython(board, hex)
    flash = plain.with_files({"main.py": b"print('.')"}).flash
    first = Microbit(board, flash=flash, uicr=plain.uicr)
    first.expect(".")
    plain = replace(plain, uicr=first.uicr)
    microbit = _reset(board, replace(plain, flash=flash))
    microbit.run_until(lambda: b"." in microbit.uart.received, step_us=100)
    result = plain, microbit.clock_us - _BEFORE_PRINT_US
    if snapshot:  # whole at any time: other processes may be reading it
        written = snapshot.with_suffix(f".{os.getpid()}")
        written.write_bytes(pickle.dumps(result))
        written.replace(snapshot)
    return result


def _reset(board: str, memory: Image, seed: int = 0, clock_error: float = 0.0) -> Microbit:
    """A micro:bit after a reset, which spares a V2 the second of waiting after a power-on."""
    microbit = Microbit(
        board, flash=memory.flash, uicr=memory.uicr, seed=seed, clock_error=clock_error
    )
    microbit.reset()
    return microbit


def _files(program: Program) -> dict[str, bytes]:
    if isinstance(program, Mapping):
        return {
            name: content.encode() if isinstance(content, str) else content
            for name, content in program.items()
        }
    path = Path(program)
    try:
        if not path.is_dir():
            return {"main.py": path.read_bytes()}
        files = [file for file in sorted(path.iterdir()) if file.is_file()]
        found = {e.name: e.read_bytes() for e in files if not _NOT_PROGRAM.match(e.name)}
    except OSError as error:
        raise ProgramError(f"cannot read {path} ({error.strerror}); check the name") from error
    if "main.py" not in found:
        raise ProgramError(f"{path} has no main.py; name another folder, or a file")
    return found
