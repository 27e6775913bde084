"""A virtual board's flash in a file, so that it remembers what a real board would.

    NOUGHTS1                    what the file is
    32 bytes, SHA-256           of the program that the flash began with
    32 bytes, SHA-256           of what follows
    zlib                        the flash, then the UICR

A file whose program was another one, as from an earlier release, is left out of account; so is a
damaged one.
"""

from __future__ import annotations

import re
import zlib
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

from noughts.errors import NoughtsError
from noughts.files import write_whole
from noughts.virtual.program import Program

_MAGIC = b"NOUGHTS1"
_DIGEST = 32
_LARGEST = 4 << 20
"""Bytes; a board's memory is an eighth of that."""
# A chunk of the file system (128 bytes) that begins a file: its marker, where the file ends, the
# name with its length (MicroPython's `filesystem.c`), and the menu's choice (`device/menu.py`).
_SETTINGS = re.compile(rb"\xfe.\x08settings([PEMH][bt])", re.DOTALL)
_CHUNK = 128


class StoredFlash:
    """Where the flash of a virtual board is from one run to the next."""

    def __init__(self, folder: Path, program: Program) -> None:
        """A file for each board and firmware; `program` is what a new board holds."""
        release = re.sub(r"[^0-9A-Za-z.]+", "-", program.firmware).strip("-")
        self.path = folder / f"{release}.flash"
        self.error = ""
        """Why the flash could not be read or written, in one line."""
        self._new = program
        self._last = program.flash

    def program(self) -> Program:
        """The board with its flash as it was left; a new one if nothing usable is stored."""
        try:
            self._last = self._read(self.path.read_bytes())
        except FileNotFoundError:
            return self._new
        except OSError as error:
            self.error = f"cannot read {self.path} ({error.strerror}); the board is a new one"
            return self._new
        except (ValueError, zlib.error):
            self.error = f"{self.path} is damaged; the board is a new one"
            return self._new
        return replace(self._new, flash=self._last)

    def _read(self, content: bytes) -> bytes:
        """Raises `ValueError` or `zlib.error` where the content is not what was written."""
        head, packed = content[: len(_MAGIC) + 2 * _DIGEST], content[len(_MAGIC) + 2 * _DIGEST :]
        if not head.startswith(_MAGIC) or head[-_DIGEST:] != sha256(packed).digest():
            raise ValueError
        if head[len(_MAGIC) : -_DIGEST] != self._digest():
            return self._new.flash
        memory = zlib.decompressobj().decompress(packed, _LARGEST)
        if len(memory) != len(self._new.flash + self._new.uicr):
            raise ValueError
        return memory[: len(self._new.flash)]

    def keep(self, flash: bytes) -> None:
        """Store the flash from now on; `error` is set if that fails."""
        if flash == self._last:
            return
        packed = zlib.compress(flash + self._new.uicr, 1)
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            write_whole(self.path, _MAGIC + self._digest() + sha256(packed).digest() + packed)
        except OSError as error:
            self.error = f"cannot make {self.path.parent} ({error.strerror}); check the folder"
        except NoughtsError as error:
            self.error = str(error)
        self._last = flash

    def forget(self) -> None:
        """Remove the file: the next board is a new one."""
        try:
            self.path.unlink(missing_ok=True)
        except OSError as error:
            self.error = f"cannot remove {self.path} ({error.strerror}); check its folder"

    def _digest(self) -> bytes:
        return sha256(self._new.flash + self._new.uicr).digest()


def choice_in(flash: bytes) -> str:
    """The menu's choice in a board's flash, as `Hb`; a new board's, if it has none.

    Its first letter is the opponent's seat, its second `b` for buttons or `t` for tilt.
    """
    found = (each for each in _SETTINGS.finditer(flash) if each.start() % _CHUNK == 0)
    return next((each[1].decode() for each in found), "Pb")
