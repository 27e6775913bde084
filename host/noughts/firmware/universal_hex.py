"""Universal Hex: one file with the flash of several kinds of micro:bit, and plain Intel Hex.

A Universal Hex has a section for each kind of board:

    :02000004....      the upper half of the first address
    :0400000A9900C0DE  the section begins, for board 9900 (V1) or 9903 (V2)
    ...                data: in records of type 00 for V1, of type 0D for V2
    ...                type 0C pads, so that the next section begins at a multiple of 512 bytes
    :0000000B          the section ends (it may pad too)

and one record of type 01 at the end of the file. An interface chip that does not know the format
sees a hex for V1. Source: Universal Hex specification, Micro:bit Educational Foundation.

universal-hex writes it. What it takes apart it does not check: neither checksums nor the end, and
what is damaged may raise anything. So reading is done here.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Mapping

import intelhex
from universal_hex import BoardId, IndividualHex, create_uhex

from noughts.board_ids import BOARD_IDS, V1, V2
from noughts.errors import FirmwareError

_WRITTEN_ID = {V1: BoardId.V1, V2: BoardId.V2}
_END = ":00000001FF"
_DATA, _SEGMENT, _UPPER_HALF, _BOARD, _OTHER_DATA = 0x00, 0x02, 0x04, 0x0A, 0x0D


def split(text: str, name: str) -> dict[str, intelhex.IntelHex]:
    """What a hex file holds, by board: `V1` and `V2`, or `""` for a plain hex that does not say.

    `name` is for messages. Raises `FirmwareError` for what is no hex, is damaged or cut short.
    """
    boards: dict[str, list[bytes]] = {}
    board, before = "", b""
    for record in _records(text, name):
        if record[3] == _BOARD:
            identity = record[4:6].hex()
            board = BOARD_IDS.get(identity, identity)
            # The record before it says where the section's data begin.
            boards.setdefault(board, []).append(before)
        elif record[3] in (_DATA, _SEGMENT, _UPPER_HALF, _OTHER_DATA):
            boards.setdefault(board, []).append(record)
        before = record
    if len(boards) > 1:
        boards.pop("", None)  # the address record before the first section
    return {board: _memory(records, name) for board, records in boards.items()}


def join(memories: Mapping[str, intelhex.IntelHex]) -> str:
    """One Universal Hex, its lines ended by LF, from the memory of each board."""
    hexes = [IndividualHex(_text(memory), _WRITTEN_ID[board]) for board, memory in memories.items()]
    text: str = create_uhex(hexes)
    return text


def _text(memory: intelhex.IntelHex) -> str:
    text = io.StringIO()
    memory.write_hex_file(text)
    return text.getvalue()


def _records(text: str, name: str) -> list[bytes]:
    """The records of a hex, all of them checked, and the end too."""
    lines = [line.strip() for line in text.splitlines() if not line.isspace() and line]
    records = []
    for number, line in enumerate(lines, 1):
        try:
            if line[0] != ":":
                raise ValueError
            record = bytes.fromhex(line[1:])
        except ValueError:
            if number == 1:
                raise no_hex(name) from None
            raise FirmwareError(f"{name} is damaged in line {number}; download it again") from None
        if len(record) < 5 or len(record) != record[0] + 5 or sum(record) & 0xFF:
            raise FirmwareError(
                f"{name} is damaged in line {number} (length or checksum); download it again"
            )
        records.append(record)
    if not records:
        raise no_hex(name)
    if records[-1][3] != 1:
        raise FirmwareError(f"{name} is cut short (its end is missing); download it again")
    return records


def no_hex(name: str) -> FirmwareError:
    """The error for a file that is not a hex file."""
    return FirmwareError(f"{name} is not a hex file; use an official MicroPython .hex")


def _memory(records: Iterable[bytes], name: str) -> intelhex.IntelHex:
    """What these records say; intelhex itself reads each byte of a text apart, and slower."""
    memory = intelhex.IntelHex()
    base = size = start = 0
    run = bytearray()
    for record in records:
        if record[3] in (_DATA, _OTHER_DATA):
            address = base + (record[1] << 8 | record[2])
            if address != start + len(run):
                memory.frombytes(run, start)
                start, run = address, bytearray()
            run += record[4:-1]
            size += record[0]
        elif record[:3] != b"\2\0\0":
            raise FirmwareError(f"{name} is damaged (a wrong address); download it again")
        else:
            base = (record[4] << 8 | record[5]) << (4 if record[3] == _SEGMENT else 16)
    memory.frombytes(run, start)
    if len(memory) != size:
        raise FirmwareError(f"{name} is damaged (its data overlap); download it again")
    return memory
