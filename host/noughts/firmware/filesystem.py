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


@dataclass(frozen=True)
class Layout:
    """Where a file system lies in flash: byte addresses, `end` exclusive."""

    start: int
    end: int

    @property
    def chunks(self) -> int:
        """How many chunks there are."""
        return (self.end - self.start) // CHUNK


def chunks_of(name: str, content: bytes) -> int:
    """How many chunks a file takes."""
    return (2 + len(name.encode()) + len(content)) // DATA + 1


def pack(files: Mapping[str, bytes], layout: Layout) -> bytes:
    """The file system that holds these files, from `layout.start` on; the rest is unused.

    Raises `FirmwareError` when the files do not fit, saying by how many bytes.
    """
    need = sum(chunks_of(name, content) for name, content in files.items())
    if need > layout.chunks:
        over = (need - layout.chunks) * CHUNK
        raise FirmwareError(
            f"the files are {over:,} bytes too big for the board's "
            f"{layout.chunks * CHUNK:,}; leave some out"
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
            length = data[1]
            files[data[2 : 2 + length].decode(errors="replace")] = data[2 + length :]
    return files


def _data_of(image: bytes, start: int) -> bytes:
    end = image[start + 1]
    data = b""
    seen = set()
    while start not in seen and start + CHUNK <= len(image):
        seen.add(start)
        chunk = image[start : start + CHUNK]
        if chunk[-1] == UNUSED:
            return data + chunk[1 : 1 + end]
        data += chunk[1:-1]
        start = (chunk[-1] - 1) * CHUNK
    raise FirmwareError("the file system is damaged: a file's chunks do not end; flash it again")
