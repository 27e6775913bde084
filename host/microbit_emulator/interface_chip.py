"""The V2's interface chip, as the micro:bit's own processor sees it over I2C.

Modelled: properties that are read (version, power source, ...) and written; the flash for data
logging, the time that it takes, and the file that the drive shows of it. Not modelled: an encoding
window in that file, what a power cut leaves of a write to this flash, sleep.

Sources: micro:bit I2C Protocol Specification 2.03; DAPLink, `source/board/microbitv2`;
codal-microbit-v2, MicroBitPowerManager and MicroBitUSBFlashManager.
"""

from __future__ import annotations

from typing import ClassVar

from microbit_emulator.timeline import NEVER, Timeline

READ_PROPERTY, PROPERTY_VALUE, WRITE_PROPERTY, PROPERTY_WRITTEN = 0x10, 0x11, 0x12, 0x13
ERROR, UNKNOWN_PROPERTY, BUSY = 0x20, 0x34, 0x39
BOARD_VERSION, I2C_VERSION, DAPLINK_VERSION, POWER_SOURCE = 1, 2, 3, 4
POWER_CONSUMPTION, USB_STATE, INTERFACE_STATE, POWER_LED = 5, 6, 7, 8


class InterfaceChip:
    """A request `[READ_PROPERTY, property]` is answered `[PROPERTY_VALUE, property, size, ...]`."""

    ADDRESS = 0x70
    _PROPERTIES: ClassVar = {
        BOARD_VERSION: b"\x04\x99",
        I2C_VERSION: b"\x02\x00",
        DAPLINK_VERSION: (257).to_bytes(2, "little"),  # in decimal, 0257
        POWER_SOURCE: b"\x01",  # USB
        POWER_CONSUMPTION: bytes(8),
        USB_STATE: b"\x01",
        INTERFACE_STATE: b"\x06",
        POWER_LED: b"\x01",
    }

    def __init__(self) -> None:
        self._answer: bytes | None = None

    def lose_power(self) -> None:
        self._answer = None

    def asserts(self) -> bool:
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
            answer = bytes((ERROR, BUSY))
        return answer.ljust(size, b"\xff")[:size]


FILENAME, FILESIZE, VISIBILITY, WRITE_CONFIG, ERASE_CONFIG = 0x01, 0x02, 0x03, 0x04, 0x05
DISK_SIZE, SECTOR_SIZE, REMOUNT, READ, WRITE, ERASE = 0x06, 0x07, 0x08, 0x0A, 0x0B, 0x0C
_HEADER = 8
"""A command byte and a 24-bit address, then a 32-bit length or end address, big-endian."""
_CONFIG_WORDS = 8


class LogFlash:
    """The flash for data logging: each command is answered, beginning with the command's byte.

    While the chip writes or erases, it asks for nothing, and a read brings that it is busy.
    """

    ADDRESS = 0x72
    SECTOR, SECTORS = 1024, 126
    WRITE_US, ERASE_US = 65, 14_000
    """A word, and a sector, typically: KL27P64M48SF6, "Flash timing specifications - commands".

    At most they take 145 and 114,000. The V2.2's interface chip, an nRF52820 or nRF52833, takes 41
    a word, and 87,500 a sector of 4 KB (codal-microbit-v2, issue 167).
    """
    _BY_DEFAULT: ClassVar = {
        FILENAME: b"DATA    BIN",
        FILESIZE: (SECTOR * SECTORS).to_bytes(4, "big"),
        VISIBILITY: b"\x00",
    }

    def __init__(self, time: Timeline, hz: int) -> None:
        self._time, self._per_us = time, hz // 1_000_000
        self._memory = bytearray(b"\xff" * self.SECTOR * self.SECTORS)
        self._stored = dict(self._BY_DEFAULT)
        self.lose_power()

    def lose_power(self) -> None:
        self._settings = dict(self._stored)
        self._mounted = dict(self._stored)
        self._answer: bytes | None = None
        self._free_at = self._time.now()

    def file(self) -> bytes | None:
        """What the drive shows of this flash; None where that is no file."""
        if self._mounted[VISIBILITY] == b"\x00":
            return None
        return bytes(self._memory[: int.from_bytes(self._mounted[FILESIZE], "big")])

    def asserts(self) -> bool:
        return self._answer is not None and self._time.now() >= self._free_at

    def next_answer(self) -> int:
        waits = self._answer is not None and self._time.now() < self._free_at
        return self._free_at if waits else NEVER

    def write(self, data: bytes) -> None:
        """Take a request: read, write or erase flash, or get or set a property of its file."""
        command, us = data[0], 0
        if command in (READ, WRITE, ERASE) and len(data) >= _HEADER:
            self._answer, us = self._access(command, data)
        else:
            if command in self._settings and len(data) > 1:
                self._settings[command] = data[1:]
            elif command in (WRITE_CONFIG, ERASE_CONFIG):
                us = self._store(command)
            elif command == REMOUNT:
                self._mounted = dict(self._settings)
            self._answer = data[:1] + self._property(command)
        self._free_at = max(self._time.now(), self._free_at) + us * self._per_us

    def read(self, size: int) -> bytes:
        """The answer to the last request, padded with 0xFF; busy if there is none yet."""
        if self.asserts() and self._answer is not None:
            answer, self._answer = self._answer, None
        else:
            answer = bytes((ERROR, BUSY))
        return answer.ljust(size, b"\xff")[:size]

    def _property(self, command: int) -> bytes:
        if command == DISK_SIZE:
            return bytes((self.SECTORS,))
        if command == SECTOR_SIZE:
            return self.SECTOR.to_bytes(2, "big")
        return self._settings.get(command, b"")

    def _store(self, command: int) -> int:
        """Write the settings, if others are stored, or erase them; returns microseconds."""
        if command == ERASE_CONFIG:
            self._settings = dict(self._BY_DEFAULT)
        elif self._stored == self._settings:
            return 0
        self._stored = dict(self._settings)
        return self.ERASE_US + (_CONFIG_WORDS * self.WRITE_US if command == WRITE_CONFIG else 0)

    def _access(self, command: int, data: bytes) -> tuple[bytes, int]:
        """Read, write or erase; returns the answer, and how many microseconds that takes."""
        header, content = data[:_HEADER], data[_HEADER:]
        at = int.from_bytes(header[1:4], "big")
        length_or_end = int.from_bytes(header[4:], "big")
        if command == READ:
            return header + self._memory[at : at + length_or_end], 0
        if command == WRITE:
            for place, byte in enumerate(content[: len(self._memory) - at], at):
                self._memory[place] &= byte
            return header, len(content) // 4 * self.WRITE_US
        # The end is the address of the last sector.
        end = min(length_or_end + self.SECTOR, len(self._memory))
        self._memory[at:end] = b"\xff" * (end - at)
        return header, -(-(end - at) // self.SECTOR) * self.ERASE_US
