r"""A micro:bit in process: the official firmware of both boards, in exact device time.

    from microbit_emulator import Microbit

    board = Microbit("V2", "MICROBIT.hex")
    board.run_until(lambda: b">>> " in board.uart.received, timeout_us=3_000_000)
    board.uart.send(b"1 + 1\r")
    board.run_for(50_000)
    print(board.uart.receive().decode())

Unicorn executes the ARM instructions; the chip's peripherals are modelled here, in Python.
README.md says what is modelled, and how exact it is.
"""

from microbit_emulator.errors import (
    CpuFaultError,
    EmulatorError,
    FirmwareStoppedError,
    HexError,
    PowerOffError,
    UnicornError,
    UnmodelledError,
)
from microbit_emulator.ether import Ether
from microbit_emulator.microbit import Board, Button, Microbit
from microbit_emulator.pacing import Pace, RealTime
from microbit_emulator.snapshot import Snapshot

__all__ = [
    "Board",
    "Button",
    "CpuFaultError",
    "EmulatorError",
    "Ether",
    "FirmwareStoppedError",
    "HexError",
    "Microbit",
    "Pace",
    "PowerOffError",
    "RealTime",
    "Snapshot",
    "UnicornError",
    "UnmodelledError",
]
