"""A microcontroller: CPU, memory, the pages of its peripherals, and what is wired to them."""

from __future__ import annotations

import random
import struct
from collections.abc import Callable, Mapping
from typing import TypeVar

from microbit_emulator.cpu import Cpu
from microbit_emulator.flash import FICR, Flash
from microbit_emulator.frames import RAM
from microbit_emulator.gpio import Port
from microbit_emulator.i2c import Bus, I2cDevice
from microbit_emulator.lights import Lights
from microbit_emulator.peripheral import Peripheral
from microbit_emulator.pins import Oscillation, PinState
from microbit_emulator.radio import Antenna, Radio
from microbit_emulator.sensors import SUPPLY_V, World
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


class Chip:
    """What nRF51 and nRF52 have in common. `build` makes a kind's peripherals, after each reset.

    `hz` is the CPU's clock. Towards its peripherals it is a `Host`.
    """

    hz: int
    buttons: tuple[tuple[str, int], ...]
    """Each button, and its pin."""
    bus_pins: tuple[int, int]
    """SCL and SDA of the board's own I2C bus."""
    usb_pins: tuple[int, int]
    """TX and RX of the line to the computer."""
    edge_pins: tuple[int, ...]
    """The pins of the edge connector, by the numbers that MicroPython gives them."""
    led_pins: tuple[int, ...]
    """Those that drive LEDs."""
    analog_pins: tuple[int, ...]
    """The pin of each analog input."""

    def __init__(
        self,
        model: int,
        *,
        has_fpu: bool,
        flash_size: int,
        page: int,
        ram_size: int,
        write_us: int,
        erase_us: int,
        ficr: dict[int, int],
        seed: int,
    ) -> None:
        core = Core(model)
        ram = core.map_memory(RAM, ram_size, unicorn.UC_PROT_ALL)
        self.cpu = Cpu(core, ram, has_fpu)
        per_us = self.hz // 1_000_000
        self.flash = Flash(self.cpu, flash_size, page, write_us * per_us, erase_us * per_us)
        own = {_DEVICEID: (ficr[_DEVICEID] + seed * _APART) % 2**32}
        for offset, value in (ficr | own).items():
            self.flash.program(FICR + offset, struct.pack("<I", value))
        core.uc.mem_map(_ROM_TABLE, PAGE, unicorn.UC_PROT_READ)
        self.random = random.Random(seed)
        line, pin_line = (SerialLine(self.cpu, self.hz) for _ in range(2))
        self.lines = Lines(line, pin_line, *self.usb_pins)
        self.world = World()
        self.pressed: set[str] = set()
        self.ports: list[Port]
        """The pins, since the last reset."""
        self.port: Port
        """Those of port 0."""
        self.lights: Lights
        """The LEDs since the last reset."""
        self.radio: Radio
        """The radio since the last reset."""
        self.antenna: Antenna | None = None
        """What ties the radio to those of other boards, in an ether."""
        self.retained: dict[int, int] = {}
        """POWER registers that outlive a reset."""
        self.pages: dict[int, Peripheral] = {}
        self.ties: dict[int, list[Callable[[], object]]] = {}
        self.update_ties: Callable[[], object] = lambda: None
        self.period_of: Callable[[int], int] = lambda task: 0
        self.tied_channels: dict[int, int] = {}

    def build(self, reason: int) -> None:
        raise NotImplementedError

    def connect(self, devices: Mapping[int, I2cDevice]) -> None:
        self.bus = Bus(*self.bus_pins, devices, self._bus_used)

    def _bus_used(self) -> None:
        self.port.inputs_change = 0

    def wire(self, ports: list[Port], drive_inputs: Callable[[], int]) -> None:
        """Wire buttons and bus to the first port; `drive_inputs` drives what changes by itself."""
        self.ports = ports
        self.port = ports[0]
        self.port.drive_inputs = drive_inputs
        for pin in self.bus_pins:
            self.port.drive(pin, True)
        for pin in set(self.edge_pins) - set(self.led_pins):
            ports[pin >> 5].watch(pin & 31)
        self.wire_buttons()
        self.drive_pins()

    def wire_buttons(self) -> None:
        for name, pin in self.buttons:
            self.port.drive(pin, name not in self.pressed)

    def attach(self, peripheral: P) -> P:
        self.cpu.core.map_registers(peripheral.base, *peripheral.callbacks())
        self.pages[peripheral.base] = peripheral
        return peripheral

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
        self.cpu.reset_requested = lambda: self.start(RESET_SOFTWARE, keep_ram=True)
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

    def dma_read(self, address: int, size: int) -> bytes:
        """The `size` bytes that a peripheral reads by DMA, from RAM or from flash."""
        if address >= RAM:
            return bytes(self.cpu.ram[address - RAM : address - RAM + size])
        return self.flash.read(address, size)

    def dma_write(self, address: int, data: bytes) -> None:
        """Store what a peripheral writes by DMA; `address` must lie in RAM."""
        self.cpu.ram[address - RAM : address - RAM + len(data)] = data
