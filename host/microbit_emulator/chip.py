"""A microcontroller: CPU, memory, the pages of its peripherals, and what is wired to them."""

from __future__ import annotations

import random
import struct
from collections.abc import Iterable, Mapping
from typing import TypeVar

from microbit_emulator.cpu import Cpu
from microbit_emulator.flash import FICR, Flash, Nvmc
from microbit_emulator.gpio import Gpio
from microbit_emulator.i2c import Bus, I2cDevice
from microbit_emulator.lights import Lights, Matrix
from microbit_emulator.nvic import RAM
from microbit_emulator.peripheral import Host, Peripheral
from microbit_emulator.pins import Oscillation, PinState
from microbit_emulator.radio import Antenna, Radio
from microbit_emulator.sensors import SUPPLY_V, World
from microbit_emulator.system import Clock, Rng, SystemControl, Temp
from microbit_emulator.timers import Timer
from microbit_emulator.uart import Lines, SerialLine
from microbit_emulator.unicorn_core import PAGE, Core, unicorn

RESET_POWER_ON, RESET_PIN, RESET_SOFTWARE = 0, 1 << 0, 1 << 2
"""What RESETREAS says."""

_ROM_TABLE = 0xF000_0000
"""Start-up code reads the chip's revision there."""

_DEVICEID = 0x060
"""In FICR, the half of the chip's number that differs by the seed."""
_APART = 0x9E37_79B1  # odd, so that no two seeds have one number

P = TypeVar("P", bound=Peripheral)


class Chip(Host):
    """What nRF51 and nRF52 have in common, and what the boards wire to them."""

    model: int
    """Of the CPU, as Unicorn numbers it."""
    has_fpu: bool
    cpuid: int
    irqs: int
    flash_size: int
    page: int
    """The bytes of flash that are erased at once."""
    ram_size: int
    write_us: int
    """What a word of flash takes."""
    erase_us: int
    ficr: dict[int, int]
    """The words of FICR that are not empty, by their offsets."""
    buttons: tuple[tuple[str, int], ...]
    """Each button, and its pin."""
    bus_pins: tuple[int, int]
    """SCL and SDA of the board's own I2C bus."""
    usb_pins: tuple[int, int]
    """TX and RX of the line to the computer."""
    edge_pins: tuple[int, ...]
    """The pins of the edge connector, by the numbers that MicroPython gives them."""
    leds: Matrix
    timers: tuple[tuple[int, int, int], ...]
    """Of each its page, its interrupt and how many channels it has."""
    analog_pins: tuple[int, ...]
    """The pin of each analog input."""

    def __init__(self, seed: int) -> None:
        core = Core(self.model)
        ram = core.map_memory(RAM, self.ram_size, unicorn.UC_PROT_ALL)
        super().__init__(Cpu(core, ram, self.has_fpu))
        per_us = self.hz // 1_000_000
        self.flash = Flash(
            self.cpu, self.flash_size, self.page, self.write_us * per_us, self.erase_us * per_us
        )
        own = {_DEVICEID: (self.ficr[_DEVICEID] + seed * _APART) % 2**32}
        for offset, value in (self.ficr | own).items():
            self.flash.program(FICR + offset, struct.pack("<I", value))
        core.uc.mem_map(_ROM_TABLE, PAGE, unicorn.UC_PROT_READ)
        self.random = random.Random(seed)
        line, pin_line = (SerialLine(self.cpu, self.hz) for _ in range(2))
        self.lines = Lines(line, pin_line, *self.usb_pins)
        self.world = World()
        self.pressed: set[str] = set()
        self.antenna: Antenna | None = None
        """What ties the radio to those of other boards, in an ether."""
        self.retained: dict[int, int] = {}
        """POWER registers that outlive a reset."""

    def build(self, reason: int) -> None:
        """Make the peripherals, after a reset: here those that both chips have."""
        self.attach(SystemControl(self, self.cpuid, self.irqs, self.request_reset))
        self.attach(Clock(self, reason, self.retained))
        self.attach(Nvmc(self, self.flash))
        self.ports = self.attach(Gpio(self, 1 + max(self.edge_pins) // 32)).ports
        self.port = self.ports[0]
        self._wire()
        self.lights = Lights(self.cpu, self.hz, self.leds, self.ports)
        for timer in self.timers:
            self.attach(Timer(self, *timer))
        self.attach(Rng(self, self.random))
        self.attach(Temp(self, self.world))
        self.radio = self.attach(Radio(self, lambda: self.antenna))

    def _wire(self) -> None:
        self.port.drive_inputs = self.drive_inputs
        for pin in self.bus_pins:
            self.port.drive(pin, True)
        for pin in set(self.edge_pins) - {*self.leds.rows, *self.leds.columns}:
            self.ports[pin >> 5].watch(pin & 31)
        self.wire_buttons()
        self.drive_pins()

    def drive_inputs(self) -> int:
        """Drive the pins of what changes by itself; returns when they may change next."""
        raise NotImplementedError

    def connect(self, devices: Mapping[int, I2cDevice]) -> None:
        def bus_used() -> None:
            self.port.inputs_change = 0

        self.bus = Bus(*self.bus_pins, devices, bus_used)

    def wire_buttons(self) -> None:
        for name, pin in self.buttons:
            self.port.drive(pin, name not in self.pressed)

    def attach(self, peripheral: P) -> P:
        self.cpu.core.map_registers(peripheral.base, *peripheral.callbacks())
        self.pages[peripheral.base] = peripheral
        return peripheral

    def attach_unmodelled(self, bases: Iterable[int]) -> None:
        """Let pages without a model name what firmware waits for there."""
        for base in bases:
            if base not in self.pages:
                self.attach(Peripheral(self, base, base >> 12 & 0x3F))

    def start(self, reason: int, keep_ram: bool = False) -> None:
        """Reset everything, and begin at address 0. Without power, RAM holds noise."""
        if not keep_ram:
            self.cpu.ram[:] = self.random.randbytes(len(self.cpu.ram))
        if self.antenna is not None:
            self.antenna.fall_silent()
        self.cpu.forget()
        self.pages.clear()
        self.ties.clear()
        self.tied_channels = {}
        self.cpu.reset()
        self.build(reason)
        self.cpu.tlb.grow()

    def request_reset(self) -> None:
        """The firmware asks for a reset: after this instruction, RAM kept."""
        self.cpu.after_slice = lambda: self.start(RESET_SOFTWARE, keep_ram=True)
        self.cpu.halt()

    def volts_at(self, analog_input: int, nth: int = 0) -> float:
        """The voltage at an analog input, by its number on the chip, at the nth of some samples."""
        return self.world.volts.get(self.analog_pins[analog_input], 0.0)

    def set_volts(self, pin: int, volts: float) -> None:
        self.world.volts[pin] = volts
        self.drive_pins()

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

    def memories(self) -> list[tuple[int, memoryview]]:
        return [(RAM, self.cpu.ram), *self.flash.memories()]
