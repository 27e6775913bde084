"""What a virtual board holds when it is switched on: a firmware, and files in its file system."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from microbit_emulator.errors import EmulatorError
from microbit_emulator.firmware import V1, V2
from noughts.boards import image
from noughts.boards.packing import files_for_boards, packed
from noughts.errors import BoardError, FirmwareError

if TYPE_CHECKING:
    from microbit_emulator import Microbit

BOARDS = (V1, V2)


@dataclass(frozen=True)
class Program:
    """The content of a chip's flash and of its user information registers (UICR)."""

    board: str
    """`V1` or `V2`."""
    firmware: str
    """For people: `micro:bit V2, MicroPython 1.18 (firmware 2.1.2)`."""
    flash: bytes
    uicr: bytes

    def microbit(self, seed: int = 0) -> Microbit:
        """A micro:bit with this program, to be stepped; `seed` decides all that chance decides.

        Raises `BoardError` where the emulator cannot run.
        """
        try:
            from microbit_emulator import Microbit  # which loads Unicorn

            return Microbit(self.board, flash=self.flash, uicr=self.uicr, seed=seed)
        except EmulatorError as error:
            raise BoardError(str(error)) from error


def try_emulator() -> None:
    """Raises `BoardError` where no micro:bit can be emulated."""
    Program(V2, "no program", flash=bytes(8), uicr=bytes(4)).microbit()


def program(
    board: str = V2,
    files: Mapping[str, bytes] | None = None,
    firmware: Path | image.Firmware | None = None,
) -> Program:
    """A firmware with packed files, by default the game on the official firmware.

    Raises `FirmwareError` where the firmware is not for that board, or the files do not fit.
    """
    chosen = files_for_boards() if files is None else packed(files)
    return _made(board, tuple(chosen.items()), firmware)


@lru_cache(maxsize=16)
def _made(
    board: str, files: tuple[tuple[str, bytes], ...], firmware: Path | image.Firmware | None
) -> Program:
    if not isinstance(firmware, image.Firmware):
        firmware = firmware_for(board, firmware)
    flash = firmware.flash_with_files(dict(files))
    return Program(board, str(firmware), flash, firmware.uicr)


def flashed(path: Path, board: str = V2) -> Program:
    """A hex file as it is, with the files that are in it. Raises `FirmwareError`."""
    found = firmware_for(board, path)
    return Program(board, str(found), found.flash, found.uicr)


def firmware_for(board: str, path: Path | None = None) -> image.Firmware:
    """The firmware for a board in a hex file, or else the official one.

    Raises `FirmwareError` where the file holds none for that board.
    """
    if path is None:
        return image.bundled_for(board)
    found = image.load(path)
    if board not in found:
        raise FirmwareError(
            f"{path} is for the micro:bit {' and '.join(found)} only; "
            f"choose that with --board, or use a hex for {board}"
        )
    return found[board]
