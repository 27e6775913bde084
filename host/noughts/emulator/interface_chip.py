"""The V2's interface chip, as the micro:bit's own processor sees it over I2C.

Modelled: properties that are read (version, power source, ...) and written; the flash for data
logging, with its file's name, size and visibility. Not modelled: the time that this flash takes,
the drive that shows the file to a computer, sleep.

Source of the protocols: codal-microbit-v2, MicroBitPowerManager and MicroBitUSBFlashManager.
"""

from __future__ import annotations

from typing import ClassVar

READ_PROPERTY, PROPERTY_VALUE, WRITE_PROPERTY, PROPERTY_WRITTEN = 0x10, 0x11, 0x12, 0x13
ERROR, UNKNOWN_PROPERTY, NO_DATA = 0x20, 0x32, 0x31
BOARD_VERSION, I2C_VERSION, DAPLINK_VERSION, POWER_SOURCE = 1, 2, 3, 4
POWER_CONSUMPTION, USB_STATE, INTERFACE_STATE, POWER_LED = 5, 6, 7, 8


class InterfaceChip:
    """A request `[READ_PROPERTY, property]` is answered `[PROPERTY_VALUE, property, size, ...]`."""

    ADDRESS = 0x70
    _PROPERTIES: ClassVar = {
        BOARD_VERSION: b"\x04\x99",
        I2C_VERSION: b"\x02\x00",
        DAPLINK_VERSION: b"\x57\x02",
        POWER_SOURCE: b"\x01",  # USB
        POWER_CONSUMPTION: bytes(8),
        USB_STATE: b"\x01",
        INTERFACE_STATE: b"\x06",
        POWER_LED: b"\x01",
    }

    def __init__(self) -> None:
        self._answer: bytes | None = None

    def lose_power(self) -> None:
        """Forget an answer that was not read."""
        self._answer = None

    def asserts(self) -> bool:
        """Whether it pulls the interrupt pin: from an answer on, until it is read."""
        return self._answer is not None

    def write(self, data: bytes) -> None:
        """Take a request to read or to write a property; shorter data are ignored."""
        if len(data) < 2:
            return
        command, name = data[0], data[1]
        if command == READ_PROPERTY:
            value = self._PROPERTIES.get(name)
            if value is None:
                self._answer = bytes((ERROR, UNKNOWN_PROPERTY))
            else:
                self._answer = bytes((PROPERTY_VALUE, name, len(value))) + value
        elif command == WRITE_PROPERTY:
            self._answer = bytes((PROPERTY_WRITTEN, name))

    def read(self, size: int) -> bytes:
        """The answer to the last request, padded with 0xFF; an error if there is none."""
        answer, self._answer = self._answer, None
        if answer is None:
            answer = bytes((ERROR, NO_DATA))
        return answer.ljust(size, b"\xff")[:size]


FILENAME, FILESIZE, VISIBILITY, WRITE_CONFIG, ERASE_CONFIG = 0x01, 0x02, 0x03, 0x04, 0x05
DISK_SIZE, SECTOR_SIZE, REMOUNT, READ, WRITE, ERASE = 0x06, 0x07, 0x08, 0x0A, 0x0B, 0x0C
_SECTOR, _SECTORS = 1024, 126
_HEADER = 8
"""A command byte and a 24-bit address, then a 32-bit length or end address, big-endian."""


class LogFlash:
    """The flash for data logging: each command is answered, beginning with the command's byte."""

    ADDRESS = 0x72

    def __init__(self) -> None:
        self._memory = bytearray(b"\xff" * _SECTOR * _SECTORS)
        self._settings = {
            FILENAME: b"MY_DATA HTM",
            FILESIZE: (_SECTOR * _SECTORS).to_bytes(4, "big"),
            VISIBILITY: b"\x00",
            DISK_SIZE: bytes((_SECTORS,)),
            SECTOR_SIZE: _SECTOR.to_bytes(2, "big"),
        }
        self._answer: bytes | None = None

    def lose_power(self) -> None:
        """Forget an answer that was not read; the flash keeps its content."""
        self._answer = None

    def asserts(self) -> bool:
        """Whether it pulls the interrupt pin: from an answer on, until it is read."""
        return self._answer is not None

    def write(self, data: bytes) -> None:
        """Take a request: read, write or erase flash, or get or set a property of its file."""
        command = data[0]
        if command in (READ, WRITE, ERASE) and len(data) >= _HEADER:
            self._answer = self._access(command, data)
            return
        if command in (FILENAME, FILESIZE, VISIBILITY) and len(data) > 1:
            self._settings[command] = data[1:]
        self._answer = data[:1] + self._settings.get(command, b"")

    def read(self, size: int) -> bytes:
        """The answer to the last request, padded with 0xFF; an error if there is none."""
        answer, self._answer = self._answer, None
        if answer is None:
            answer = bytes((ERROR, NO_DATA))
        return answer.ljust(size, b"\xff")[:size]

    def _access(self, command: int, data: bytes) -> bytes:
        header, content = data[:_HEADER], data[_HEADER:]
        at = int.from_bytes(header[1:4], "big")
        length_or_end = int.from_bytes(header[4:], "big")
        if command == READ:
            return header + self._memory[at : at + length_or_end]
        if command == WRITE:
            for place, byte in enumerate(content[: len(self._memory) - at], at):
                self._memory[place] &= byte
        else:  # the end is the address of the last sector
            end = min(length_or_end + _SECTOR, len(self._memory))
            self._memory[at:end] = b"\xff" * (end - at)
        return header
