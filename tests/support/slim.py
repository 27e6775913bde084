"""The official firmwares, reduced to the data that describes them, and our files.

They are read and written many times as fast as whole ones.
"""

from collections.abc import Mapping
from dataclasses import replace
from functools import cache

from microbit_emulator.firmware import bytes_at, joined
from noughts.boards.firmware import Firmware, firmware_for_boards
from noughts.boards.packing import files_for_boards
from noughts.boards.universal_hex import universal_hex

V2_TABLE = 0x67FC0
SAYS = {"V1": range(0x100010C0, 0x100010DC), "V2": range(V2_TABLE, V2_TABLE + 64)}
"""Where a firmware stores its own version and layout."""


def slim_hex(files: Mapping[str, bytes]) -> str:
    """A Universal Hex of slim firmwares, each with these files."""
    return universal_hex({name: slim(name).with_files(files) for name in SAYS})


@cache
def slim(board: str) -> Firmware:
    """The slim firmware for a board."""
    firmware = firmware_for_boards()[board].with_files(files_for_boards())
    version = firmware.flash.index(f"micro:bit v{firmware.release}".encode())
    memory: dict[int, bytes] = {}
    for part in (range(version, version + 256), SAYS[board], firmware.layout):
        memory |= {part.start: bytes_at(firmware.memory, part)}
    return replace(firmware, memory=joined(memory.items(), board))
