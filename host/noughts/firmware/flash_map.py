"""Where a MicroPython firmware's file system lies in flash, as the firmware itself tells it.

V1 tells it in the UICR, V2 in a layout table at the end of a page of its code. (MicroPython for
micro:bit, developer guide, "Hex file format".) All numbers are little-endian.
"""

from __future__ import annotations

import struct

import intelhex

from noughts.firmware.filesystem import CHUNK, Layout
from noughts.firmware.universal_hex import V1, V2

FLASH_END = {V1: 0x40000, V2: 0x80000}

# Magic value, end marker, log2 of the page size, first page, pages used by MicroPython.
_UICR = struct.Struct("<IIIHH")
_UICR_ADDRESS = 0x100010C0
_UICR_MAGIC = 0x17EEB07C
_MAX_CHUNKS = 240  # V1's numbers of chunks are bytes, some of which mean something else

# Magic value, version, length of the table, regions in it, log2 of the page size, magic value.
_TABLE_HEAD = struct.Struct("<IHHHHI")
_TABLE_MAGIC = 0x597F30FE, 0xC1B1D79D
_TABLE_PAGE = 4096
# Region, type of hash, first page, length in bytes; the hash.
_REGION = struct.Struct("<BBHI8x")
_FILE_SYSTEM_REGION = 3

# As uflash 2.0.0 has them, for a firmware that tells nothing.
USUAL = {V1: Layout(0x38C00, 0x3F800), V2: Layout(0x6D000, 0x72000)}


def board_of(memory: intelhex.IntelHex) -> str | None:
    """`V1` or `V2` by what the firmware tells of itself, else None."""
    if _uicr(memory):
        return V1
    return V2 if _table(memory) else None


def layout(memory: intelhex.IntelHex, board: str) -> Layout:
    """Where the file system is, without the spare page behind it."""
    found = _uicr(memory) if board == V1 else _table(memory)
    return found or USUAL[board]


def _uicr(memory: intelhex.IntelHex) -> Layout | None:
    magic, _, page_log2, first, used = _UICR.unpack(_bytes(memory, _UICR_ADDRESS, _UICR.size))
    if magic != _UICR_MAGIC or not 8 <= page_log2 <= 14:
        return None
    page = 1 << page_log2
    # The last page is the compass's calibration; the spare page is before it.
    spare = FLASH_END[V1] - 2 * page
    lowest = -(-(spare - _MAX_CHUNKS * CHUNK) // page) * page
    return _checked(max((first + used) * page, lowest), spare)


def _table(memory: intelhex.IntelHex) -> Layout | None:
    for end in range(_TABLE_PAGE, FLASH_END[V2] + 1, _TABLE_PAGE):
        head = end - _TABLE_HEAD.size
        magic1, _, _, regions, page_log2, magic2 = _TABLE_HEAD.unpack(
            _bytes(memory, head, _TABLE_HEAD.size)
        )
        if (magic1, magic2) != _TABLE_MAGIC or not 8 <= page_log2 <= 14:
            continue
        for number in range(1, regions + 1):
            row = _bytes(memory, head - number * _REGION.size, _REGION.size)
            region, _, first, length = _REGION.unpack(row)
            if region == _FILE_SYSTEM_REGION:
                page = 1 << page_log2
                start = first * page
                return _checked(start, start + length - page)
    return None


def _bytes(memory: intelhex.IntelHex, address: int, size: int) -> bytes:
    """Some bytes of flash, 0xFF where nothing is."""
    found: bytes = memory.tobinstr(max(address, 0), max(address, 0) + size - 1)
    return found


def _checked(start: int, end: int) -> Layout | None:
    return Layout(start, end) if 0 < start < end < FLASH_END[V2] else None
