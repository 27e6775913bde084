"""The micro:bit V2: nRF52833 at 64 MHz, 512 KB of flash, 128 KB of RAM."""

from __future__ import annotations

from microbit_emulator.analog import Pwm, Saadc
from microbit_emulator.chip import Chip
from microbit_emulator.flash import Nvmc
from microbit_emulator.gpio import Gpio, Gpiote
from microbit_emulator.interface_chip import InterfaceChip, LogFlash
from microbit_emulator.lights import Pulses
from microbit_emulator.nvic import SystemControl
from microbit_emulator.peripheral import Peripheral
from microbit_emulator.ppi import Ppi
from microbit_emulator.radio import Radio
from microbit_emulator.sensors import Lsm303Accelerometer, Lsm303Magnetometer
from microbit_emulator.system import Clock, Debug, Egu, Rng, Rtc, Temp
from microbit_emulator.timeline import NEVER
from microbit_emulator.timers import Timer
from microbit_emulator.twim import Twim
from microbit_emulator.uart import Uarte
from microbit_emulator.unicorn_core import arm_const

_SCL, _SDA, _INTERRUPT = 8, 16, 25
_LOGO = 0x20 + 4  # P1.04
_CHARGING_US, _CHARGING_TOUCHED_US = 25, 1000
_CPUID = 0x410F_C241  # Cortex-M4
_PPI_CHANNELS, _GPIOTE_CHANNELS = 20, 8
_TIMERS = (0x4000_8000, 8, 4), (0x4000_9000, 9, 4), (0x4000_A000, 10, 4), (0x4001_A000, 26, 6)
_RTCS = (0x4000_B000, 11, 3), (0x4001_1000, 17, 4), (0x4002_4000, 36, 4)
_LED_TIMER = 0x4001_B000, 27, 6
_ROWS, _COLUMNS = (21, 22, 15, 24, 19), (28, 11, 31, 0x20 + 5, 30)
_PLACES = tuple(tuple((x, y) for x in range(5)) for y in range(5))
_SERIAL_MASTERS = (0x4000_3000, 3), (0x4000_4000, 4)
_SPI_MASTERS = (0x4002_3000, 35), (0x4002_F000, 47)
_PWMS = (0x4001_C000, 28), (0x4002_1000, 33), (0x4002_2000, 34), (0x4002_D000, 45)
_EGUS = range(0x4001_4000, 0x4001_A000, 0x1000)
_ITM, _DWT = 0xE000_0000, 0xE000_1000
_GPIOTE_PAGE = 0x4000_6000
_PERIPHERALS = range(0x4000_0000, 0x4004_0000, 0x1000)
_FICR = {
    0x010: 4096,  # CODEPAGESIZE
    0x014: 128,  # CODESIZE
    0x060: 0x1234_5678,  # DEVICEID
    0x064: 0x9ABC_DEF0,
    0x0A0: 0,  # DEVICEADDRTYPE
    0x0A4: 0xDEAD_BEEF,  # DEVICEADDR
    0x0A8: 0xC0DE,
    0x100: 0x52833,  # INFO.PART
    0x104: 0x4141_4130,  # INFO.VARIANT
    0x108: 0x2000,  # INFO.PACKAGE
    0x10C: 128,  # INFO.RAM
    0x110: 512,  # INFO.FLASH
}


class V2(Chip):
    """The chip, and what the board wires to it."""

    hz = 64_000_000
    buttons = ("A", 14), ("B", 23)
    bus_pins = _SCL, _SDA
    usb_pins = 6, 0x20 + 8

    def __init__(self, seed: int) -> None:
        super().__init__(
            arm_const.UC_CPU_ARM_CORTEX_M4,
            has_fpu=True,
            flash_size=0x8_0000,
            page=4096,
            ram_size=0x2_0000,
            write_us=41,
            erase_us=85_000,
            ficr=_FICR,
            seed=seed,
        )
        self._logo_touched = False
        self.accelerometer = Lsm303Accelerometer(self.cpu, self.hz)
        self._magnetometer = Lsm303Magnetometer(self.cpu, self.hz)
        self._interface = InterfaceChip()
        self.log_flash = LogFlash(self.cpu, self.hz)
        self.connect(
            {
                Lsm303Accelerometer.ADDRESS: self.accelerometer,
                Lsm303Magnetometer.ADDRESS: self._magnetometer,
                InterfaceChip.ADDRESS: self._interface,
                LogFlash.ADDRESS: self.log_flash,
            }
        )

    def build(self, reason: int) -> None:
        """Make the nRF52833's peripherals, and wire them to the board."""
        self.attach(SystemControl(self, _CPUID, irqs=64))
        self.attach(Debug(self, _ITM))
        self.attach(Debug(self, _DWT))
        self.attach(Clock(self, reason))
        self.attach(Nvmc(self))
        self.wire(self.attach(Gpio(self, ports=2)).ports, self._drive_interrupt_pin)
        gpiote = self.attach(Gpiote(self, _GPIOTE_CHANNELS, self._charging_us))
        self.lights = Pulses(self.cpu, self.hz, _ROWS, _COLUMNS, _PLACES, self.ports, gpiote)
        self.attach(Uarte(self))
        for timer in _TIMERS:
            self.attach(Timer(self, *timer))
        self.attach(LedTimer(self, self.lights))
        for base, irq in (*_SERIAL_MASTERS, *_SPI_MASTERS):
            self.attach(Twim(self, base, irq, self.bus))
        for base, irq, channels in _RTCS:
            self.attach(Rtc(self, base, irq, channels))
        self.attach(Rng(self))
        self.attach(Temp(self))
        self.attach(Saadc(self))
        self.radio = self.attach(Radio(self))
        for base, irq in _PWMS:
            self.attach(Pwm(self, base, irq))
        for base in _EGUS:
            self.attach(Egu(self, base, base >> 12 & 0x3F))
        # The LEDs' timer ends pulses on columns through GPIOTE: `Lights` reads their lengths.
        self.attach(Ppi(self, _PPI_CHANNELS, ignored=(_GPIOTE_PAGE,)))
        for base in _PERIPHERALS:
            if base not in self.pages:
                self.attach(Peripheral(self, base, base >> 12 & 0x3F))

    def touch_logo(self, touched: bool) -> bool:
        """Touch the logo, or let it go; True, for this board has one."""
        self._logo_touched = touched
        return True

    def _drive_interrupt_pin(self) -> int:
        """One pin for all that is on the board's I2C bus: low while any of them asks."""
        asking = (
            self._interface.asserts()
            or self.log_flash.asserts()
            or self.accelerometer.asserts()
            or self._magnetometer.asserts()
        )
        self.port.drive(_INTERRUPT, not asking)
        # Only a transfer changes it then; else a new sample or an answer may come before.
        sensors = self.accelerometer, self._magnetometer
        next_sample = min(sensor.next_sample() for sensor in sensors)
        return NEVER if asking else min(next_sample, self.log_flash.next_answer())

    def _charging_us(self, pin: int) -> int:
        """A finger adds capacity, which takes longer to charge."""
        return _CHARGING_TOUCHED_US if pin == _LOGO and self._logo_touched else _CHARGING_US


class LedTimer(Timer):
    """TIMER4 shows a row of LEDs each time it starts."""

    def __init__(self, chip: V2, lights: Pulses) -> None:
        super().__init__(chip, *_LED_TIMER)
        self._lights = lights

    def start(self) -> None:
        """Start the timer, and note the row of LEDs that it shows."""
        super().start()
        self._lights.show_row(self.cc)
