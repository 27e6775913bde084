"""The surroundings of a micro:bit, and the motion sensors, which are registers on the I2C bus.

V1: MMA8653 (accelerometer) and MAG3110 (magnetometer). V2: LSM303AGR (both). Modelled: sample
rates, ranges, data ready. Not modelled: noise, gestures and other interrupts of the sensors,
self-tests, FIFOs.
"""

import struct

from microbit_emulator.cpu import NEVER, Cpu

SUPPLY_V = 3.3
_DATA_READY = 0x0F


class World:
    """Everything that can be sensed."""

    def __init__(self) -> None:
        self.mg = 0, 0, -1000
        """The acceleration along the micro:bit's axes, in milli-g; it lies flat."""
        self.field_nt = 0, 0, 45_000
        """The magnetic field, in nanotesla."""
        self.temperature_c = 21.0
        self.light = 255
        """From 0 to 255, as in `display.read_light_level()`."""
        self.sound = 0
        """From 0 to 244, as in `microphone.sound_level()`."""
        self.logo_touched = False
        self.volts: dict[int, float] = {}
        """At pins, by their numbers on the chip, if set."""


class MotionSensor:
    """Samples three values at a rate, by its own clock.

    A write sets a register's number, and then the registers from there on. A read continues there.
    """

    ADDRESS: int
    REGISTERS = 128
    IDENTITY: tuple[int, int]
    """WHO_AM_I, and its value."""
    STATUS: int
    DATA: int
    """The first of the six bytes with the values."""
    FORMAT: str

    def __init__(self, time: Cpu, hz: int, world: World) -> None:
        self._time, self._hz, self._world = time, hz, world
        self.registers = bytearray(self.REGISTERS)
        self.lose_power()

    def lose_power(self) -> None:
        self.address = 0
        self.registers[:] = bytes(self.REGISTERS)
        who_am_i, identity = self.IDENTITY
        self.registers[who_am_i] = identity
        self._read_at = self._time.now()

    def write(self, data: bytes) -> None:
        if data:
            self.address = data[0] % self.REGISTERS
        for byte in data[1:]:
            self.registers[self.address] = byte
            self._count_up()

    def read(self, size: int) -> bytes:
        out = bytearray()
        for _ in range(size):
            out.append(self.get(self.address))
            self._count_up()
        return bytes(out)

    def _count_up(self) -> None:
        self.address = (self.address + 1) % self.REGISTERS

    def get(self, register: int) -> int:
        """The value of a register; reading the first data register takes the sample."""
        if register == self.STATUS:
            return _DATA_READY if self.ready() else 0
        if register == self.DATA:
            self._read_at = self._time.now()
            self.sample()
        return self.registers[register]

    def sample(self) -> None:
        self.registers[self.DATA : self.DATA + 6] = struct.pack(self.FORMAT, *self.counts())

    def counts(self) -> list[int]:
        """The measured values, in the sensor's own units and axes."""
        raise NotImplementedError

    def period(self) -> int:
        raise NotImplementedError

    def ready(self) -> bool:
        period = self.period()
        return bool(period) and self._time.now() // period > self._read_at // period

    def next_sample(self) -> int:
        period = self.period()
        return (self._time.now() // period + 1) * period if period else NEVER


class Mma8653(MotionSensor):
    """The V1's accelerometer: ten bits, a data-ready pin that is low while a sample waits."""

    ADDRESS, IDENTITY, STATUS, DATA, FORMAT = 0x1D, (0x0D, 0x5A), 0x00, 0x01, ">3h"
    XYZ_DATA_CFG, CTRL_REG1 = 0x0E, 0x2A
    _RATE_DIVIDERS = 1, 2, 4, 8, 16, 64, 128, 512  # of 800 Hz

    def period(self) -> int:
        control = self.registers[self.CTRL_REG1]
        return self._hz * self._RATE_DIVIDERS[control >> 3 & 7] // 800 if control & 1 else 0

    def counts(self) -> list[int]:
        full_scale = 2000 << (self.registers[self.XYZ_DATA_CFG] & 3)
        x, y, z = self._world.mg  # the chip lies the other way round
        return [max(-512, min(511, round(mg * 512 / full_scale))) << 6 for mg in (-x, -y, z)]


class Mag3110(MotionSensor):
    """The V1's magnetometer, with a data-ready pin that is high while a sample waits."""

    ADDRESS, IDENTITY, STATUS, DATA, FORMAT = 0x0E, (0x07, 0xC4), 0x00, 0x01, ">3h"
    CTRL_REG1, _ACTIVE = 0x10, 1
    _NT = 100

    def period(self) -> int:
        control = self.registers[self.CTRL_REG1]
        halvings = (control >> 5 & 7) + (control >> 3 & 3)  # of rate, and by oversampling
        return (self._hz << halvings) // 80 if control & self._ACTIVE else 0

    def counts(self) -> list[int]:  # it lies the other way round
        return [-round(nt / self._NT) for nt in self._world.field_nt]


class Lsm303Accelerometer(MotionSensor):
    """The V2's accelerometer: with bit 7 of a register's number, the number counts up."""

    ADDRESS, IDENTITY, STATUS, DATA, FORMAT = 0x19, (0x0F, 0x33), 0x27, 0x28, "<3h"
    CTRL_REG1, CTRL_REG3, CTRL_REG4 = 0x20, 0x22, 0x23
    _DATA_READY_TO_PIN = 0x10
    _RATES_HZ = 0, 1, 10, 25, 50, 100, 200, 400, 1620, 1344, 0, 0, 0, 0, 0, 0

    def lose_power(self) -> None:
        super().lose_power()
        self._counts_up = False

    def period(self) -> int:
        rate = self._RATES_HZ[self.registers[self.CTRL_REG1] >> 4]
        return self._hz // rate if rate else 0

    def asserts(self) -> bool:
        return bool(self.registers[self.CTRL_REG3] & self._DATA_READY_TO_PIN) and self.ready()

    def write(self, data: bytes) -> None:
        if data:
            self._counts_up = bool(data[0] & 0x80)
        super().write(data)

    def read(self, size: int) -> bytes:
        """The values of registers that count up, or of one register again and again."""
        self.sample()
        if self._counts_up:
            return super().read(size)
        return bytes(self.get(self.address) for _ in range(size))

    def counts(self) -> list[int]:
        full_scale_g = 2 << (self.registers[self.CTRL_REG4] >> 4 & 3)
        x, y, z = self._world.mg
        return [max(-32768, min(32767, int(mg * 32 / full_scale_g))) for mg in (x, -y, z)]


class Lsm303Magnetometer(MotionSensor):
    """The V2's magnetometer."""

    ADDRESS, IDENTITY, STATUS, DATA, FORMAT = 0x1E, (0x4F, 0x40), 0x67, 0x68, "<3h"
    CFG_A, CFG_C = 0x60, 0x62
    _DATA_READY_TO_PIN = 1
    _RATES_HZ = 10, 20, 50, 100
    _NT = 150

    def period(self) -> int:
        config = self.registers[self.CFG_A]
        return 0 if config & 3 else self._hz // self._RATES_HZ[config >> 2 & 3]

    def asserts(self) -> bool:
        return bool(self.registers[self.CFG_C] & self._DATA_READY_TO_PIN) and self.ready()

    def counts(self) -> list[int]:
        x, y, z = self._world.field_nt
        return [round(nt / self._NT) for nt in (x, -y, z)]
