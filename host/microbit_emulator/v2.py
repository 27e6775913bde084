"""The micro:bit V2: nRF52833 at 64 MHz, 512 KB of flash, 128 KB of RAM."""

from __future__ import annotations

from microbit_emulator.analog import Pwm, Saadc
from microbit_emulator.chip import Chip
from microbit_emulator.flash import Nvmc
from microbit_emulator.gpio import Gpio, Gpiote, Port
from microbit_emulator.interface_chip import InterfaceChip, LogFlash
from microbit_emulator.nvic import SystemControl
from microbit_emulator.peripheral import Peripheral
from microbit_emulator.ppi import Ppi
from microbit_emulator.radio import Radio
from microbit_emulator.sensors import Lsm303Accelerometer, Lsm303Magnetometer
from microbit_emulator.system import Clock, Debug, Egu, Rng, Temp
from microbit_emulator.timeline import NEVER, Timeline
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
_LED_TIMER_CHANNELS = 6
_LED_TIMER = 0x4001_B000, 27, _LED_TIMER_CHANNELS
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
        self.wire(self.attach(Gpio(self, ports=2)).ports[0], self._drive_interrupt_pin)
        gpiote = self.attach(Gpiote(self, _GPIOTE_CHANNELS, self._charging_us))
        self.lights = Lights(self.cpu, self.hz, self.port, gpiote)
        self.attach(Uarte(self, self.line))
        for timer in _TIMERS:
            self.attach(Timer(self, *timer))
        self.attach(LedTimer(self, self.lights))
        for base, irq in (*_SERIAL_MASTERS, *_SPI_MASTERS):
            self.attach(Twim(self, base, irq, self.bus))
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

    def levels(self) -> bytes:
        """The LEDs' levels from 0 to 9, in reading order."""
        return self.lights.levels()

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


ROW_PINS = 21, 22, 15, 24, 19
_COLUMNS = 5
_COLUMN_CHANNELS = range(1, 1 + _COLUMNS)
"""Of GPIOTE and of the timer's compare registers, those of the columns."""
_DARK_AFTER_US = 50_000


class LedTimer(Timer):
    """TIMER4 shows a row of LEDs each time it starts."""

    def __init__(self, chip: V2, lights: Lights) -> None:
        super().__init__(chip, *_LED_TIMER)
        self._lights = lights

    def start(self) -> None:
        """Start the timer, and note the row of LEDs that it shows."""
        super().start()
        self._lights.show_row(self.cc)


class Lights:
    """The levels that the pins give the LEDs.

    A row is high, and a column is low until its compare register is reached. A level v is a
    pulse of about 2^v/512 of the row's time.
    """

    def __init__(self, time: Timeline, hz: int, port: Port, gpiote: Gpiote) -> None:
        self._time, self._port, self._gpiote = time, port, gpiote
        self._dark_after = _DARK_AFTER_US * (hz // 1_000_000)
        self._rows = [1 << pin for pin in ROW_PINS]
        dark = [0] * _LED_TIMER_CHANNELS, [False] * _COLUMNS
        self._shown = [dark] * len(ROW_PINS)
        """The compare registers, and which columns are lit, when a row was shown."""
        self._shown_at = [-(1 << 62)] * len(ROW_PINS)

    def show_row(self, compare: list[int]) -> None:
        """The timer starts: take the row that is high, and how long each column will be low."""
        out = self._port.out
        for row, pin in enumerate(self._rows):
            if out & pin:
                lit = [self._gpiote.drives_low_first(channel) for channel in _COLUMN_CHANNELS]
                self._shown[row] = compare[:], lit
                self._shown_at[row] = self._time.now()

    def levels(self) -> bytes:
        """25 levels from 0 to 9, in reading order; a row not shown for 50 ms is dark."""
        oldest = self._time.now() - self._dark_after
        levels = bytearray()
        for (compare, lit), shown_at in zip(self._shown, self._shown_at, strict=True):
            for channel, is_lit in zip(_COLUMN_CHANNELS, lit, strict=True):
                pulse = round(compare[channel] / (compare[0] or 1) * 256)
                level = 9 if pulse >= 255 else pulse.bit_length()
                levels.append(level if is_lit and shown_at >= oldest else 0)
        return bytes(levels)
