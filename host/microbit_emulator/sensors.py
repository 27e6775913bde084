"""The motion sensors, as registers on the I2C bus.

V1: MMA8653 (accelerometer) and MAG3110 (magnetometer). V2: LSM303AGR (both). What they measure is
set in `mg` and `field_nt`, in the micro:bit's own axes: lying flat with its display up it feels
(0, 0, -1000) mg. Modelled: sample rates, ranges, data ready. Not modelled: noise, gestures and
other interrupts that the chips can work out, self-tests, FIFOs.
"""

from __future__ import annotations

import struct

from microbit_emulator.i2c import RegisterFile
from microbit_emulator.timeline import NEVER, Timeline

FLAT = 0, 0, -1000
FIELD_NT = 0, 0, 45_000


class _Sensor(RegisterFile):
    """A device that samples at a rate, by its own clock."""

    DATA_READY = 0x0F

    def __init__(self, time: Timeline, hz: int) -> None:
        super().__init__()
        self._time, self._hz = time, hz
        self._read_at = time.now()

    def lose_power(self) -> None:
        super().lose_power()
        self._read_at = self._time.now()

    def period(self) -> int:
        raise NotImplementedError

    def ready(self) -> bool:
        period = self.period()
        return bool(period) and self._time.now() // period > self._read_at // period

    def next_sample(self) -> int:
        period = self.period()
        return (self._time.now() // period + 1) * period if period else NEVER

    def was_read(self) -> None:
        self._read_at = self._time.now()


class Mma8653(_Sensor):
    """The V1's accelerometer: ten bits, a data-ready pin that is low while a sample waits."""

    ADDRESS = 0x1D
    STATUS, OUT_X_MSB, OUT_Z_LSB, WHO_AM_I, XYZ_DATA_CFG, CTRL_REG1 = (
        0x00,
        0x01,
        0x06,
        0x0D,
        0x0E,
        0x2A,
    )
    AT_POWER_ON = ((WHO_AM_I, 0x5A),)
    _RATE_DIVIDERS = 1, 2, 4, 8, 16, 64, 128, 512  # of 800 Hz

    def __init__(self, time: Timeline, hz: int) -> None:
        super().__init__(time, hz)
        self.mg: tuple[int, int, int] = FLAT

    def period(self) -> int:
        control = self.registers[self.CTRL_REG1]
        return self._hz * self._RATE_DIVIDERS[control >> 3 & 7] // 800 if control & 1 else 0

    def get(self, register: int) -> int:
        """A register; reading the first of the data takes the sample."""
        if register == self.STATUS:
            return self.DATA_READY if self.ready() else 0
        if register == self.OUT_X_MSB:
            self._sample()
        return super().get(register)

    def _sample(self) -> None:
        self.was_read()
        full_scale = 2000 << (self.registers[self.XYZ_DATA_CFG] & 3)
        x, y, z = self.mg  # the chip lies the other way round
        counts = [max(-512, min(511, round(mg * 512 / full_scale))) << 6 for mg in (-x, -y, z)]
        self.registers[self.OUT_X_MSB : self.OUT_Z_LSB + 1] = struct.pack(">3h", *counts)


class Mag3110(_Sensor):
    """The V1's magnetometer, with a data-ready pin that is high while a sample waits."""

    ADDRESS = 0x0E
    DR_STATUS, OUT_X_MSB, OUT_Z_LSB, WHO_AM_I, CTRL_REG1 = 0x00, 0x01, 0x06, 0x07, 0x10
    AT_POWER_ON = ((WHO_AM_I, 0xC4),)
    _NT = 100
    _ACTIVE = 1

    def __init__(self, time: Timeline, hz: int) -> None:
        super().__init__(time, hz)
        self.field_nt = FIELD_NT

    def period(self) -> int:
        control = self.registers[self.CTRL_REG1]
        halvings = (control >> 5 & 7) + (control >> 3 & 3)  # of rate, and by oversampling
        return (self._hz << halvings) // 80 if control & self._ACTIVE else 0

    def get(self, register: int) -> int:
        """A register; reading the first of the data takes the sample."""
        if register == self.DR_STATUS:
            return self.DATA_READY if self.ready() else 0
        if register == self.OUT_X_MSB:
            self.was_read()
            counts = [-round(nt / self._NT) for nt in self.field_nt]  # it lies the other way round
            self.registers[self.OUT_X_MSB : self.OUT_Z_LSB + 1] = struct.pack(">3h", *counts)
        return super().get(register)


class Lsm303Accelerometer(_Sensor):
    """The V2's accelerometer: with bit 7 of the address, the address counts up."""

    ADDRESS = 0x19
    size = 128
    WHO_AM_I, CTRL_REG1, CTRL_REG3, CTRL_REG4 = 0x0F, 0x20, 0x22, 0x23
    STATUS, OUT_X_L, OUT_Z_H = 0x27, 0x28, 0x2D
    AT_POWER_ON = ((WHO_AM_I, 0x33),)
    _DATA_READY_TO_PIN = 0x10
    _RATES_HZ = 0, 1, 10, 25, 50, 100, 200, 400, 1620, 1344, 0, 0, 0, 0, 0, 0

    def __init__(self, time: Timeline, hz: int) -> None:
        super().__init__(time, hz)
        self._asserted = False
        self._counts_up = False
        self.mg: tuple[int, int, int] = FLAT

    def lose_power(self) -> None:
        super().lose_power()
        self._asserted = self._counts_up = False

    def period(self) -> int:
        rate = self._RATES_HZ[self.registers[self.CTRL_REG1] >> 4]
        return self._hz // rate if rate else 0

    def asserts(self) -> bool:
        if not self._asserted and self.registers[self.CTRL_REG3] & self._DATA_READY_TO_PIN:
            self._asserted = self.ready()
        return self._asserted

    def write(self, data: bytes) -> None:
        """Release the pin, and write; bit 7 of the register's number makes it count up."""
        self._asserted = False
        if data:
            self._counts_up = bool(data[0] & 0x80)
            super().write(bytes((data[0] & 0x7F,)) + data[1:])

    def read(self, size: int) -> bytes:
        """The values of registers that count up, or of one register again and again."""
        self._sample()
        if self._counts_up:
            return super().read(size)
        return bytes(self.get(self.address) for _ in range(size))

    def get(self, register: int) -> int:
        """A register; reading the last of the data releases the pin."""
        if register == self.STATUS:
            return self.DATA_READY if self.ready() else 0
        if register == self.OUT_Z_H:
            self.was_read()
            self._asserted = False
        return super().get(register)

    def _sample(self) -> None:
        full_scale_g = 2 << (self.registers[self.CTRL_REG4] >> 4 & 3)
        x, y, z = self.mg
        counts = [max(-32768, min(32767, int(mg * 32 / full_scale_g))) for mg in (x, -y, z)]
        self.registers[self.OUT_X_L : self.OUT_Z_H + 1] = struct.pack("<3h", *counts)


class Lsm303Magnetometer(_Sensor):
    """The V2's magnetometer."""

    ADDRESS = 0x1E
    WHO_AM_I, CFG_A, CFG_C, STATUS, OUT_X_L, OUT_Z_H = 0x4F, 0x60, 0x62, 0x67, 0x68, 0x6D
    AT_POWER_ON = ((WHO_AM_I, 0x40),)
    _DATA_READY_TO_PIN = 1
    _RATES_HZ = 10, 20, 50, 100
    _NT = 150

    def __init__(self, time: Timeline, hz: int) -> None:
        super().__init__(time, hz)
        self.field_nt = FIELD_NT

    def period(self) -> int:
        config = self.registers[self.CFG_A]
        return 0 if config & 3 else self._hz // self._RATES_HZ[config >> 2 & 3]

    def asserts(self) -> bool:
        return bool(self.registers[self.CFG_C] & self._DATA_READY_TO_PIN) and self.ready()

    def write(self, data: bytes) -> None:
        """Write registers; they always count up, whatever bit 7 of the number says."""
        if data:
            super().write(bytes((data[0] & 0x7F,)) + data[1:])

    def get(self, register: int) -> int:
        """A register; reading the first of the data takes the sample."""
        if register == self.STATUS:
            return self.DATA_READY if self.ready() else 0
        if register == self.OUT_X_L:
            self.was_read()
            x, y, z = self.field_nt
            counts = [round(nt / self._NT) for nt in (x, -y, z)]
            self.registers[self.OUT_X_L : self.OUT_Z_H + 1] = struct.pack("<3h", *counts)
        return super().get(register)
