"""The official firmwares that boards have, and starting stepped boards with them."""

from collections.abc import Callable, Mapping
from functools import cache

import uflash

from microbit_emulator import Microbit
from noughts.boards.firmware import Firmware, bundled_for, read_firmware
from noughts.virtual.program import program

Start = Callable[..., Microbit]
"""Starts a stepped board with files, by default the game."""

NEWEST = "V1 1.1.1", "V2 2.1.2"
"""The firmwares that we ship."""


def firmwares() -> list[str]:
    """The firmwares that boards have: ours, and those that uflash and older editors carry."""
    return ["V1 1.1.1", "V1 1.0.1", "V2 2.1.2", "V2 2.0.0-beta.5"]


@cache
def stepped(name: str) -> Start:
    """A function that starts boards with a firmware of that name, such as `V1 1.1.1`."""

    def start(files: Mapping[str, bytes] | None = None, seed: int = 0) -> Microbit:
        return program(files=files, firmware=_firmware(name)).microbit(seed)

    return start


def printed(name: str, files: Mapping[str, bytes]) -> str:
    """What a program prints on a firmware of that name, until it ends.

    Raises `RuntimeError` if it ends with a fault, or runs for ten minutes of device time.
    """
    board = stepped(name)(files)
    received = board.uart.received
    ended = board.run_until(lambda: received.endswith(b">>> "), 600e6, step_us=20_000)
    text, _, _ = received.lstrip(b"\0").partition(b"MicroPython v")
    if not ended or b"Traceback" in text:
        raise RuntimeError(f"the program on {name} failed: {text[-400:].decode()}")
    return text.decode()


@cache
def _firmware(name: str) -> Firmware:
    board, release = name.split()
    official = bundled_for(board)
    return official if official.release == release else _older()[board]


@cache
def _older() -> Mapping[str, Firmware]:
    return read_firmware(uflash._RUNTIME, "uflash")
