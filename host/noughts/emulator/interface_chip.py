"""The V2's interface chip, as the micro:bit's own processor sees it over I2C.

Modelled: properties that are read (version, power source, ...) and written. Not modelled: its
flash for data logging at address 0x72 (nothing answers there), sleep.
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

    def asserts(self) -> bool:
        """Whether it pulls the interrupt pin: from an answer on, until it is read."""
        return self._answer is not None

    def write(self, data: bytes) -> None:
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
        answer, self._answer = self._answer, None
        if answer is None:
            answer = bytes((ERROR, NO_DATA))
        return answer.ljust(size, b"\xff")[:size]
