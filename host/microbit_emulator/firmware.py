"""The content of flash: firmware from hex files, and files in MicroPython's file system.

A plain Intel Hex is for one board. A Universal Hex has a section for each kind of micro:bit:

    :02000004....      the upper half of the first address
    :0400000A9900C0DE  the section begins, for board 9900 (V1) or 9903 (V2)
    ...                data: in records of type 00 for V1, of type 0D for V2
    ...                type 0C pads, so that the next section begins at a multiple of 512 bytes
    :0000000B          the section ends (it may pad too)

and one record of type 01 at the end of the file. MakeCode's hexes have more records after that, of
type 00 or 0E, and others at addresses of RAM: they hold the program's source. Source: Universal Hex
specification, Micro:bit Educational Foundation. Hexes are read here, because universal-hex does not
check checksums or the end of the file, and intelhex only reads plain ones.

The official firmware and its file system come from micropython-microbit-fs, the extra `firmware`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from microbit_emulator.errors import EmulatorError, HexError, ProgramError

if TYPE_CHECKING:
    import intelhex
    from micropython_microbit_fs import DeviceInfo

V1, V2 = "V1", "V2"
BOARD_IDS = {"9900": V1, "9901": V1, "9903": V2, "9904": V2, "9905": V2, "9906": V2}
"""By four hex digits, the board; the USB serial number of a micro:bit begins with them too:
https://tech.microbit.org/software/spec-universal-hex/"""

_DATA, _END, _SEGMENT, _UPPER_HALF, _BOARD, _OTHER_DATA = 0x00, 0x01, 0x02, 0x04, 0x0A, 0x0D
UICR, UICR_SIZE, _UICR_END = 0x1000_1000, 0x400, 0x1000_2000
"""The user information registers; nothing after their page can be programmed."""
_V1_MAGIC_AT, _V1_MAGIC = UICR + 0xC0, b"\x7c\xb0\xee\x17"
"""What MicroPython for V1 has in its UICR."""
_CHIP = re.compile(rb"micro:bit (?:v[\w.+-]+ )?with nRF(51|52)")
"""What MicroPython says about itself: a hex may lack the UICR."""
_FLASH_SIZE = {V1: 0x4_0000, V2: 0x8_0000}
_MAX_CHUNKS = {V1: 240, V2: 252}
_ERASED = b"\xff"
_MARKS = "\ufeff\0\x1a"
"""What editors put before a text or after it: a byte-order mark, NUL, Ctrl-Z."""

Chunks = dict[int, bytes]
"""Memory: the bytes at each address."""
Hex = str | bytes | os.PathLike[str] | Mapping[int, int]
"""A hex file's path or text, or a mapping of addresses to bytes."""


@dataclass(frozen=True)
class Image:
    """MicroPython in a chip's flash, and in its user information registers (UICR)."""

    flash: bytes
    uicr: bytes
    info: DeviceInfo
    """The addresses of MicroPython and its file system."""

    def with_files(self, files: dict[str, bytes]) -> Image:
        """The same MicroPython with only these files. Raises `ProgramError`."""
        from intelhex import IntelHex
        from micropython_microbit_fs import FilesystemError, StorageFullError
        from micropython_microbit_fs import filesystem as fs

        memory = IntelHex()
        try:
            fs.add_files_to_hex(memory, self.info, files)
        except StorageFullError as error:
            raise ProgramError(f"the program does not fit ({error}); make it smaller") from error
        except FilesystemError as error:
            raise ProgramError(f"a file cannot be put on the board ({error}); change it") from error
        start, end = self.info.fs_start_address, fs.get_last_page_address(self.info)
        content = memory.tobinstr(start, end)
        return replace(self, flash=self.flash[:start] + content + self.flash[end + 1 :])


def split(text: str, name: str) -> dict[str, Chunks]:
    """The content of a hex, by board: `V1` and `V2`, or `""` for a plain hex that does not say.

    name: for messages. Raises `HexError` if it is not a hex, or is damaged or cut short.
    """
    if not _is_hex(text):
        raise HexError(f"{name} is not a hex file; use an official MicroPython .hex")
    boards: dict[str, list[tuple[int, bytes]]] = {}
    board, base, kind = "", 0, _DATA
    for number, line in enumerate(text.strip(_MARKS).split(), 1):
        try:
            record = bytes.fromhex(line.removeprefix(":"))
        except ValueError:
            record = b""
        if len(record) < 5 or len(record) != record[0] + 5 or sum(record) & 0xFF or line[0] != ":":
            raise HexError(f"{name} is damaged in line {number}; download it again")
        kind, data = record[3], record[4:-1]
        if kind == _END:
            break
        if kind in (_DATA, _OTHER_DATA):
            at = base + (record[1] << 8 | record[2])
            if at < _UICR_END:
                boards.setdefault(board, []).append((at, data))
        elif kind in (_SEGMENT, _UPPER_HALF):
            if record[:3] != b"\2\0\0":
                raise HexError(f"{name} is damaged (a wrong address); download it again")
            base = (data[0] << 8 | data[1]) << (4 if kind == _SEGMENT else 16)
        elif kind == _BOARD:
            identity = data[:2].hex()
            board = BOARD_IDS.get(identity, identity)
            boards.setdefault(board, [])
    else:
        raise HexError(f"{name} is cut short (its end is missing); download it again")
    return {board: _joined(chunks, name) for board, chunks in boards.items()}


def _is_hex(text: str) -> bool:
    return text.lstrip(_MARKS + "\r\n\t ").startswith(":")


