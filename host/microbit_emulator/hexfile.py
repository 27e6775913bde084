"""Reading firmware: a Universal Hex or a plain Intel Hex, or memory as other programs hold it.

A Universal Hex has a section for each kind of micro:bit. A section begins with a record of type 0A
that names the board; its data are in records of type 00 for V1 and of type 0D for V2; types 0B and
0C end and pad it. Source: Universal Hex specification, Micro:bit Educational Foundation.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Protocol, runtime_checkable

from microbit_emulator.errors import HexError

V1, V2 = "V1", "V2"
_BOARDS = {0x9900: V1, 0x9901: V1, 0x9903: V2, 0x9904: V2, 0x9905: V2, 0x9906: V2}
_DATA, _END, _SEGMENT, _START_SEGMENT, _LINEAR, _START_LINEAR = range(6)
_SECTION, _SECTION_END, _PADDING, _OTHER_DATA = 0x0A, 0x0B, 0x0C, 0x0D

Chunks = dict[int, bytes]
"""Memory: what is at an address."""


@runtime_checkable
class HasDict(Protocol):
    """Memory as intelhex's `IntelHex` holds it."""

    def todict(self) -> Mapping[int, int]:
        """Each byte by its address; keys that are not integers are ignored."""


Firmware = str | bytes | os.PathLike[str] | Mapping[int, int] | HasDict


def load(firmware: Firmware, board: str) -> Chunks:
    """The memory that a firmware sets on a board, by address.

    A firmware is the path of a hex file, or its text, or a mapping of addresses to bytes. Raises
    `HexError`.
    """
    if isinstance(firmware, HasDict) and not isinstance(firmware, Mapping):
        firmware = firmware.todict()
    if isinstance(firmware, Mapping):
        return _runs(firmware)
    name = "the hex"
    if isinstance(firmware, os.PathLike) or (
        isinstance(firmware, str) and not firmware.lstrip().startswith(":")
    ):
        name = os.fspath(firmware)
        try:
            firmware = Path(name).read_bytes()
        except OSError as error:
            raise HexError(f"cannot read {name} ({error.strerror}); check the name") from error
    if isinstance(firmware, str):
        firmware = firmware.encode("ascii", "replace")
    return _parse(firmware, board, name)


def _parse(text: bytes, board: str, name: str) -> Chunks:
    chunks: Chunks = {}
    upper = 0
    section: str | None = None
    for number, line in enumerate(text.split(), 1):
        try:
            if line[:1] != b":":
                raise ValueError
            record = bytes.fromhex(line[1:].decode("ascii"))
        except ValueError:
            if number == 1:
                raise HexError(f"{name} is not a hex file; use a micro:bit's .hex") from None
            raise HexError(f"{name} is damaged in line {number}; download it again") from None
        if len(record) < 5 or len(record) != record[0] + 5 or sum(record) & 0xFF:
            raise HexError(f"{name} is damaged in line {number}; download it again")
        kind = record[3]
        if kind in (_DATA, _OTHER_DATA):
            if section in (None, board):
                chunks[upper + (record[1] << 8 | record[2])] = record[4:-1]
        elif kind == _LINEAR:
            upper = int.from_bytes(record[4:6], "big") << 16
        elif kind == _SEGMENT:
            upper = int.from_bytes(record[4:6], "big") << 4
        elif kind == _SECTION:
            section = _BOARDS.get(int.from_bytes(record[4:6], "big"), "")
        elif kind == _END:
            break
    else:
        raise HexError(f"{name} is cut short; download it again")
    if not chunks:
        raise HexError(f"{name} has no firmware for the micro:bit {board}; use one that has it")
    return _join(chunks)


def _join(chunks: Chunks) -> Chunks:
    """Chunks that touch become one."""
    joined: dict[int, bytearray] = {}
    start = end = -1
    for at, data in sorted(chunks.items()):
        if at != end:
            start = end = at
            joined[start] = bytearray()
        joined[start] += data
        end += len(data)
    return {at: bytes(data) for at, data in joined.items()}


def _runs(memory: Mapping[int, int]) -> Chunks:
    """Bytes by address, as chunks; other keys, such as intelhex's `start_addr`, are left out."""
    addresses = sorted(at for at in memory if isinstance(at, int))
    data = bytes(map(memory.__getitem__, addresses))
    pairs = itertools.pairwise(addresses)
    cuts = [at for at, (before, here) in enumerate(pairs, 1) if here != before + 1]
    starts, ends = [0, *cuts], [*cuts, len(addresses)]
    return {addresses[start]: data[start:end] for start, end in zip(starts, ends, strict=True)}
