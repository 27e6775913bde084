"""What a virtual board holds when it is switched on: a firmware, and files in its file system."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from microbit_emulator.errors import EmulatorError
from microbit_emulator.firmware import V1, V2
from noughts.boards.firmware import Firmware, bundled_for
from noughts.boards.packing import files_for_boards, packed
from noughts.errors import BoardError

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
    firmware: Firmware | None = None,
) -> Program:
    """A firmware with packed files, by default the game on the official firmware.

    Raises `FirmwareError` where the files do not fit.
    """
    chosen = files_for_boards() if files is None else packed(files)
    return _with_files(firmware or bundled_for(board), tuple(chosen.items()))


@lru_cache(maxsize=16)
def _with_files(firmware: Firmware, files: tuple[tuple[str, bytes], ...]) -> Program:
    return unchanged(firmware.with_files(dict(files)))


def unchanged(firmware: Firmware) -> Program:
    """A firmware as it is, with any files that are in it."""
    return Program(firmware.board, str(firmware), firmware.flash, firmware.uicr)
