"""The two boards: a microcontroller with its peripherals, and what is wired to it."""

import random
import struct
from typing import ClassVar, TypeVar

from microbit_emulator.analog import Adc, Pwm, Saadc
from microbit_emulator.cpu import NEVER, RAM, Cpu
from microbit_emulator.flash import FICR, Flash, Nvmc
from microbit_emulator.gpio import (
    Gpio,
    Gpiote,
    LedTimer,
    Lights,
    LitTimes,
    Matrix,
    Oscillation,
    PinState,
)
from microbit_emulator.i2c import Bus, I2cDevice, Twi, Twim
from microbit_emulator.interface_chip import InterfaceChip, LogFlash
from microbit_emulator.peripheral import Host, Peripheral
from microbit_emulator.radio import Radio
from microbit_emulator.sensors import (
    SUPPLY_V,
    Lsm303Accelerometer,
    Lsm303Magnetometer,
    Mag3110,
    Mma8653,
    World,
)
from microbit_emulator.system import Clock, Egu, Rng, SystemControl, Temp
from microbit_emulator.timers import Ppi, Timer
from microbit_emulator.uart import SerialLine, Uart, Uarte
from microbit_emulator.unicorn_core import PAGE, READ, WRITE, Core, arm_const, unicorn

RESET_POWER_ON, RESET_PIN, RESET_SOFTWARE = 0, 1 << 0, 1 << 2
"""What RESETREAS says."""

_ROM_TABLE = 0xF000_0000
"""Start-up code reads the chip's revision from here."""
_TIMERS = 0x4000_8000, 0x4000_9000, 0x4000_A000
_SERIAL_MASTERS = 0x4000_3000, 0x4000_4000

_CODEPAGESIZE, _CODESIZE, _DEVICEID = 0x010, 0x014, 0x060  # in FICR
_NUMBERS = {
    _DEVICEID: 0x1234_5678,
    0x064: 0x9ABC_DEF0,
    0x0A0: 0,  # DEVICEADDRTYPE
    0x0A4: 0xDEAD_BEEF,  # DEVICEADDR
    0x0A8: 0xC0DE,
}
"""What FICR says on both chips; the first half of a chip's own number differs by the seed."""
_APART = 0x9E37_79B1  # odd, so that no two seeds have one number

P = TypeVar("P", bound=Peripheral)


