"""Hex files of MicroPython for the micro:bit, with files in its file system.

The emulator's `firmware` module reads hexes; universal-hex writes Universal Hexes, which have a
section for each kind of micro:bit.

The official firmware, where its file system lies and what that looks like are
micropython-microbit-fs's. It does not do these, so they are done here:

- Its API takes the text of a hex apart anew in each call; its functions for an `IntelHex`, used
  here, take 0.3 s off `noughts hex`.
- It trusts a damaged hex's own description: the emulator's `layout_of` is asked instead.
- It adds files to those that are there; ours replace them.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache, cached_property
from itertools import repeat
from pathlib import Path

import intelhex
from micropython_microbit_fs import DeviceInfo, FilesystemError, get_bundled_hex
from micropython_microbit_fs import filesystem as fs
from micropython_microbit_fs.device_info import DEVICE_SPECS
from universal_hex import BoardId, IndividualHex, create_uhex

from microbit_emulator import firmware as hexes
from microbit_emulator.errors import HexError
from microbit_emulator.firmware import V1, V2, layout_of, not_a_hex
from noughts.errors import FirmwareError

_VERSIONS = re.compile(r"micro:bit v([\w.-]+)[^;]{0,80}; MicroPython v([0-9.]+)")
_MAX_FILE = 8 << 20
_UICR, _UICR_END = 0x1000_1000, 0x1000_2000
"""The user information registers."""
_ERASED = 0xFF
_WRITTEN_ID = {V1: BoardId.V1, V2: BoardId.V2}
_SOUND_V2 = [2, 1]
"""Before it, a file system can be full for good: it is only swept when that frees 32 chunks. And a
driver waits without end for an accelerometer that is read often."""


def size_on_board(name: str, size: int) -> int:
    """Bytes that a file of so many bytes takes on a board, in whole chunks."""
    return fs.calculate_file_size(name, bytes(size))


@dataclass(frozen=True, eq=False)
class Firmware:
    """A MicroPython firmware, and any files that came with it."""

    memory: intelhex.IntelHex
    info: DeviceInfo
    """The firmware's own description of its place in flash."""
    release: str
    """The firmware's own version, such as `1.1.1`."""
    micropython: str
    """Its MicroPython's version, such as `1.9.2`."""

    @property
    def board(self) -> str:
        """`V1` or `V2`."""
        return self.info.device_version.value

    @property
    def layout(self) -> range:
        """The addresses of its file system, without the spare page behind it."""
        return range(self.info.fs_start_address, fs.get_last_page_address(self.info))

    @cached_property
    def flash(self) -> bytes:
        """The whole flash memory, with any files that came with it."""
        return self._content(0, DEVICE_SPECS[self.info.device_version].flash_size)

    @cached_property
    def uicr(self) -> bytes:
        return self._content(_UICR, _UICR_END)

    def _content(self, start: int, stop: int) -> bytes:
        # As `tobinstr` does, in an eighth of its time.
        found = self.memory.todict().get
        return bytes(map(found, range(start, stop), repeat(_ERASED)))

    def with_files(self, files: Mapping[str, bytes]) -> Firmware:
        """This firmware, and a file system that holds these files only.

        Raises `FirmwareError` when the files do not fit, saying by how many bytes.
        """
        if (over := self.used(files) - len(self.layout)) > 0:
            raise FirmwareError(
                f"micro:bit {self.board}: the files are {over:,} bytes too big for its "
                f"file system of {len(self.layout):,}; make them smaller"
            )
        memory = intelhex.IntelHex(self.memory)
        del memory[self.layout.start : self.layout.stop + 1]  # the mark of its spare page too
        try:
            fs.add_files_to_hex(memory, self.info, dict(files))
        except FilesystemError as error:
            raise FirmwareError(f"micro:bit {self.board}: {error}; rename or fill it") from error
        return replace(self, memory=memory)

    def files(self) -> dict[str, bytes]:
        """The files in its file system, name to content; raises `FirmwareError` if damaged."""
        try:
            return fs.read_files_from_hex(self.memory, self.info)
        except (FilesystemError, UnicodeDecodeError) as error:
            raise FirmwareError(
                f"the file system for {self.board} is damaged ({error}); build the hex again"
            ) from error

    def used(self, files: Mapping[str, bytes]) -> int:
        """Bytes of its file system that these files take; it may be more than there are."""
        return sum(size_on_board(name, len(content)) for name, content in files.items())

    def __str__(self) -> str:
        return f"micro:bit {self.board}, MicroPython {self.micropython} (firmware {self.release})"