def read(firmware: Hex, board: str) -> Chunks:
    """The memory of a firmware for a board. Raises `HexError`."""
    name = "the hex"
    if isinstance(firmware, Mapping):
        chunks = ((at, bytes((firmware[at],))) for at in firmware if isinstance(at, int))
        memory = _joined(chunks, name)
    else:
        name, text = _hex_text(firmware, name)
        sections = split(text, name)
        memory = sections.get(board) or sections.get("") or {}
        if not memory:
            raise HexError(f"{name} has no firmware for the micro:bit {board}; use one that has it")
    if _board_of(memory) not in (board, ""):
        raise HexError(
            f"{name} is for the micro:bit {_board_of(memory)}, not for {board}; choose that board, "
            "or another hex"
        )
    return memory


def _hex_text(firmware: str | bytes | os.PathLike[str], name: str) -> tuple[str, str]:
    """The name of a hex, as messages give it, and its text. Raises `HexError`."""
    if isinstance(firmware, os.PathLike) or (isinstance(firmware, str) and not _is_hex(firmware)):
        name = os.fspath(firmware)
        try:
            firmware = Path(name).read_bytes()
        except OSError as error:
            raise HexError(f"cannot read {name} ({error.strerror}); check the name") from error
    return name, firmware.decode("utf-8", "replace") if isinstance(firmware, bytes) else firmware


def _board_of(memory: Chunks) -> str:
    """The board that a plain hex must be for; empty if that cannot be told."""
    if any(_FLASH_SIZE[V1] < at + len(data) and at < UICR for at, data in memory.items()):
        return V2
    v1_magic = (data[_V1_MAGIC_AT - at :][:4] for at, data in memory.items() if at <= _V1_MAGIC_AT)
    if _V1_MAGIC in v1_magic:
        return V1
    said = next(filter(None, map(_CHIP.search, memory.values())), None)
    return "" if said is None else {b"51": V1, b"52": V2}[said[1]]


def _joined(chunks: Iterable[tuple[int, bytes]], name: str) -> Chunks:
    """The chunks, joined where they touch. Raises `HexError` if some overlap."""
    joined: dict[int, bytearray] = {}
    start = end = -1
    for at, data in sorted(chunks):
        if at < end:
            raise HexError(f"{name} is damaged (its data overlap); download it again")
        if at != end:
            start = end = at
            joined[start] = bytearray()
        joined[start] += data
        end += len(data)
    return {at: bytes(data) for at, data in joined.items()}


def check_board(board: str) -> None:
    if board not in _FLASH_SIZE:
        raise EmulatorError(f"there is no micro:bit {board!r}; use 'V1' or 'V2'")


def micropython(board: str, firmware: Hex | None = None) -> Image:
    """The official MicroPython for a board, or the one in a hex.

    Raises `HexError`, also if the hex has no MicroPython for that board, and `EmulatorError` for an
    unknown board.
    """
    check_board(board)
    if firmware is None:
        try:
            from micropython_microbit_fs import get_bundled_hex
        except ImportError as error:
            raise HexError(
                "the official firmware is missing; give a firmware's hex, or "
                "pip install 'microbit-emulator[firmware]'"
            ) from error
        firmware = get_bundled_hex(int(board[1])).content
    chunks = read(firmware, board)
    info = layout_of(intel_hex(chunks))
    if info is None or info.device_version.value != board:
        raise HexError(
            f"the hex holds no MicroPython for the micro:bit {board}; use an official one"
        )
    flash, uicr = bytearray(_ERASED * _FLASH_SIZE[board]), bytearray(_ERASED * UICR_SIZE)
    for at, data in chunks.items():
        memory, start = (uicr, at - UICR) if at >= UICR else (flash, at)
        memory[start : start + len(data)] = data
    return Image(bytes(flash), bytes(uicr), info)


def layout_of(memory: intelhex.IntelHex) -> DeviceInfo | None:
    """A firmware's description of itself and its file system, or None if that cannot be true.

    A damaged firmware makes micropython-microbit-fs raise all kinds of errors, or count pages of
    2**(2**32) bytes. Also, it gives V1's file system up to 252 chunks, from the middle of a page;
    the firmware has up to 240, from the start of a page (`filesystem.c`, `init_limits`).
    """
    from micropython_microbit_fs import filesystem as fs
    from micropython_microbit_fs.device_info import DEVICE_SPECS
    from micropython_microbit_fs.flash_regions import get_device_info_from_flash_regions
    from micropython_microbit_fs.hex_utils import read_uint32
    from micropython_microbit_fs.uicr import UicrAddress, get_device_info_from_uicr

    if not 0 < (memory.maxaddr() or 0) < _UICR_END:
        return None
    try:
        info = None
        if read_uint32(memory, UicrAddress["PAGE_SIZE"]) < 32:
            info = get_device_info_from_uicr(memory)
        info = info or get_device_info_from_flash_regions(memory)
    except (TypeError, ValueError):  # it points to where no memory is
        return None
    if info is None:
        return None
    spec = DEVICE_SPECS[info.device_version]
    end, page = fs.get_last_page_address(info), spec.page_size
    lowest = -(-(end - _MAX_CHUNKS[info.device_version.value] * fs.CHUNK_SIZE) // page) * page
    start = max(info.fs_start_address, lowest)
    if info.flash_page_size != page or not 0 < start < end < spec.flash_size:
        return None
    return replace(info, fs_start_address=start)


def intel_hex(chunks: Chunks) -> intelhex.IntelHex:
    from intelhex import IntelHex

    memory = IntelHex()
    for at, data in chunks.items():
        memory.frombytes(data, at)
    return memory
