"""The micro:bit V2: nRF52833 at 64 MHz, 512 KB of flash, 128 KB of RAM."""

from __future__ import annotations

from microbit_emulator.analog import Saadc
from microbit_emulator.chip import Chip
from microbit_emulator.gpio import Gpiote
from microbit_emulator.i2c import Twim
from microbit_emulator.interface_chip import InterfaceChip, LogFlash
from microbit_emulator.lights import Lights, Matrix
from microbit_emulator.peripheral import Peripheral
from microbit_emulator.pins import Oscillation, PinState
from microbit_emulator.ppi import Ppi
from microbit_emulator.pwm import Pwm
from microbit_emulator.sensors import Lsm303Accelerometer, Lsm303Magnetometer
from microbit_emulator.system import Egu
from microbit_emulator.timeline import NEVER
from microbit_emulator.timers import Timer
from microbit_emulator.uart import Uarte
from microbit_emulator.unicorn_core import arm_const

_SCL, _SDA, _INTERRUPT = 8, 16, 25
_LOGO = 0x20 + 4  # P1.04
_CHARGING_US, _CHARGING_TOUCHED_US = 25, 1000
_PPI_CHANNELS, _GPIOTE_CHANNELS = 20, 8
_RTC1, _RTC_START_STOP = (0x4001_1000, 17), (0x000, 0x004)
_LED_TIMER = 0x4001_B000, 27, 6
_LED_TICKS_PER_US = 16
_MICROPHONE, _MICROPHONE_BIAS_V = 5, 0.103
_QUIETEST_V, _QUIETEST, _LEVELS_AN_OCTAVE = 0.001, 31, 31.8
"""The amplitude that the firmware gives this level, and by how much twice the amplitude is more."""
_LEDS = Matrix(
    rows=(21, 22, 15, 24, 19),
    columns=(28, 11, 31, 0x20 + 5, 30),
    places=tuple(tuple((x, y) for x in range(5)) for y in range(5)),
    shares=(0, *(2**level / 512 for level in range(1, 10))),
)
_SERIAL_MASTERS = (0x4000_3000, 3), (0x4000_4000, 4)
_SPI_MASTERS = (0x4002_3000, 35), (0x4002_F000, 47)
_PWMS = (0x4001_C000, 28), (0x4002_1000, 33), (0x4002_2000, 34), (0x4002_D000, 45)
_EGUS = range(0x4001_4000, 0x4001_A000, 0x1000)
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
    model, has_fpu, cpuid, irqs = arm_const.UC_CPU_ARM_CORTEX_M4, True, 0x410F_C241, 64
    flash_size, page, ram_size = 0x8_0000, 4096, 0x2_0000
    write_us, erase_us = 41, 85_000
    ficr = _FICR
    buttons = ("A", 14), ("B", 23)
    bus_pins = _SCL, _SDA
    usb_pins = 6, 0x20 + 8
    edge_pins = 2, 3, 4, 31, 28, 14, 0x25, 11, 10, 9, 30, 23, 12, 17, 1, 13, 0x22
    leds = _LEDS
    timers = (0x4000_8000, 8, 4), (0x4000_9000, 9, 4), (0x4000_A000, 10, 4), (0x4001_A000, 26, 6)
    analog_pins = 2, 3, 4, _MICROPHONE, 28, 29, 30, 31

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.accelerometer = Lsm303Accelerometer(self.cpu, self.hz, self.world)
        self.magnetometer = Lsm303Magnetometer(self.cpu, self.hz, self.world)
        self._interface = InterfaceChip()
        self.log_flash = LogFlash(self.cpu, self.hz)
        self.connect(
            {
                Lsm303Accelerometer.ADDRESS: self.accelerometer,
                Lsm303Magnetometer.ADDRESS: self.magnetometer,
                InterfaceChip.ADDRESS: self._interface,
                LogFlash.ADDRESS: self.log_flash,
            }
        )

    def build(self, reason: int) -> None:
        super().build(reason)
        gpiote = self.attach(Gpiote(self, self.ports, _GPIOTE_CHANNELS, self._charging_us))
        self.attach(Uarte(self, self.lines))
        self._led_timer = self.attach(LedTimer(self, self.lights, gpiote))
        for base, irq in (*_SERIAL_MASTERS, *_SPI_MASTERS):
            self.attach(Twim(self, base, irq, self.bus))
        rtc1 = self.attach(Peripheral(self, *_RTC1))
        rtc1.accept(*_RTC_START_STOP)  # CODAL does both when it sleeps
        self.attach(Saadc(self, self.volts_at))
        self._pwms = [self.attach(Pwm(self, base, irq)) for base, irq in _PWMS]
        for base in _EGUS:
            self.attach(Egu(self, base, base >> 12 & 0x3F))
        # The LEDs' timer ends pulses on columns through GPIOTE: `Lights` reads their lengths.
        self.attach(Ppi(self, _PPI_CHANNELS, ignored=(_GPIOTE_PAGE,)))
        self.attach_unmodelled(_PERIPHERALS)

    def volts_at(self, analog_input: int, nth: int = 0) -> float:
        """What the microphone hears is a square wave of 16 samples, about its own bias."""
        if self.analog_pins[analog_input] == _MICROPHONE:
            sound = self.world.sound
            volts = sound and _QUIETEST_V * 2 ** ((sound - _QUIETEST) / _LEVELS_AN_OCTAVE)
            return _MICROPHONE_BIAS_V + volts * (1 if nth & 8 else -1)
        return super().volts_at(analog_input, nth)

    def pin_state(self, pin: int) -> PinState:
        states = (pwm.pin_state(pin) for pwm in self._pwms)
        return next(filter(None, states), None) or super().pin_state(pin)

    @property
    def sound(self) -> Oscillation:
        """What is played: samples, by PWM, to the speaker and to pin 0."""
        return next((pwm.sound for pwm in self._pwms if pwm.plays_sound), Oscillation())

    def drive_inputs(self) -> int:
        """One pin for all that is on the board's I2C bus: low while any of them asks."""
        sensors = self.accelerometer, self.magnetometer
        devices = self._interface, self.log_flash, *sensors
        asking = any(device.asserts() for device in devices)
        self.port.drive(_INTERRUPT, not asking)
        # Only a transfer changes it then; else a new sample or an answer may come before.
        next_sample = min(sensor.next_sample() for sensor in sensors)
        return NEVER if asking else min(next_sample, self.log_flash.next_answer())

    def _charging_us(self, pin: int) -> int:
        """A finger adds capacity, which takes longer to charge; light discharges a row of LEDs.

        The level is worked out from the row's share of the LED timer's period (codal-microbit-v2,
        `NRF52LEDMatrix::render`).
        """
        if pin == _LEDS.rows[0]:
            ticks = self._led_timer.cc[0] * (255 - self.world.light) // 255
            return max(_CHARGING_US, ticks // _LED_TICKS_PER_US)
        touched = pin == _LOGO and self.world.logo_touched
        return _CHARGING_TOUCHED_US if touched else _CHARGING_US


class LedTimer(Timer):
    """TIMER4 shows a row of LEDs each time it starts.

    A column is low until its compare register is reached, where GPIOTE's channel of the same number
    lets it begin so.
    """

    def __init__(self, chip: V2, lights: Lights, gpiote: Gpiote) -> None:
        super().__init__(chip, *_LED_TIMER)
        self._lights, self._port, self._gpiote = lights, chip.port, gpiote

    def start(self) -> None:
        super().start()
        out, period = self._port.out, self.cc[0] or 1
        for row, pin in enumerate(_LEDS.rows):
            if out >> pin & 1:
                channels = range(1, 1 + len(_LEDS.columns))
                lit = map(self._gpiote.drives_low_first, channels)
                self._lights.show(row, (self.cc[at] / period * on for at, on in enumerate(lit, 1)))
