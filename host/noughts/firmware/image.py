"""A micro:bit V1's firmware, taken out of an official hex file, with our files behind it.

A Universal Hex holds one block of records for each kind of board: record type 0A begins a block and
names the board (9900 V1, 9903 V2), 0B ends one, 0C pads; V1's data stands in records of type 00,
V2's in type 0D. (Universal Hex specification, Micro:bit Educational Foundation.)
"""

from __future__ import annotations

import io
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import intelhex

from noughts.errors import FirmwareError
from noughts.firmware.filesystem import CHUNK, Layout, pack

PAGE = 1024
SCRATCH_PAGE = 0x3F800
"""The file system's spare page on V1; a page after it, the compass keeps its calibration."""
SCRATCH_MARKER = 0xFD
MAX_CHUNKS = 240
UICR = 0x10001000
FLASH_END = 0x40000

_V1, _V2 = "9900", "9903"
_VERSION = re.compile(rb"micro:bit v([^ ;+]+)[^;]{0,80}; MicroPython v([0-9.]+)")


@dataclass(frozen=True, eq=False)
class Firmware:
    """MicroPython for the micro:bit V1, as it stands in flash."""

    memory: intelhex.IntelHex
    release: str
    """The firmware's own version, such as `1.0.1`."""
    micropython: str
    """Its MicroPython's version, such as `1.9.2`."""

    @property
    def layout(self) -> Layout:
        """Where its file system is: from the first page after the code to the scratch page."""
        code_end = max(end for _, end in self.memory.segments() if end <= FLASH_END)
        start = -(-code_end // PAGE) * PAGE
        return Layout(max(start, SCRATCH_PAGE - MAX_CHUNKS * CHUNK), SCRATCH_PAGE)

    def with_files(self, files: Mapping[str, bytes]) -> intelhex.IntelHex:
        """The image to load: this firmware, and a file system that holds the files."""
        image = intelhex.IntelHex(self.memory)
        image.puts(self.layout.start, pack(files, self.layout))
        image[SCRATCH_PAGE] = SCRATCH_MARKER
        return image

    def __str__(self) -> str:
        return f"micro:bit V1, MicroPython {self.micropython} (firmware {self.release})"


@cache
def bundled() -> Firmware:
    """The firmware that uflash carries."""
    import uflash

    return read(uflash._RUNTIME, "the firmware in uflash")


def load(path: Path) -> Firmware:
    """The V1 firmware in a file: a Universal Hex, or a plain hex for V1.

    Raises `FirmwareError` in one line when there is none.
    """
    try:
        text = path.read_text("ascii")
    except OSError as error:
        raise FirmwareError(f"cannot read {path} ({error.strerror}); check the name") from error
    except UnicodeDecodeError as error:
        raise _no_hex(str(path)) from error
    return read(text, str(path))


def read(text: str, name: str) -> Firmware:
    """The V1 firmware in the text of a hex file; `name` is for messages."""
    lines = [line.strip() for line in text.splitlines()]
    _check_records(lines, name)
    records = _v1_records(lines, name)
    try:
        memory = intelhex.IntelHex(io.StringIO("\n".join(records) + "\n"))
    except intelhex.IntelHexError as error:
        raise FirmwareError(f"{name} is damaged ({error}); download it again") from error
    memory.start_addr = None
    addresses = [start for start, _ in memory.segments()]
    if not any(UICR <= address < UICR + 256 for address in addresses) or any(
        FLASH_END <= address < UICR for address in addresses
    ):
        raise FirmwareError(
            f"{name} is no MicroPython for the micro:bit V1; "
            "take a Universal Hex or a V1 hex with MicroPython"
        )
    found = _VERSION.search(memory.tobinstr(0, FLASH_END - 1))
    if found is None:
        raise FirmwareError(f"{name} holds no MicroPython; take an official MicroPython hex")
    return Firmware(memory, found[1].decode(), found[2].decode())


def _no_hex(name: str) -> FirmwareError:
    return FirmwareError(f"{name} is not a hex file; take an official MicroPython .hex")


def _check_records(lines: list[str], name: str) -> None:
    for number, line in enumerate(lines, 1):
        if not line:
            continue
        try:
            if line[0] != ":":
                raise ValueError
            record = bytes.fromhex(line[1:])
        except ValueError:
            if number == 1:
                raise _no_hex(name) from None
            raise FirmwareError(f"{name} is damaged in line {number}; download it again") from None
        if len(record) < 5 or len(record) != record[0] + 5 or sum(record) & 0xFF:
            raise FirmwareError(
                f"{name} is damaged in line {number} (length or checksum); download it again"
            )
    if not any(line[7:9] == "01" for line in lines):
        raise FirmwareError(f"{name} is cut short, its end is missing; download it again")


def _v1_records(lines: list[str], name: str) -> list[str]:
    if not any(line[7:9] == "0A" for line in lines):
        if any(line[7:9] == "0D" for line in lines):
            raise FirmwareError(f"{name} is for the micro:bit V2 only; take one for V1")
        return [line for line in lines if line]
    records = []
    boards = set()
    board = ""
    for line in lines:
        kind = line[7:9]
        if kind == "0A":
            board = line[9:13]
            boards.add(board)
        elif board == _V1 and kind in ("00", "02", "04"):
            records.append(line)
    if _V1 not in boards:
        kinds = "the micro:bit V2 only" if _V2 in boards else "other boards"
        raise FirmwareError(f"{name} is for {kinds}; take a Universal Hex or one for V1")
    return [*records, ":00000001FF"]
