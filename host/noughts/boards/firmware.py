"""Hex files of MicroPython for the micro:bit, with files in its file system.

The emulator's `firmware` module reads hexes. universal-hex writes Universal Hexes, which have a
section for each kind of micro:bit.

micropython-microbit-fs has the official firmware, and knows its file system. It differs from what
we need in three ways:

- Its API parses the text of a hex again in each call. Its functions for an `IntelHex`, used here,
  save 0.3 s of `noughts hex`.
- It trusts the description in a damaged hex. We use the emulator's `layout_of` instead.
- It adds files to those that are there. We replace them.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from itertools import starmap
from pathlib import Path

import intelhex
from micropython_microbit_fs import DeviceInfo, FilesystemError, get_bundled_hex
from micropython_microbit_fs import filesystem as fs
from micropython_microbit_fs.device_info import DEVICE_SPECS
from universal_hex import BoardId, IndividualHex, create_uhex

from microbit_emulator import firmware as hexes
from microbit_emulator.errors import HexError
from microbit_emulator.firmware import V1, V2, layout_of
from noughts.errors import NoughtsError

_VERSIONS = re.compile(r"micro:bit v([\w.-]+)[^;]{0,80}; MicroPython v([0-9.]+)")
_MAX_FILE = 8 << 20
_UICR, _UICR_END = 0x1000_1000, 0x1000_2000
"""The user information registers."""
_APPENDED_AT = 0x3_E000
"""Where a V1's firmware looks for a program, if it has no `main.py`: `MP`, its length, its text."""
_SOUND_V2 = [2, 1]
"""Earlier releases only free space in their file system when that frees 32 chunks, so it can be
full permanently. And their accelerometer's driver can freeze when it is read often."""


@dataclass(frozen=True, eq=False)
class Firmware:
    """A MicroPython firmware, and any files that came with it."""

    memory: intelhex.IntelHex
    info: DeviceInfo
    """The firmware's own description of its layout in flash."""
    release: str
    """Such as `1.1.1`."""
    micropython: str
    """MicroPython's version, such as `1.9.2`."""

    @property
    def board_model(self) -> str:
        """`V1` or `V2`."""
        return self.info.device_version.value

    @property
    def layout(self) -> range:
        """The addresses of its file system, without the spare page after it."""
        return range(self.info.fs_start_address, fs.get_last_page_address(self.info))

    @property
    def flash(self) -> bytes:
        """The whole flash memory, with any files that came with it."""
        size = DEVICE_SPECS[self.info.device_version].flash_size
        return bytes(self.memory.tobinarray(0, size - 1))

    @property
    def uicr(self) -> bytes:
        """The page of the user information registers."""
        return bytes(self.memory.tobinarray(_UICR, _UICR_END - 1))

    def with_files(self, files: Mapping[str, bytes]) -> Firmware:
        """This firmware with only these files in its file system.

        Raises `NoughtsError` if the files do not fit, or one has no name or no content.
        """
        memory = intelhex.IntelHex(self.memory)
        del memory[self.layout.start : self.layout.stop + 1]  # the mark of its spare page too
        try:
            fs.add_files_to_hex(memory, self.info, dict(files))
        except FilesystemError as error:
            why = str(error).rstrip(".")
            raise NoughtsError(f"micro:bit {self.board_model}: {why}; change that file") from error
        return replace(self, memory=memory)

    def files(self) -> dict[str, bytes]:
        """The files in its file system, by name. Raises `NoughtsError` if it is damaged."""
        try:
            files = fs.read_files_from_hex(self.memory, self.info)
        except (FilesystemError, UnicodeDecodeError) as error:
            raise NoughtsError(
                f"the file system for {self.board_model} is damaged ({error}); build the hex again"
            ) from error
        appended = self._appended_program()
        return {"main.py": appended, **files} if appended else files

    def _appended_program(self) -> bytes:
        """The program that editors before 2018 append to a V1's firmware; it runs as `main.py`."""
        if self.board_model != V1:
            return b""
        start = _APPENDED_AT + 4
        mark = self.memory.tobinstr(_APPENDED_AT, start - 1)
        size = int.from_bytes(mark[2:], "little")
        if mark[:2] != b"MP" or start + size > self.layout.stop:
            return b""
        return bytes(self.memory.tobinstr(start, start + size - 1)) if size else b""

    def used(self, files: Mapping[str, bytes]) -> int:
        """How many bytes of the file system these files take, in whole chunks."""
        return sum(starmap(fs.calculate_file_size, files.items()))

    def __str__(self) -> str:
        versions = f"MicroPython {self.micropython} (firmware {self.release})"
        return f"micro:bit {self.board_model}, {versions}"


