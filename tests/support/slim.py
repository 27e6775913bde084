"""The official firmwares, reduced to the data that describes them, and our files.

They are read and written many times as fast as whole ones.
"""

from collections.abc import Mapping
from dataclasses import replace
from functools import cache

import intelhex

from noughts.boards.firmware import Firmware, firmware_for_boards, universal_hex
from noughts.boards.packing import files_for_boards

V2_TABLE = 0x67FC0
SAYS = {"V1": range(0x100010C0, 0x100010DC), "V2": range(V2_TABLE, V2_TABLE + 64)}
"""Where a firmware stores its own version and layout."""


def slim_hex(files: Mapping[str, bytes]) -> str:
    """A Universal Hex of slim firmwares, each with these files."""
    return universal_hex({name: slim(name).with_files(files) for name in SAYS})


@cache
def slim(board: str) -> Firmware:
    """The slim firmware for a board."""
    firmware = firmware_for_boards()[board]
    memory = firmware.with_files(files_for_boards()).memory
    version = memory.tobinstr(0, 0x7FFFF).index(f"micro:bit v{firmware.release}".encode())
    memory_left = intelhex.IntelHex()
    for part in (range(version, version + 256), SAYS[board], firmware.layout):
        memory_left.puts(part.start, memory.tobinstr(part.start, part.stop - 1))
    return replace(firmware, memory=memory_left)
