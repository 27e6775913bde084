"""The micro:bit's flash file system: files to an image and back.

The format is that of MicroPython for the micro:bit, and what uflash's `script_to_fs` writes for
one file. Chunks of 128 bytes are numbered from 1:

    byte 0         0xFE: a file starts here; or the number of the file's chunk before this one;
                   0xFF: never used; 0x00: freed
    bytes 1-126    data
    byte 127       the number of the file's next chunk, 0xFF in its last

A file's data begins with where it ends (the offset in its last chunk's data), the length of its
name, and the name. A file that ends with a chunk's data has one more, empty chunk.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from noughts.errors import FirmwareError

CHUNK = 128
DATA = CHUNK - 2
FILE_START = 0xFE
UNUSED = 0xFF
MAX_NAME = 120


SPARE_MARKER = 0xFD
"""The first byte of the page that the firmware keeps free, to move others through."""


@dataclass(frozen=True)
class Layout:
    """Where the chunks lie in flash: byte addresses, `end` exclusive.

    At `end` is the page that is kept free; of it only the first byte is written, `SPARE_MARKER`.
    """

    start: int
    end: int

    @property
    def chunks(self) -> int:
        """How many chunks there are."""
        return (self.end - self.start) // CHUNK


def chunks_of(name: str, size: int) -> int:
    """How many chunks a file of so many bytes takes."""
    return (2 + len(name.encode()) + size) // DATA + 1


@dataclass(frozen=True)
class Usage:
    """Bytes of a file system, in whole chunks."""

    used: int
    total: int

    @property
    def free(self) -> int:
        """What is left."""
        return self.total - self.used

    def __str__(self) -> str:
        return f"{self.used:,} of {self.total:,} bytes used, {self.free:,} free"


def usage(files: Mapping[str, bytes], layout: Layout) -> Usage:
    """How much of a file system these files take; it may be more than there is."""
    need = sum(chunks_of(name, len(content)) for name, content in files.items())
    return Usage(need * CHUNK, layout.chunks * CHUNK)


def pack(files: Mapping[str, bytes], layout: Layout) -> bytes:
    """The file system that holds these files, from `layout.start` on; the rest is unused.

    Raises `FirmwareError` when the files do not fit, saying by how many bytes.
    """
    room = usage(files, layout)
    if room.free < 0:
        raise FirmwareError(
            f"the files are {-room.free:,} bytes too big for its file system of "
            f"{room.total:,}; make them smaller"
        )
    image = bytearray()
    for name, content in files.items():
        image += _pack_file(name, content, first=len(image) // CHUNK + 1)
    return bytes(image)


def _pack_file(name: str, content: bytes, first: int) -> bytes:
    encoded = name.encode()
    if not 0 < len(encoded) <= MAX_NAME:
        raise FirmwareError(f"{name!r} is no name for a file on the board; shorten it")
    data = bytes([UNUSED, len(encoded)]) + encoded + content
    parts = [data[start : start + DATA] for start in range(0, len(data) + 1, DATA)]
    image = bytearray()
    for number, part in enumerate(parts):
        head = FILE_START if number == 0 else first + number - 1
        tail = UNUSED if number == len(parts) - 1 else first + number + 1
        image += bytes([head]) + part.ljust(DATA, b"\xff") + bytes([tail])
    image[1] = len(parts[-1])
    return bytes(image)


def unpack(image: bytes) -> dict[str, bytes]:
    """The files that a file system holds; those that were never finished are left out."""
    files = {}
    for start in range(0, len(image) - CHUNK + 1, CHUNK):
        if image[start] == FILE_START and image[start + 1] != UNUSED:
            data = _data_of(image, start)
            name_end = 2 + image[start + 2]
            if len(data) < name_end:
                raise _damaged("a file's name is cut short")
            files[data[2:name_end].decode(errors="replace")] = data[name_end:]
    return files


def _data_of(image: bytes, start: int) -> bytes:
    end = image[start + 1]
    data = b""
    seen = set()
    while start not in seen and 0 <= start <= len(image) - CHUNK:
        seen.add(start)
        chunk = image[start : start + CHUNK]
        if chunk[-1] == UNUSED:
            return data + chunk[1 : 1 + end]
        data += chunk[1:-1]
        start = (chunk[-1] - 1) * CHUNK
    raise _damaged("a file's chunks do not end")


def _damaged(how: str) -> FirmwareError:
    return FirmwareError(f"the file system is damaged: {how}; flash the board again")
