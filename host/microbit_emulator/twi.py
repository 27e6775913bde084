"""The nRF51's serial masters: TWI (I2C) and SPI, which share a page of registers.

Modelled: TWI a byte at a time, held up by SUSPEND and ended by STOP, at 100 to 400 kHz; SPI in
time, with nothing on its wires (it reads zeros). Not modelled: clock stretching, arbitration, a
NACK to a data byte.
"""

from __future__ import annotations

from functools import partial

from microbit_emulator.i2c import Bus, I2cDevice
from microbit_emulator.peripheral import ENABLE, SETTINGS, SHORTS, Host, Peripheral

STARTRX, STARTTX, STOP, SUSPEND, RESUME = 0x000, 0x008, 0x014, 0x01C, 0x020
STOPPED, RXDREADY, TXDSENT, ERROR, BB, SUSPENDED = 0x104, 0x108, 0x11C, 0x124, 0x138, 0x148
ERRORSRC, PSELSCL, PSELSDA = 0x4C4, 0x508, 0x50C
RXD, TXD, FREQUENCY, ADDRESS = 0x518, 0x51C, 0x524, 0x588
_BB_STOP = 1 << 1
_ANACK = 1 << 1
_TWI_HZ = {0x0198_0000: 100_000, 0x0400_0000: 250_000, 0x0668_0000: 400_000}
SPI_READY = RXDREADY
_SPI_ENABLED = 1
_SPI_FREQUENCY_UNIT = 0x0200_0000, 125_000
_BITS = 9
"""Of a byte on the bus, its acknowledge included."""


class Twi(Peripheral):
    """One page: TWI, or SPI where ENABLE says so."""

    def __init__(self, chip: Host, base: int, irq: int, bus: Bus) -> None:
        events = STOPPED, RXDREADY, TXDSENT, ERROR, BB, SUSPENDED
        super().__init__(chip, base, irq, events, SETTINGS)
        self._bus = bus
        self._device: I2cDevice | None = None
        self._reading = False
        self._sent: bytearray | None = None
        self.tasks |= {
            STARTRX: self._start_rx,
            STARTTX: self._start_tx,
            STOP: self._stop,
            RESUME: self._resume,
        }
        self.accept(SUSPEND)
        self.expect_polling(events)
        self.writes[TXD] = self._send
        self.hold_errors(ERRORSRC)

    def _cycles(self) -> int:
        return _BITS * self.chip.hz // _TWI_HZ.get(self.values[FREQUENCY], 100_000)

    def _start(self, reading: bool) -> None:
        self._deliver()
        values = self.values
        self._reading = reading
        self._device = self._bus.find(values[PSELSCL], values[PSELSDA], values[ADDRESS])

    def _start_tx(self) -> None:
        self._start(reading=False)
        self._sent = bytearray()
        if self._device is None:
            self.begin(self._cycles(), self._nack)

    def _start_rx(self) -> None:
        self._start(reading=True)
        if self._device is None:
            self.begin(self._cycles(), self._nack)
        else:  # the address goes first
            self.begin(2 * self._cycles(), self._got)

    def _send(self, value: int) -> None:
        self.values[TXD] = value
        if self.values[ENABLE] == _SPI_ENABLED:
            unit, hz = _SPI_FREQUENCY_UNIT
            rate = max(1, self.values[FREQUENCY] // unit) * hz
            self.begin(8 * self.chip.hz // rate, partial(self.event, SPI_READY))
        elif self._device is None or self._sent is None:
            self.begin(self._cycles(), self._nack)
        else:
            bytes_before = 0 if self._sent else 1  # the address
            self._sent.append(value & 0xFF)
            cycles = (1 + bytes_before) * self._cycles()
            self.begin(cycles, self._byte_sent)

    def _nack(self) -> None:
        self.values[ERRORSRC] |= _ANACK
        self.event(ERROR)

    def _nack_and_stop(self) -> None:
        self._nack()
        self.event(STOPPED)

    def _byte_sent(self) -> None:
        self.event(TXDSENT)
        self._boundary()

    def _got(self) -> None:
        if self._device:
            self.values[RXD] = self._device.read(1)[0]
            self._bus.after_transfer()
        self.event(RXDREADY)
        self._boundary()

    def _boundary(self) -> None:
        self.event(BB)
        if self.values[SHORTS] & _BB_STOP:
            self._stop()

    def _resume(self) -> None:
        if self._reading and self._device:
            self.begin(self._cycles(), self._got)

    def _deliver(self) -> None:
        if self._sent and self._device:
            self._device.write(bytes(self._sent))
            self._bus.after_transfer()
        self._sent = None

    def _stop(self) -> None:
        self._deliver()
        self._reading = False
        if self._device is None and self.is_under_way():  # the address goes out first
            self.begin(self._cycles(), self._nack_and_stop)
        else:
            self.begin(self._cycles() // _BITS, partial(self.event, STOPPED))
