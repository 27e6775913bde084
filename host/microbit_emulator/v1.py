"""The micro:bit V1: nRF51822 at 16 MHz, 256 KB of flash, 16 KB of RAM."""

from __future__ import annotations

from microbit_emulator.analog import Adc
from microbit_emulator.chip import Chip
from microbit_emulator.gpio import Gpiote
from microbit_emulator.i2c import Twi
from microbit_emulator.lights import LitTimes, Matrix
from microbit_emulator.pins import Oscillation
from microbit_emulator.ppi import Ppi
from microbit_emulator.sensors import SUPPLY_V, Mag3110, Mma8653
from microbit_emulator.timeline import NEVER
from microbit_emulator.uart import Uart
from microbit_emulator.unicorn_core import arm_const

_SCL, _SDA, _ACCELEROMETER_READY, _MAGNETOMETER_READY = 0, 30, 28, 29
_PPI_CHANNELS, _GPIOTE_CHANNELS = 16, 4
_SERIAL_MASTERS = (0x4000_3000, 3), (0x4000_4000, 4)
_PERIPHERALS = range(0x4000_0000, 0x4002_0000, 0x1000)
_FICR = {
    0x010: 1024,  # CODEPAGESIZE
    0x014: 256,  # CODESIZE
    0x02C: 0xFF,  # PPFC
    0x034: 2,  # NUMRAMBLOCK
    0x038: 0x2000,  # SIZERAMBLOCKS
    0x05C: 0x72,  # CONFIGID
    0x060: 0x1234_5678,  # DEVICEID
    0x064: 0x9ABC_DEF0,
    0x0A0: 0,  # DEVICEADDRTYPE
    0x0A4: 0xDEAD_BEEF,  # DEVICEADDR
    0x0A8: 0xC0DE,
}
_LEDS = Matrix(
    rows=(13, 14, 15),
    columns=tuple(range(4, 13)),
    places=(
        ((0, 0), (2, 0), (4, 0), (4, 3), (3, 3), (2, 3), (1, 3), (0, 3), (1, 2)),
        ((4, 2), (0, 2), (2, 2), (1, 0), (3, 0), (3, 4), (1, 4), None, None),
        ((2, 4), (4, 4), (0, 4), (0, 1), (1, 1), (2, 1), (3, 1), (4, 1), (3, 2)),
    ),
    shares=tuple(us / 6000 for us in (0, 32, 64, 128, 240, 448, 848, 1632, 3184, 6000)),
)
_LIGHT_PINS = 4, 5, 6
_DARK, _BRIGHT = 338, 75
"""What the converter reads at them (microbit-dal, `MicroBitLightSensor`)."""


class V1(Chip):
    """The chip, and what the board wires to it."""

    hz = 16_000_000
    model, has_fpu, cpuid, irqs = arm_const.UC_CPU_ARM_CORTEX_M0, False, 0x410C_C200, 32
    flash_size, page, ram_size = 0x4_0000, 1024, 0x4000
    write_us, erase_us = 46, 22_300
    ficr = _FICR
    buttons = ("A", 17), ("B", 26)
    bus_pins = _SCL, _SDA
    usb_pins = 24, 25
    edge_pins = 3, 2, 1, 4, 5, 17, 12, 11, 18, 10, 6, 26, 20, 23, 22, 21, 16
    leds = _LEDS
    timers = (0x4000_8000, 8, 4), (0x4000_9000, 9, 4), (0x4000_A000, 10, 4)
    analog_pins = 26, 27, 1, 2, 3, 4, 5, 6

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.accelerometer = Mma8653(self.cpu, self.hz, self.world)
        self.magnetometer = Mag3110(self.cpu, self.hz, self.world)
        self.connect({Mma8653.ADDRESS: self.accelerometer, Mag3110.ADDRESS: self.magnetometer})

    def build(self, reason: int) -> None:
        super().build(reason)
        LitTimes(self.cpu, self.hz, _LEDS, self.port, self.lights)
        self.attach(Gpiote(self, self.ports, _GPIOTE_CHANNELS))
        self.attach(Uart(self, self.lines))
        for base, irq in _SERIAL_MASTERS:
            self.attach(Twi(self, base, irq, self.bus))
        self.attach(Adc(self, self.volts_at))
        self.attach(Ppi(self, _PPI_CHANNELS))
        self.attach_unmodelled(_PERIPHERALS)

    def volts_at(self, analog_input: int, nth: int = 0) -> float:
        """The LEDs are what senses light: a column without a wire gives less the brighter it is."""
        pin = self.analog_pins[analog_input]
        if pin in _LIGHT_PINS and pin not in self.world.volts:
            level = _DARK - self.world.light * (_DARK - _BRIGHT) / 255
            return SUPPLY_V * level / 1024
        return super().volts_at(analog_input, nth)

    @property
    def sound(self) -> Oscillation:
        return self.port.oscillations[self.edge_pins[0]]

    def drive_inputs(self) -> int:
        sensors = self.accelerometer, self.magnetometer
        ready = [sensor.ready() for sensor in sensors]
        self.port.drive(_ACCELEROMETER_READY, not ready[0])
        self.port.drive(_MAGNETOMETER_READY, ready[1])
        # Only a transfer on the bus lets a pin go; a sample sets one.
        waiting = [sensor for sensor, is_ready in zip(sensors, ready, strict=True) if not is_ready]
        return min((sensor.next_sample() for sensor in waiting), default=NEVER)