def is_sound(board_model: str, release: str) -> bool:
    """Whether the game can run on a firmware permanently; not on `2.0.0` for V2."""
    return board_model != V2 or version_numbers(release) >= _SOUND_V2


def version_numbers(release: str) -> list[int]:
    """A firmware's version, so that it can be compared."""
    return [int(number) for number in re.findall(r"\d+", release)]


@cache
def bundled_for(board_model: str) -> Firmware:
    """The bundled official firmware for this board, `V1` or `V2`."""
    bundled = get_bundled_hex(int(board_model.removeprefix("V")))
    return read_firmware(bundled.content, bundled.file_path.name)[board_model]


def load_firmware(path: Path) -> dict[str, Firmware]:
    """The firmwares in a file, by board: a Universal Hex, or a plain hex for one board.

    Raises `NoughtsError` if there is none.
    """
    with path.open(encoding="utf-8", errors="replace") as file:
        return read_firmware(file.read(_MAX_FILE), str(path))


def read_firmware(text: str, name: str) -> dict[str, Firmware]:
    """The firmwares in the text of a hex file; name: for messages."""
    try:
        sections = hexes.split(text, name)
    except HexError as error:
        raise NoughtsError(str(error)) from error
    firmwares = {}
    for section, chunks in sections.items():
        memory = hexes.intel_hex(chunks)
        info = layout_of(memory)
        versions = _VERSIONS.search(info.micropython_version) if info else None
        if info and versions and section in ("", info.device_version.value):
            firmware = Firmware(memory, info, versions[1], versions[2])
            firmwares[firmware.board_model] = firmware
    if not firmwares:
        raise NoughtsError(f"{name} {_why_unusable(sections)}; use an official MicroPython hex")
    return dict(sorted(firmwares.items()))


def _why_unusable(sections: Mapping[str, hexes.Chunks]) -> str:
    """What a hex has instead of a whole MicroPython."""
    for chunks in sections.values():
        versions = _VERSIONS.search(b" ".join(chunks.values()).decode("latin-1"))
        if versions and versions[1].startswith("1.") and max(chunks) < hexes.UICR:
            return "has MicroPython for V1 without its UICR, which says where its files are"
    return "holds no MicroPython"


def firmware_for(board_model: str, path: Path | None = None) -> Firmware:
    """The firmware for a board from a hex file, by default the bundled one.

    Raises `NoughtsError` if the file has none for that board.
    """
    firmwares = {board_model: bundled_for(board_model)} if path is None else load_firmware(path)
    if board_model not in firmwares:
        raise NoughtsError(
            f"{path} is for the micro:bit {' and '.join(firmwares)} only; "
            f"choose that with --board, or use a hex for {board_model}"
        )
    return firmwares[board_model]


def firmware_for_boards(paths: Iterable[Path] = ()) -> dict[str, Firmware]:
    """A firmware for each board: the last one in these files, else the bundled one."""
    firmwares = {board_model: bundled_for(board_model) for board_model in (V1, V2)}
    for path in paths:
        firmwares |= load_firmware(path)
    return firmwares


def universal_hex(firmwares: Mapping[str, Firmware]) -> str:
    """The Universal Hex of these firmwares, by board; its lines end in LF."""
    sections = []
    for board_model, firmware in firmwares.items():
        text = io.StringIO()
        firmware.memory.write_hex_file(text)
        sections.append(IndividualHex(text.getvalue(), BoardId[board_model]))
    return str(create_uhex(sections))