def is_sound(board: str, release: str) -> bool:
    """Whether the game runs on a firmware without end: no release such as `2.0.0` for V2."""
    return board != V2 or version_numbers(release) >= _SOUND_V2


def version_numbers(release: str) -> list[int]:
    """Those of a firmware's version, by which versions are compared."""
    return [int(number) for number in re.findall(r"\d+", release)]


@cache
def bundled_for(board: str) -> Firmware:
    """The official firmware for this board, `V1` or `V2`; only its hex is read."""
    found = get_bundled_hex(int(board.removeprefix("V")))
    return read_firmware(found.content, found.file_path.name)[board]


def load_firmware(path: Path) -> dict[str, Firmware]:
    """The firmwares in a file, by board: a Universal Hex, or a plain hex for one board.

    Raises `FirmwareError` in one line if there is none.
    """
    try:
        with path.open(encoding="ascii") as file:
            text = file.read(_MAX_FILE)
        return read_firmware(text, str(path))
    except OSError as error:
        raise FirmwareError(f"cannot read {path} ({error.strerror}); check the name") from error
    except UnicodeDecodeError as error:
        raise FirmwareError(str(not_a_hex(str(path)))) from error


def read_firmware(text: str, name: str) -> dict[str, Firmware]:
    """The firmwares in the text of a hex file; `name` is for messages."""
    try:
        sections = hexes.split(text, name)
    except HexError as error:
        raise FirmwareError(str(error)) from error
    found = {}
    for section, chunks in sections.items():
        memory = hexes.intel_hex(chunks)
        info = layout_of(memory)
        board = section or (info.device_version.value if info else "")
        if board not in (V1, V2):
            continue
        versions = _VERSIONS.search(info.micropython_version) if info else None
        if info is None or versions is None or info.device_version.value != board:
            raise FirmwareError(
                f"{name} holds no MicroPython for the micro:bit {board}; "
                "use an official MicroPython hex"
            )
        found[board] = Firmware(memory, info, versions[1], versions[2])
    if not found:
        raise FirmwareError(f"{name} holds no MicroPython; use an official MicroPython hex")
    return dict(sorted(found.items()))


def firmware_for(board: str, path: Path | None = None) -> Firmware:
    """The firmware for a board in a hex file, or else the official one.

    Raises `FirmwareError` where the file holds none for that board.
    """
    if path is None:
        return bundled_for(board)
    found = load_firmware(path)
    if board not in found:
        raise FirmwareError(
            f"{path} is for the micro:bit {' and '.join(found)} only; "
            f"choose that with --board, or use a hex for {board}"
        )
    return found[board]


def firmware_for_boards(paths: Iterable[Path] = ()) -> dict[str, Firmware]:
    """A firmware for each board: those in the files, and the bundled one where they have none."""
    chosen: dict[str, Firmware] = {}
    for path in paths:
        for board, firmware in load_firmware(path).items():
            if board in chosen:
                raise FirmwareError(
                    f"{path} is a second firmware for {board}; give one for each board"
                )
            chosen[board] = firmware
    return {board: chosen.get(board) or bundled_for(board) for board in (V1, V2)}


def universal_hex(firmwares: Mapping[str, Firmware]) -> str:
    """The Universal Hex of these firmwares, by board; its lines end in LF."""
    sections = []
    for board, firmware in firmwares.items():
        text = io.StringIO()
        firmware.memory.write_hex_file(text)
        sections.append(IndividualHex(text.getvalue(), _WRITTEN_ID[board]))
    joined: str = create_uhex(sections)
    return joined
