"""The I2C bus, and the chips' serial masters, each a page of registers for I2C or SPI.

Modelled: the nRF51's TWI, byte by byte, with SUSPEND and STOP; the nRF52's TWIM, with DMA, a whole
transfer at a time; the times of SPI and SPIM, with nothing on their wires (they read zeros). Not
modelled: lists, clock stretching, arbitration, a NACK to a data byte.
"""

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from microbit_emulator.interface_chip import InterfaceChip
from microbit_emulator.peripheral import ENABLE, SETTINGS, SHORTS, Host, Peripheral
from microbit_emulator.sensors import MotionSensor

I2cDevice = MotionSensor | InterfaceChip


class Bus(NamedTuple):
    """SCL and SDA with their devices, by address. Other pins have no devices.

    A transfer is complete: start, address, data, stop or repeated start.
    """

    pins: tuple[int, int]
    devices: dict[int, I2cDevice]
    after_transfer: Callable[[], object]


STARTRX, STARTTX, SPIM_START, STOP, SUSPEND, RESUME = 0x000, 0x008, 0x010, 0x014, 0x01C, 0x020
STOPPED, RXDREADY, TXDSENT, ERROR, BB, SUSPENDED = 0x104, 0x108, 0x11C, 0x124, 0x138, 0x148
RXSTARTED, TXSTARTED, LASTRX, LASTTX = 0x14C, 0x150, 0x15C, 0x160
SPI_READY, SPIM_ENDRX, SPIM_END, SPIM_ENDTX, SPIM_STARTED = 0x108, 0x110, 0x118, 0x120, 0x14C
_EVENTS = range(STOPPED, LASTTX + 4, 4)
ERRORSRC, PSELSCL, PSELSDA = 0x4C4, 0x508, 0x50C
RXD, TXD, FREQUENCY, ADDRESS = 0x518, 0x51C, 0x524, 0x588
RXD_PTR, RXD_MAXCNT, RXD_AMOUNT = 0x534, 0x538, 0x53C
TXD_PTR, TXD_MAXCNT, TXD_AMOUNT = 0x544, 0x548, 0x54C
_BB_STOP = 1 << 1
_LASTTX_STARTRX, _LASTTX_SUSPEND, _LASTTX_STOP, _LASTRX_STOP = 1 << 7, 1 << 8, 1 << 9, 1 << 12
_SPIM_END_START = 1 << 17
_ANACK = 1 << 1
_SPI_ENABLED = 1
_TWI_HZ = {0x0198_0000: 100_000, 0x0400_0000: 250_000, 0x0640_0000: 400_000, 0x0668_0000: 400_000}
_SPI_FAST_HZ = {0x0A00_0000: 16_000_000, 0x1400_0000: 32_000_000}
_SPI_FREQUENCY_UNIT, _SPI_UNIT_HZ = 0x0200_0000, 125_000
_BITS = 9
"""Of a byte on the bus, with its acknowledge."""