class Chip(Host):
    """What nRF51 and nRF52 have in common, with the board's wiring."""

    model: int
    """Unicorn's number of the CPU."""
    has_fpu: bool
    cpuid: int
    ram_size: int
    write_us: int
    """To write a word of flash."""
    erase_us: int
    """To erase a page."""
    ficr: ClassVar[dict[int, int]]
    """The words of FICR that only this chip has, by offset."""
    peripherals: range
    """The pages of the peripherals."""
    buttons: tuple[tuple[str, int], ...]
    bus_pins: tuple[int, int]
    """SCL and SDA of the board's own I2C bus."""
    usb_pins: tuple[int, int]
    """TX and RX of the line to the computer."""
    edge_pins: tuple[int, ...]
    """The pins of the edge connector, in the order of MicroPython's numbers."""
    leds: Matrix
    lights_kind: type[Lights] = Lights
    analog_pins: tuple[int, ...]

    def __init__(self, seed: int) -> None:
        core = Core(self.model)
        ram = core.map_memory(RAM, self.ram_size, unicorn.UC_PROT_ALL)
        super().__init__(Cpu(core, ram, self.has_fpu))
        page, times = self.ficr[_CODEPAGESIZE], map(self.cycles, (self.write_us, self.erase_us))
        self.flash = Flash(self.cpu, self.ficr[_CODESIZE] * page, page, *times)
        own = {_DEVICEID: (_NUMBERS[_DEVICEID] + seed * _APART) % 2**32}
        for offset, value in (self.ficr | _NUMBERS | own).items():
            self.flash.program(FICR + offset, struct.pack("<I", value))
        core.uc.mem_map(_ROM_TABLE, PAGE, unicorn.UC_PROT_READ)
        self.random = random.Random(seed)
        self.usb_line = SerialLine(self.cpu, self.hz, self.usb_pins)
        self.pin_line = SerialLine(self.cpu, self.hz)
        self.world = World()
        self.has_power = False
        self.pressed: set[str] = set()
        self.retained: dict[int, int] = {}
        """POWER registers that survive a reset."""

    def build(self, reason: int) -> None:
        """Make the peripherals after a reset; here, those that both chips have."""
        self.attach(SystemControl(self, self.cpuid, self.request_reset))
        self.attach(Clock(self, reason, self.retained))
        self.attach(Nvmc(self, self.flash))
        self.ports = self.attach(Gpio(self, 1 + max(self.edge_pins) // 32)).ports
        self.port = self.ports[0]
        for pin in self.bus_pins:
            self.port.drive(pin, True)
        for pin in set(self.edge_pins) - {*self.leds.rows, *self.leds.columns}:
            self.ports[pin >> 5].watch(pin & 31)
        self.wire_buttons()
        self.drive_pins()
        self.lights = self.lights_kind(self.cpu, self.hz, self.leds, self.ports)
        for base in _TIMERS:
            self.attach(Timer(self, base, channels=4))
        self.attach(Rng(self, self.random))
        self.attach(Temp(self, self.world))
        self.radio = self.attach(Radio(self))

    def _connect(self, *devices: I2cDevice) -> None:
        by_address = {device.ADDRESS: device for device in devices}
        self.bus = Bus(self.bus_pins, by_address, lambda: setattr(self.port, "inputs_change", 0))

    def wire_buttons(self) -> None:
        for name, pin in self.buttons:
            self.port.drive(pin, name not in self.pressed)

    def attach(self, peripheral: P) -> P:
        read, write = peripheral.callbacks()
        self.cpu.core.map_registers(peripheral.base, (READ(read), WRITE(write)))
        self.pages[peripheral.base] = peripheral
        return peripheral

    def start(self, reason: int, keep_ram: bool = False) -> None:
        """Reset everything, and start at address 0. After a power-on, RAM holds noise."""
        if not keep_ram:
            self.cpu.ram[:] = self.random.randbytes(len(self.cpu.ram))
        if self.antenna is not None:
            self.antenna.fall_silent()
        self.pages.clear()
        self.ties, self.tied_channels = {}, {}
        self.cpu.reset()
        self.build(reason)
        for base in self.peripherals:  # those without a model name what firmware waits for there
            if base not in self.pages:
                self.attach(Peripheral(self, base))
        self.cpu.tlb.grow()

    def request_reset(self) -> None:
        """Reset after this instruction, as the firmware asks for; RAM stays."""
        self.cpu.after_slice = lambda: self.start(RESET_SOFTWARE, keep_ram=True)
        self.cpu.halt()

    def volts_at(self, analog_input: int, nth: int = 0) -> float:
        return self.world.volts.get(self.analog_pins[analog_input], 0.0)

    def pin_state(self, pin: int) -> PinState:
        port, bit = self.ports[pin >> 5], pin & 31
        is_output, is_high = bool(port.direction >> bit & 1), bool(port.read() >> bit & 1)
        pulses = port.oscillations.get(bit)
        if pulses and is_output and pulses.is_on(self.cpu.now()):
            return PinState(True, is_high, self.hz / pulses.period, pulses.duty)
        return PinState(is_output, is_high, 0.0, float(is_output and is_high))

    @property
    def sound(self) -> Oscillation:
        raise NotImplementedError

    def drive_pins(self) -> None:
        for pin, volts in self.world.volts.items():
            self.ports[pin >> 5].drive(pin & 31, volts > SUPPLY_V / 2)


_ACCELEROMETER_READY, _MAGNETOMETER_READY = 28, 29
_LIGHT_PINS = 4, 5, 6
_DARK, _BRIGHT = 338, 75
"""The V1's converter reads these (microbit-dal, `MicroBitLightSensor`)."""


class V1(Chip):
    """nRF51822 at 16 MHz, 256 KB of flash, 16 KB of RAM."""

    hz = 16_000_000
    model, has_fpu, cpuid = arm_const.UC_CPU_ARM_CORTEX_M0, False, 0x410C_C200
    ram_size, write_us, erase_us = 0x4000, 46, 22_300
    ficr: ClassVar = {
        _CODEPAGESIZE: 1024,
        _CODESIZE: 256,
        0x02C: 0xFF,  # PPFC
        0x034: 2,  # NUMRAMBLOCK
        0x038: 0x2000,  # SIZERAMBLOCKS
        0x05C: 0x72,  # CONFIGID
    }
    peripherals = range(0x4000_0000, 0x4002_0000, PAGE)
    buttons = ("A", 17), ("B", 26)
    bus_pins = 0, 30
    usb_pins = 24, 25
    edge_pins = 3, 2, 1, 4, 5, 17, 12, 11, 18, 10, 6, 26, 20, 23, 22, 21, 16
    leds = Matrix(
        rows=(13, 14, 15),
        columns=tuple(range(4, 13)),
        places=(
            ((0, 0), (2, 0), (4, 0), (4, 3), (3, 3), (2, 3), (1, 3), (0, 3), (1, 2)),
            ((4, 2), (0, 2), (2, 2), (1, 0), (3, 0), (3, 4), (1, 4), None, None),
            ((2, 4), (4, 4), (0, 4), (0, 1), (1, 1), (2, 1), (3, 1), (4, 1), (3, 2)),
        ),
        shares=tuple(us / 6000 for us in (0, 32, 64, 128, 240, 448, 848, 1632, 3184, 6000)),
    )
    lights_kind = LitTimes
    analog_pins = 26, 27, 1, 2, 3, 4, 5, 6

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self._accelerometer = Mma8653(self.cpu, self.hz, self.world)
        self._magnetometer = Mag3110(self.cpu, self.hz, self.world)
        self._connect(self._accelerometer, self._magnetometer)

    def build(self, reason: int) -> None:
        super().build(reason)
        self.port.drive_inputs = self._drive_inputs
        self.attach(Gpiote(self, self.ports, channels=4))
        self.attach(Uart(self, (self.usb_line, self.pin_line)))
        for base in _SERIAL_MASTERS:
            self.attach(Twi(self, base, self.bus))
        self.attach(Adc(self))
        self.attach(Ppi(self, channels=16))

    def volts_at(self, analog_input: int, nth: int = 0) -> float:
        """The LEDs sense light: a floating column gives less voltage in brighter light."""
        pin = self.analog_pins[analog_input]
        if pin in _LIGHT_PINS and pin not in self.world.volts:
            level = _DARK - self.world.light * (_DARK - _BRIGHT) / 255
            return SUPPLY_V * level / 1024
        return super().volts_at(analog_input, nth)

    @property
    def sound(self) -> Oscillation:
        return self.port.oscillations[self.edge_pins[0]]

    def _drive_inputs(self) -> int:
        sensors = self._accelerometer, self._magnetometer
        ready = [sensor.ready() for sensor in sensors]
        self.port.drive(_ACCELEROMETER_READY, not ready[0])
        self.port.drive(_MAGNETOMETER_READY, ready[1])
        # Only a transfer on the bus lets a pin go; a sample sets one.
        waiting = [sensor for sensor, is_ready in zip(sensors, ready, strict=True) if not is_ready]
        return min((sensor.next_sample() for sensor in waiting), default=NEVER)


_INTERRUPT = 25
_LOGO = 0x20 + 4  # P1.04
_CHARGING_US, _CHARGING_TOUCHED_US = 25, 1000
_LED_TICKS_PER_US = 16
_MICROPHONE, _MICROPHONE_BIAS_V = 5, 0.103
_QUIETEST_V, _QUIETEST, _LEVELS_AN_OCTAVE = 0.001, 31, 31.8
"""The firmware gives this amplitude this level, and twice the amplitude so much more."""
_SPI_MASTERS = 0x4002_3000, 0x4002_F000
_PWMS = 0x4001_C000, 0x4002_1000, 0x4002_2000, 0x4002_D000
_TIMER3, _TIMER4 = 0x4001_A000, 0x4001_B000
_RTC1, _RTC_START_STOP = 0x4001_1000, (0x000, 0x004)
_EGUS = range(0x4001_4000, 0x4001_A000, PAGE)


class V2(Chip):
    """nRF52833 at 64 MHz, 512 KB of flash, 128 KB of RAM."""

    hz = 64_000_000
    model, has_fpu, cpuid = arm_const.UC_CPU_ARM_CORTEX_M4, True, 0x410F_C241
    ram_size, write_us, erase_us = 0x2_0000, 41, 85_000
    ficr: ClassVar = {
        _CODEPAGESIZE: 4096,
        _CODESIZE: 128,
        0x100: 0x52833,  # INFO.PART
        0x104: 0x4141_4130,  # INFO.VARIANT
        0x108: 0x2000,  # INFO.PACKAGE
        0x10C: 128,  # INFO.RAM
        0x110: 512,  # INFO.FLASH
    }
    peripherals = range(0x4000_0000, 0x4004_0000, PAGE)
    buttons = ("A", 14), ("B", 23)
    bus_pins = 8, 16
    usb_pins = 6, 0x20 + 8
    edge_pins = 2, 3, 4, 31, 28, 14, 0x25, 11, 10, 9, 30, 23, 12, 17, 1, 13, 0x22
    leds = Matrix(
        rows=(21, 22, 15, 24, 19),
        columns=(28, 11, 31, 0x20 + 5, 30),
        places=tuple(tuple((x, y) for x in range(5)) for y in range(5)),
        shares=(0, *(2**level / 512 for level in range(1, 10))),
    )
    analog_pins = 2, 3, 4, _MICROPHONE, 28, 29, 30, 31

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self._accelerometer = Lsm303Accelerometer(self.cpu, self.hz, self.world)
        self._magnetometer = Lsm303Magnetometer(self.cpu, self.hz, self.world)
        self._interface = InterfaceChip()
        self.log_flash = LogFlash(self.cpu, self.hz)
        self._connect(self._accelerometer, self._magnetometer, self._interface, self.log_flash)

    def build(self, reason: int) -> None:
        super().build(reason)
        self.port.drive_inputs = self._drive_inputs
        gpiote = self.attach(Gpiote(self, self.ports, channels=8, charging_us=self._charging_us))
        self.attach(Uarte(self, (self.usb_line, self.pin_line)))
        self.attach(Timer(self, _TIMER3, channels=6))
        self._led_timer = self.attach(LedTimer(self, _TIMER4, self.leds, self.lights, gpiote))
        for base in (*_SERIAL_MASTERS, *_SPI_MASTERS):
            self.attach(Twim(self, base, self.bus))
        rtc1 = self.attach(Peripheral(self, _RTC1))
        rtc1.accept(*_RTC_START_STOP)  # CODAL does both when it sleeps
        self.attach(Saadc(self))
        self._pwms = [self.attach(Pwm(self, base)) for base in _PWMS]
        for base in _EGUS:
            self.attach(Egu(self, base))
        self.attach(Ppi(self, channels=20))

    def volts_at(self, analog_input: int, nth: int = 0) -> float:
        """The microphone receives a square wave of 16 samples around its bias."""
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
        """The sound that PWM plays as samples, to the speaker and to pin 0."""
        return next((pwm.sound for pwm in self._pwms if pwm.plays_sound), Oscillation())

    def _drive_inputs(self) -> int:
        """One pin for all devices on the board's I2C bus: low while any of them asks."""
        sensors = self._accelerometer, self._magnetometer
        devices = self._interface, self.log_flash, *sensors
        asking = any(device.asserts() for device in devices)
        self.port.drive(_INTERRUPT, not asking)
        # Only a transfer changes it then; else a new sample or an answer may come before.
        next_sample = min(sensor.next_sample() for sensor in sensors)
        return NEVER if asking else min(next_sample, self.log_flash.next_answer())

    def _charging_us(self, pin: int) -> int:
        """A finger adds capacitance, which takes longer to charge; light discharges a row of LEDs.

        The level is the row's share of the LED timer's period (codal-microbit-v2,
        `NRF52LEDMatrix::render`).
        """
        if pin == self.leds.rows[0]:
            ticks = self._led_timer.cc[0] * (255 - self.world.light) // 255
            return max(_CHARGING_US, ticks // _LED_TICKS_PER_US)
        touched = pin == _LOGO and self.world.logo_touched
        return _CHARGING_TOUCHED_US if touched else _CHARGING_US
