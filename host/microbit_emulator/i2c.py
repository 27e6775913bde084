"""What is on an I2C bus: devices that are written to, and read from."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Protocol


class I2cDevice(Protocol):
    """A device on the bus. A transfer is whole: start, address, data, stop or repeated start."""

    def write(self, data: bytes) -> None:
        """Take the data of a write transfer, without the address."""

    def read(self, size: int) -> bytes:
        """The `size` bytes that a read transfer brings."""

    def lose_power(self) -> None:
        """Return to the state at power-on."""


class RegisterFile:
    """A device of registers: a write sets the address, and then registers from there on."""

    size = 256
    AT_POWER_ON: tuple[tuple[int, int], ...] = ()
    """The registers that are not 0 then, its identity among them."""

    def __init__(self) -> None:
        self.registers = bytearray(self.size)
        RegisterFile.lose_power(self)

    def lose_power(self) -> None:
        self.address = 0
        self.registers[:] = bytes(self.size)
        for register, value in self.AT_POWER_ON:
            self.registers[register] = value

    def write(self, data: bytes) -> None:
        """Take a register's number and the values for the registers from there on."""
        if data:
            self.address = data[0]
        for byte in data[1:]:
            self.written(self.address % self.size, byte)
            self.address += 1

    def read(self, size: int) -> bytes:
        out = bytearray()
        for _ in range(size):
            out.append(self.get(self.address % self.size))
            self.address += 1
        return bytes(out)

    def written(self, register: int, value: int) -> None:
        self.registers[register] = value

    def get(self, register: int) -> int:
        return self.registers[register]


class Bus:
    """Two pins with devices on them, by address. Other pins have none."""

    def __init__(
        self,
        scl: int,
        sda: int,
        devices: Mapping[int, I2cDevice],
        after_transfer: Callable[[], object] = lambda: None,
    ) -> None:
        self.scl, self.sda, self.devices = scl, sda, devices
        self.after_transfer = after_transfer

    def lose_power(self) -> None:
        for device in self.devices.values():
            device.lose_power()

    def find(self, scl: int, sda: int, address: int) -> I2cDevice | None:
        """The device that acknowledges this address on these pins, if any."""
        if (scl, sda) != (self.scl, self.sda):
            return None
        return self.devices.get(address)
