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

from noughts.errors import FirmwareError

V1, V2 = "V1", "V2"
_BOARD_IDS = {"9900": V1, "9901": V1, "9903": V2, "9904": V2, "9905": V2, "9906": V2}
_WRITTEN_ID = {V1: BoardId.V1, V2: BoardId.V2}
_END = ":00000001FF"
_OTHER_DATA = 0x0D
_MEMORY_KINDS = ("00", "02", "04")  # data, and the upper part of its address


def split(text: str, name: str) -> dict[str, intelhex.IntelHex]:
    """What a hex file holds, by board: `V1` and `V2`, or `""` for a plain hex that does not say.

    `name` is for messages. Raises `FirmwareError` for what is no hex, is damaged or cut short.
    """
    lines = [line.strip() for line in text.splitlines() if not line.isspace() and line]
    _check(lines, name)
    boards: dict[str, list[str]] = {}
    board = before = ""
    for line in lines:
        kind = line[7:9].upper()
        if kind == "0A":
            board = _BOARD_IDS.get(line[9:13], line[9:13])
            # The record before it says where the section's data begin.
            boards.setdefault(board, []).append(before)
        elif kind == "0D":
            boards.setdefault(board, []).append(_as_data(line))
        elif kind in _MEMORY_KINDS:
            boards.setdefault(board, []).append(line)
        before = line
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


def _check(lines: list[str], name: str) -> None:
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
    if not lines:
        raise no_hex(name)
    if lines[-1][7:9] != "01":
        raise FirmwareError(f"{name} is cut short, its end is missing; download it again")


def no_hex(name: str) -> FirmwareError:
    """The failure of a file that is something else."""
    return FirmwareError(f"{name} is not a hex file; take an official MicroPython .hex")


def _as_data(line: str) -> str:
    """A record of type 0D as one of type 00, whose checksum differs by as much."""
    return f"{line[:7]}00{line[9:-2]}{(int(line[-2:], 16) + _OTHER_DATA) & 0xFF:02X}"


def _memory(records: Iterable[str], name: str) -> intelhex.IntelHex:
    try:
        memory = intelhex.IntelHex(io.StringIO("\n".join([*records, _END, ""])))
    except intelhex.IntelHexError as error:
        raise FirmwareError(f"{name} is damaged ({error}); download it again") from error
    memory.start_addr = None
    return memory
