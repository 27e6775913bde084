r"""A micro:bit in process: the official firmware of both boards, in exact device time.

    from microbit_emulator import start

    board = start("V2", program="main.py")
    board.press("A")
    print(board.expect("done", timeout_ms=500))

The chips are one core, in C, which runs as WebAssembly, here in wasmtime and in browsers.
README.md says what is modelled, and how exact it is.
"""

import importlib
from typing import TYPE_CHECKING

__version__ = "1.1.0"

from microbit_emulator.errors import CpuFaultError as CpuFaultError
from microbit_emulator.errors import EmulatorError as EmulatorError
from microbit_emulator.errors import EngineError as EngineError
from microbit_emulator.errors import ExpectationError as ExpectationError
from microbit_emulator.errors import FirmwareStoppedError as FirmwareStoppedError
from microbit_emulator.errors import HexError as HexError
from microbit_emulator.errors import PowerOffError as PowerOffError
from microbit_emulator.errors import ProgramError as ProgramError
from microbit_emulator.errors import UnmodelledError as UnmodelledError
from microbit_emulator.pictures import leds_as_text as leds_as_text

if TYPE_CHECKING:
    from microbit_emulator.ether import Ether as Ether
    from microbit_emulator.microbit import Board as Board
    from microbit_emulator.microbit import Button as Button
    from microbit_emulator.microbit import Microbit as Microbit
    from microbit_emulator.microbit import run_in_real_time as run_in_real_time
    from microbit_emulator.program import start as start
    from microbit_emulator.snapshot import Snapshot as Snapshot

_HOMES = dict.fromkeys(
    ("Board", "Button", "Microbit", "Snapshot", "run_in_real_time"), "microbit"
) | {"Ether": "ether", "start": "program"}


def __getattr__(name: str) -> object:
    """Import a name at its first use, because wasmtime takes a tenth of a second to load."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)
