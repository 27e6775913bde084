"""The program of a virtual board: a firmware, and files in its file system.

Its flash can be saved to a file, so that it remembers what a real board would:

    32 bytes, SHA-256           of the program that the flash began with
    zlib                        the flash, with zlib's own checksum

A file of another program, such as an earlier release's, is ignored; so is a damaged one.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from microbit_emulator.errors import ProgramError
from microbit_emulator.firmware import V1, V2, Image
from noughts.errors import NoughtsError, error_message
from noughts.files import atomic_write

if TYPE_CHECKING:
    from microbit_emulator import Microbit
    from noughts.boards.firmware import Firmware

BOARDS = (V1, V2)
_DIGEST = 32


@dataclass(frozen=True)
class Program:
    """The content of a chip's flash and of its user information registers (UICR)."""

    board: str
    """`V1` or `V2`."""
    firmware: str
    """Such as `micro:bit V2, MicroPython 1.18 (firmware 2.1.2)`."""
    flash: bytes
    uicr: bytes

    def microbit(self, seed: int = 0) -> Microbit:
        """A micro:bit with this program, to be stepped; seed: of all random numbers."""
        from microbit_emulator import Microbit  # which loads wasmtime

        return Microbit(self.board, flash=self.flash, uicr=self.uicr, seed=seed)


def program(
    board: str = V2,
    files: Mapping[str, bytes] | None = None,
    firmware: Firmware | None = None,
) -> Program:
    """A firmware with packed files, by default the game on the official firmware.

    Raises `NoughtsError` if the files do not fit.
    """
    # The process of a board, which gets its program ready-made, does without these.
    from noughts.boards.firmware import bundled_for
    from noughts.boards.packing import files_for_boards, packed
    from noughts.boards.radio import OFF, files_with

    firmware = firmware or bundled_for(board)
    game = files_for_boards() if files is None else packed(files)
    chosen = files_with(OFF, firmware.board_model, game)
    return _with_files(firmware, tuple(chosen.items()))


@lru_cache(maxsize=16)
def _with_files(firmware: Firmware, files: tuple[tuple[str, bytes], ...]) -> Program:
    try:
        image = _image(firmware).with_files(dict(files))
    except ProgramError as error:
        raise NoughtsError(f"micro:bit {firmware.board_model}: {error}") from error
    return Program(firmware.board_model, str(firmware), image.flash, image.uicr)


@lru_cache(maxsize=4)
def _image(firmware: Firmware) -> Image:
    """A firmware as bytes, which take intelhex longer than the files do."""
    return Image(firmware.flash, firmware.uicr, firmware.info)


def unchanged(firmware: Firmware) -> Program:
    """A firmware with the files that are in it."""
    return Program(firmware.board_model, str(firmware), firmware.flash, firmware.uicr)


class StoredFlash:
    """Saves the flash of a virtual board from one run to the next.

    `folder` has a file for each board and firmware; `program` is that of a new board.
    """

    def __init__(self, folder: Path, program: Program) -> None:
        release = re.sub(r"[^0-9A-Za-z.]+", "-", program.firmware).strip("-")
        self.path = folder / f"{release}.flash"
        self.error = ""
        """Why the flash could not be read or written, in one line."""
        self._new = program
        self._digest = sha256(program.flash + program.uicr).digest()

    def program(self) -> Program:
        """The board with its saved flash; a new one if there is none."""
        try:
            content = self.path.read_bytes()
            if content[:_DIGEST] == self._digest:
                return replace(self._new, flash=zlib.decompress(content[_DIGEST:]))
        except FileNotFoundError:
            pass
        except (OSError, zlib.error) as error:
            why = getattr(error, "strerror", None) or error
            self.error = f"cannot use {self.path} ({why}); the board is a new one"
        return self._new

    def keep(self, flash: bytes) -> None:
        """Save the flash; `error` is set if that fails."""
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            atomic_write(self.path, self._digest + zlib.compress(flash, 1))
        except (OSError, NoughtsError) as error:
            self.error = error_message(error)
