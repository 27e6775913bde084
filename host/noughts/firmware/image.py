"""MicroPython for one kind of micro:bit, as it stands in flash, with files in its file system."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import intelhex

from noughts.errors import FirmwareError
from noughts.firmware import flash_map, universal_hex
from noughts.firmware.filesystem import SPARE_MARKER, Layout, Usage, pack, unpack, usage
from noughts.firmware.universal_hex import V1, V2

_VERSION = re.compile(rb"micro:bit v([\w.-]+)[^;]{0,80}; MicroPython v([0-9.]+)")
_MAX_FILE = 8 << 20


@dataclass(frozen=True, eq=False)
class Firmware:
    """A MicroPython firmware, and whatever files came with it."""

    board: str
    """`V1` or `V2`."""
    memory: intelhex.IntelHex
    release: str
    """The firmware's own version, such as `1.0.1`."""
    micropython: str
    """Its MicroPython's version, such as `1.9.2`."""
    layout: Layout
    """Where its file system is."""

    def with_files(self, files: Mapping[str, bytes]) -> intelhex.IntelHex:
        """The memory to flash: this firmware, and a file system that holds these files only."""
        try:
            packed = pack(files, self.layout)
        except FirmwareError as error:
            raise FirmwareError(f"micro:bit {self.board}: {error}") from error
        image = intelhex.IntelHex(self.memory)
        del image[self.layout.start : self.layout.end + 1]
        image.puts(self.layout.start, packed)
        image[self.layout.end] = SPARE_MARKER
        return image

    def files(self) -> dict[str, bytes]:
        """The files that are in its file system, name to content."""
        return unpack(self.memory.tobinstr(self.layout.start, self.layout.end - 1))

    def usage(self, files: Mapping[str, bytes]) -> Usage:
        """How much of its file system these files take."""
        return usage(files, self.layout)

    def __str__(self) -> str:
        return f"micro:bit {self.board}, MicroPython {self.micropython} (firmware {self.release})"


@cache
def bundled() -> Mapping[str, Firmware]:
    """The firmwares that uflash carries, by board."""
    import uflash

    return read(uflash._RUNTIME, "the firmware in uflash")


def load(path: Path) -> dict[str, Firmware]:
    """The firmwares in a file, by board: a Universal Hex, or a plain hex for one board.

    Raises `FirmwareError` in one line when there is none.
    """
    return read(text_of(path), str(path))


def text_of(path: Path) -> str:
    """The text of a hex file. Raises `FirmwareError` where it cannot be one."""
    try:
        with path.open("rb") as file:
            content = file.read(_MAX_FILE)
        return content.decode("ascii")
    except OSError as error:
        raise FirmwareError(f"cannot read {path} ({error.strerror}); check the name") from error
    except UnicodeDecodeError as error:
        raise universal_hex.no_hex(str(path)) from error


def read(text: str, name: str) -> dict[str, Firmware]:
    """The firmwares in the text of a hex file; `name` is for messages."""
    found = {}
    for board, memory in universal_hex.split(text, name).items():
        kind = board or flash_map.board_of(memory) or ""
        if kind in (V1, V2):
            found[kind] = _firmware(kind, memory, name)
    if not found:
        raise FirmwareError(f"{name} holds no MicroPython; take an official MicroPython hex")
    return dict(sorted(found.items()))


def for_v1(path: Path | None = None) -> Firmware:
    """The V1 firmware in a file, or else the bundled one."""
    found = bundled() if path is None else load(path)
    if V1 not in found:
        raise FirmwareError(
            f"{path} is for the micro:bit V2 only; take a Universal Hex or a V1 hex"
        )
    return found[V1]


def for_boards(paths: Iterable[Path]) -> dict[str, Firmware]:
    """A firmware for each board: those in the files, and the bundled one where they have none."""
    chosen: dict[str, Firmware] = {}
    for path in paths:
        for board, firmware in load(path).items():
            if board in chosen:
                raise FirmwareError(f"{path} is a second firmware for {board}; give one for each")
            chosen[board] = firmware
    return {**bundled(), **chosen}


def universal(firmwares: Mapping[str, Firmware], files: Mapping[str, bytes]) -> str:
    """The Universal Hex of these firmwares, by board, each with these files."""
    return universal_hex.join(
        {board: firmware.with_files(files) for board, firmware in firmwares.items()}
    )


def _firmware(board: str, memory: intelhex.IntelHex, name: str) -> Firmware:
    found = _VERSION.search(memory.tobinstr(0, flash_map.FLASH_END[board] - 1))
    if found is None:
        raise FirmwareError(
            f"{name} holds no MicroPython for the micro:bit {board}; "
            "take an official MicroPython hex"
        )
    layout = flash_map.layout(memory, board)
    return Firmware(board, memory, found[1].decode(), found[2].decode(), layout)
