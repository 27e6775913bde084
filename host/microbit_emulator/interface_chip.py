"""The V2's interface chip, as the micro:bit's own processor sees it over I2C.

Modelled: reading and writing properties (version, power source, ...); the flash for data logging
with its times, and its file on the drive. Not modelled: an encoding window in that file, a power
cut during a write to this flash, sleep.

Sources: micro:bit I2C Protocol Specification 2.03; DAPLink, `source/board/microbitv2`;
codal-microbit-v2, MicroBitPowerManager and MicroBitUSBFlashManager.
"""

from microbit_emulator.cpu import NEVER, Cpu

READ_PROPERTY, PROPERTY_VALUE, WRITE_PROPERTY, PROPERTY_WRITTEN = 0x10, 0x11, 0x12, 0x13
ERROR, UNKNOWN_PROPERTY, BUSY = 0x20, 0x34, 0x39
_PROPERTIES = {
    1: b"\x04\x99",  # the board's version
    2: b"\x02\x00",  # that of the protocol
    3: (257).to_bytes(2, "little"),  # DAPLink's, in decimal, 0257
    4: b"\x01",  # power source: USB
    5: bytes(8),  # power consumption
    6: b"\x01",  # USB state
    7: b"\x06",  # the chip's state
    8: b"\x01",  # power LED
}


class InterfaceChip:
    """A request `[READ_PROPERTY, property]` is answered `[PROPERTY_VALUE, property, size, ...]`."""

    ADDRESS = 0x70

    def __init__(self) -> None:
        self._answer: bytes | None = None

    def lose_power(self) -> None:
        self._answer = None

    def asserts(self) -> bool:
        return self._answer is not None

    def write(self, data: bytes) -> None:
        """Take a request to read or write a property; shorter data are ignored."""
        if len(data) < 2:
            return
        command, name = data[0], data[1]
        if command == WRITE_PROPERTY:
            self._answer = bytes((PROPERTY_WRITTEN, name))
        elif command == READ_PROPERTY:
            self._answer = bytes((ERROR, UNKNOWN_PROPERTY))
            if name in _PROPERTIES:
                value = _PROPERTIES[name]
                self._answer = bytes((PROPERTY_VALUE, name, len(value))) + value

    def read(self, size: int) -> bytes:
        """The answer to the last request, padded with 0xFF; before a request, busy."""
        answer = bytes((ERROR, BUSY))
        if self.asserts() and self._answer is not None:
            answer, self._answer = self._answer, None
        return answer.ljust(size, b"\xff")[:size]


FILENAME, FILESIZE, VISIBILITY, WRITE_CONFIG, ERASE_CONFIG = 0x01, 0x02, 0x03, 0x04, 0x05
DISK_SIZE, SECTOR_SIZE, REMOUNT, READ, WRITE, ERASE = 0x06, 0x07, 0x08, 0x0A, 0x0B, 0x0C
_HEADER = 8
"""A command byte and a 24-bit address, then a 32-bit length or end address, big-endian."""
_CONFIG_WORDS = 8
_SECTOR, _SECTORS = 1024, 126
_WRITE_US, _ERASE_US = 65, 14_000
"""Of a word and of a sector, typically: KL27P64M48SF6, "Flash timing specifications - commands".

The most are 145 and 114,000. The V2.2's interface chip, an nRF52820 or nRF52833, takes 41 per word,
and 87,500 per sector of 4 KB (codal-microbit-v2, issue 167).
"""
_BY_DEFAULT = {
    FILENAME: b"DATA    BIN",
    FILESIZE: (_SECTOR * _SECTORS).to_bytes(4, "big"),
    VISIBILITY: b"\x00",
}


class LogFlash(InterfaceChip):
    """The flash for data logging. Each answer begins with the byte of its command.

    While the chip writes or erases, it requests no transfer, and reading returns busy.
    """

    ADDRESS = 0x72

    def __init__(self, time: Cpu, hz: int) -> None:
        self._time, self._per_us = time, hz // 1_000_000
        self._memory = bytearray(b"\xff" * _SECTOR * _SECTORS)
        self._stored = dict(_BY_DEFAULT)
        self.lose_power()

    def lose_power(self) -> None:
        super().lose_power()
        self._settings = dict(self._stored)
        self._mounted = dict(self._stored)
        self._free_at = self._time.now()

    def file(self) -> bytes | None:
        """The file of this flash on the drive; None if there is none."""
        if self._mounted[VISIBILITY] == b"\x00":
            return None
        return bytes(self._memory[: int.from_bytes(self._mounted[FILESIZE], "big")])

    def asserts(self) -> bool:
        return super().asserts() and self._time.now() >= self._free_at

    def next_answer(self) -> int:
        return NEVER if self._answer is None or self.asserts() else self._free_at

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
            sizes = {DISK_SIZE: bytes((_SECTORS,)), SECTOR_SIZE: _SECTOR.to_bytes(2, "big")}
            self._answer = data[:1] + (self._settings | sizes).get(command, b"")
        self._free_at = max(self._time.now(), self._free_at) + us * self._per_us

    def _store(self, command: int) -> int:
        """Write the settings, if they have changed, or erase them. Returns microseconds."""
        if command == ERASE_CONFIG:
            self._settings = dict(_BY_DEFAULT)
        elif self._stored == self._settings:
            return 0
        self._stored = dict(self._settings)
        return _ERASE_US + (_CONFIG_WORDS * _WRITE_US if command == WRITE_CONFIG else 0)

    def _access(self, command: int, data: bytes) -> tuple[bytes, int]:
        """Read, write or erase. Returns the answer, and how many microseconds that takes."""
        header, content = data[:_HEADER], data[_HEADER:]
        at = int.from_bytes(header[1:4], "big")
        length_or_end = int.from_bytes(header[4:], "big")
        if command == READ:
            return header + self._memory[at : at + length_or_end], 0
        if command == WRITE:
            for place, byte in enumerate(content[: len(self._memory) - at], at):
                self._memory[place] &= byte
            return header, len(content) // 4 * _WRITE_US
        # The end is the address of the last sector.
        end = min(length_or_end + _SECTOR, len(self._memory))
        self._memory[at:end] = b"\xff" * (end - at)
        return header, -(-(end - at) // _SECTOR) * _ERASE_US