class _Master(Peripheral):
    """What both kinds have in common: the bus, its speed, and a missing device."""

    def __init__(self, chip: Host, base: int, bus: Bus) -> None:
        super().__init__(chip, base, _EVENTS, SETTINGS)
        self._bus = bus
        self.expect_polling(_EVENTS)
        self.hold_errors(ERRORSRC)

    def _find_device(self) -> I2cDevice | None:
        """The device that acknowledges the address on the chosen pins, if any."""
        values, bus = self.values, self._bus
        on_bus = (values[PSELSCL], values[PSELSDA]) == bus.pins
        return bus.devices.get(values[ADDRESS]) if on_bus else None

    def _byte_cycles(self) -> int:
        return _BITS * self.chip.hz // _TWI_HZ.get(self.values[FREQUENCY], 100_000)

    def _spi_cycles(self, size: int) -> int:
        frequency = self.values[FREQUENCY]
        slow_hz = max(1, frequency // _SPI_FREQUENCY_UNIT) * _SPI_UNIT_HZ
        return 8 * size * self.chip.hz // _SPI_FAST_HZ.get(frequency, slow_hz)

    def _nack(self) -> None:
        self.values[ERRORSRC] |= _ANACK
        self.event(ERROR)


class Twi(_Master):
    """The nRF51's master: TWI, or SPI if ENABLE says so."""

    def __init__(self, chip: Host, base: int, bus: Bus) -> None:
        super().__init__(chip, base, bus)
        self._device: I2cDevice | None = None
        self._reading = False
        self._sent: bytearray | None = None
        self.tasks |= {
            STARTRX: partial(self._start, True),
            STARTTX: partial(self._start, False),
            STOP: self._stop,
            RESUME: self._resume,
        }
        self.accept(SUSPEND)
        self.writes[TXD] = self._send

    def _start(self, reading: bool) -> None:
        self._deliver()
        self._reading = reading
        self._sent = None if reading else bytearray()
        self._device = self._find_device()
        if self._device is None:
            self.begin(self._byte_cycles(), self._nack)
        elif reading:  # the address goes first
            self.begin(2 * self._byte_cycles(), self._got)

    def _send(self, value: int) -> None:
        self.values[TXD] = value
        if self.values[ENABLE] == _SPI_ENABLED:
            self.begin(self._spi_cycles(1), partial(self.event, SPI_READY))
        elif self._device is None or self._sent is None:
            self.begin(self._byte_cycles(), self._nack)
        else:
            bytes_before = 0 if self._sent else 1  # the address
            self._sent.append(value & 0xFF)
            cycles = (1 + bytes_before) * self._byte_cycles()
            self.begin(cycles, partial(self._boundary, TXDSENT))

    def _nack_and_stop(self) -> None:
        self._nack()
        self.event(STOPPED)

    def _got(self) -> None:
        if self._device:
            self.values[RXD] = self._device.read(1)[0]
            self._bus.after_transfer()
        self._boundary(RXDREADY)

    def _boundary(self, event: int) -> None:
        self.event(event)
        self.event(BB)
        if self.values[SHORTS] & _BB_STOP:
            self._stop()

    def _resume(self) -> None:
        if self._reading and self._device:
            self.begin(self._byte_cycles(), self._got)

    def _deliver(self) -> None:
        if self._sent and self._device:
            self._device.write(bytes(self._sent))
            self._bus.after_transfer()
        self._sent = None

    def _stop(self) -> None:
        self._deliver()
        self._reading = False
        if self._device is None and self.is_under_way():  # the address goes out first
            self.begin(self._byte_cycles(), self._nack_and_stop)
        else:
            self.begin(self._byte_cycles() // _BITS, partial(self.event, STOPPED))


class Twim(_Master):
    """The nRF52's master: TWIM, or SPIM, which has its own start task."""

    def __init__(self, chip: Host, base: int, bus: Bus) -> None:
        super().__init__(chip, base, bus)
        self.tasks |= {
            STARTRX: partial(self._start, True),
            STARTTX: partial(self._start, False),
            SPIM_START: self._start_spim,
            STOP: self._stop,
            SUSPEND: partial(self.event, SUSPENDED),
        }
        self.accept(RESUME)

    def _start(self, reading: bool) -> None:
        device = self._find_device()
        size = self.values[RXD_MAXCNT if reading else TXD_MAXCNT]
        self.event(RXSTARTED if reading else TXSTARTED)
        self.abandon()
        if device is None:
            self.begin(self._byte_cycles(), self._nack)
        elif size:  # the address goes first
            cycles = (1 + size) * self._byte_cycles()
            self.begin(cycles, partial(self._done, device, reading, size))

    def _stop(self) -> None:
        self.abandon()
        self.event(STOPPED)

    def _done(self, device: I2cDevice, reading: bool, size: int) -> None:
        values, shorts = self.values, self.values[SHORTS]
        if reading:
            self.cpu.write(values[RXD_PTR], device.read(size))
        else:
            device.write(self.cpu.read(values[TXD_PTR], size))
        self._bus.after_transfer()
        values[RXD_AMOUNT if reading else TXD_AMOUNT] = size
        self.event(LASTRX if reading else LASTTX)
        if not reading and shorts & _LASTTX_STARTRX:
            self._start(True)
        if not reading and shorts & _LASTTX_SUSPEND:
            self.event(SUSPENDED)
        if shorts & (_LASTRX_STOP if reading else _LASTTX_STOP):
            self.event(STOPPED)

    def _start_spim(self) -> None:
        size = max(self.values[RXD_MAXCNT], self.values[TXD_MAXCNT])
        self.event(SPIM_STARTED)
        self.begin(self._spi_cycles(size), self._spim_done)

    def _spim_done(self) -> None:
        values = self.values
        self.cpu.write(values[RXD_PTR], bytes(values[RXD_MAXCNT]))
        values[RXD_AMOUNT], values[TXD_AMOUNT] = values[RXD_MAXCNT], values[TXD_MAXCNT]
        for event in (SPIM_ENDRX, SPIM_ENDTX, SPIM_END):
            self.event(event)
        if values[SHORTS] & _SPIM_END_START:
            self._start_spim()
