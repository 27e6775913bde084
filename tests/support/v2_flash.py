"""A model of a V2's file system, in whose flash `v2.py` and `v2kept.py` run as they are.

A model, not the firmware: quick, so that thousands of power cuts can be tried. A write that is cut
has changed some of the bits that it was to change, an erase some bits of its page.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from random import Random
from types import ModuleType, SimpleNamespace, TracebackType
from typing import Any

from noughts.device_files import device_files, load_device

CHUNK, PAGE, CHUNKS = 128, 4096, 160
START = 0x6E000
ERASED, FREED, BEGINS = 0xFF, 0x00, 0xFE
FILES = device_files()


class PowerCutError(Exception):
    """The power has gone in the middle of a write or an erase."""


class SweepError(Exception):
    """The firmware would move all files now, and a power cut in that would ruin them."""


class _ResetError(Exception):
    """`microbit.reset()`."""


class Flash:
    """The file system of a V2; in its first chunks is a file that stays.

    random: decides where the firmware looks for a chunk first, and what a cut leaves.
    """

    def __init__(self, taken: int, random: Random) -> None:
        self.content = bytearray(b"\xff" * CHUNKS * CHUNK)
        self.random = random
        self.writes_left = -1
        """Writes and erases until the power is cut, if not negative."""
        for index in range(taken):
            beginning = b"\xfe\0\x04ours" if index == 0 else bytes([index])
            link = bytes([index + 2 if index < taken - 1 else 0xFF])
            self.put(index, beginning.ljust(CHUNK - 1, b"\0") + link)
        self.start = 0

    def put(self, index: int, chunk: bytes) -> None:
        """Let a chunk hold this."""
        self.content[index * CHUNK : (index + 1) * CHUNK] = chunk.ljust(CHUNK, b"\xff")

    def power(self, told: list[str]) -> Any:
        """Switch the power on: `v2.py`, which has told all games that are kept."""
        self.start = self.random.randrange(CHUNKS)
        while True:
            others: dict[str, Any] = {
                "os": SimpleNamespace(listdir=self.listdir, remove=self.remove),
                "machine": SimpleNamespace(mem8=_Mem8(self), mem32=_Mem32(self)),
                "microbit": ModuleType("microbit"),
                "sentences": SimpleNamespace(send=told.append),
                # On the chip, more bytes may follow those that are unpacked.
                "struct": SimpleNamespace(pack=struct.pack, unpack=struct.unpack_from),
            }
            others["microbit"].reset = _reset
            try:
                v2: Any = load_device("v2", FILES, others, {"open": self.open})
            except _ResetError:
                continue
            while v2.tell():
                pass
            return v2

    def offers(self) -> str:
        """The choice that the menu offers."""
        shown: list[str] = []
        others: dict[str, Any] = {
            "machine": SimpleNamespace(mem8=_Mem8(self)),
            "microbit": SimpleNamespace(display=SimpleNamespace(show=shown.append), pin_logo=None),
        }
        menu: Any = load_device("menu", FILES, others)
        assert shown == [menu.chosen[0].replace("P", "2")]
        return str(menu.chosen)

    def program(self, at: int, value: int) -> None:
        """Write a byte."""
        mask = 0
        if cut := self._is_cut():
            mask = self.random.choice([0, ERASED, self.random.randrange(256)])
        self.content[at] &= value | mask
        if cut:
            raise PowerCutError

    def _erase(self, page: int) -> None:
        cut = self._is_cut()
        share = self.random.choice([0.1, 0.5, 0.9]) if cut else 1
        for at in range(page, page + PAGE):
            if self.random.random() < share:
                self.content[at] |= self.random.randrange(256) if cut else ERASED
        if cut:
            raise PowerCutError

    def _is_cut(self) -> bool:
        self.writes_left -= 1
        return self.writes_left == -1

    def find(self) -> int:
        """A chunk to write, as the firmware finds one."""
        for index in range(self.start, self.start + CHUNKS):
            if self.content[index % CHUNKS * CHUNK] == ERASED:
                return index % CHUNKS
        for page in range(0, CHUNKS * CHUNK, PAGE):
            if not any(self.content[page : page + PAGE : CHUNK]):
                self._erase(page)
                return page // CHUNK
        raise SweepError

    def _begins(self) -> Iterator[tuple[int, str]]:
        for at in range(0, CHUNKS * CHUNK, CHUNK):
            if self.content[at] == BEGINS:
                name = self.content[at + 3 : at + 3 + self.content[at + 2]]
                yield at, name.decode("latin-1")

    def listdir(self) -> list[str]:
        """The names of all files."""
        return [name for _, name in self._begins()]

    def where(self, wanted: str) -> int:
        """Where a file begins. Raises `OSError`."""
        for at, name in self._begins():
            if name == wanted:
                return at
        raise OSError

    def remove(self, name: str) -> None:
        """Free a file of one chunk."""
        at = self.where(name)
        assert self.content[at + CHUNK - 1] == ERASED, "of several chunks"
        self.program(at, FREED)

    def open(self, name: str, mode: str = "r") -> File:
        """A file of one chunk."""
        return File(self, name, mode)


class File:
    """An open file."""

    def __init__(self, flash: Flash, name: str, mode: str) -> None:
        self._flash = flash
        self._text = "b" not in mode
        if "w" not in mode:
            self._at = flash.where(name)
            return
        if name in flash.listdir():
            flash.remove(name)
        self._at = flash.find() * CHUNK
        self._end = self._at + 3 + len(name)
        flash.program(self._at, BEGINS)
        flash.program(self._at + 2, len(name))
        for index, letter in enumerate(name.encode()):
            flash.program(self._at + 3 + index, letter)

    def write(self, content: bytes | str) -> None:
        """Add bytes, or a text."""
        for byte in content.encode() if isinstance(content, str) else content:
            self._flash.program(self._end, byte)
            self._end += 1
        assert self._end < self._at + CHUNK - 1, "it takes a second chunk"

    def read(self) -> bytes | str:
        """All of it."""
        chunk = self._flash.content[self._at : self._at + CHUNK]
        assert chunk[1] < CHUNK - 2, "the firmware would read on in other files"
        found = bytes(chunk[3 + chunk[2] : 1 + chunk[1]])
        return found.decode("latin-1") if self._text else found

    def __enter__(self) -> File:
        return self

    def __exit__(self, kind: object, error: object, trace: TracebackType | None) -> None:
        if kind is None:  # the length comes last
            self._flash.program(self._at + 1, self._end - self._at - 1)


class _Mem8:
    def __init__(self, flash: Flash) -> None:
        self._flash = flash

    def __getitem__(self, address: int) -> int:
        if START <= address < START + CHUNKS * CHUNK:
            return self._flash.content[address - START]
        return 253 if address == START - PAGE else ERASED


class _Mem32(_Mem8):
    def __getitem__(self, address: int) -> int:
        """Signed, as on the chip."""
        chunk = self._flash.content[address - START : address - START + 4]
        return int.from_bytes(chunk, "little", signed=True)

    def __setitem__(self, address: int, value: int) -> None:
        if address >= START and address < START + CHUNKS * CHUNK:
            assert (self[address] ^ value) & ~ERASED == 0, "more than the marker"
            self._flash.program(address - START, value & ERASED)


def _reset() -> None:
    raise _ResetError
