"""The nRF52's serial masters with DMA: TWIM (I2C) and SPIM, which share a page of registers.

Modelled: TWIM a whole transfer at a time; SPIM in time, with nothing on its wires (it reads
zeros). Not
modelled: lists, clock stretching, a NACK to a data byte.
"""

from __future__ import annotations

from functools import partial

from microbit_emulator.i2c import Bus, I2cDevice
from microbit_emulator.peripheral import SETTINGS, SHORTS, Host, Peripheral

STARTRX, STARTTX, SPIM_START, STOP, SUSPEND, RESUME = 0x000, 0x008, 0x010, 0x014, 0x01C, 0x020
STOPPED, ERROR, SUSPENDED, RXSTARTED, TXSTARTED = 0x104, 0x124, 0x148, 0x14C, 0x150
LASTRX, LASTTX = 0x15C, 0x160
SPIM_ENDRX, SPIM_END, SPIM_ENDTX, SPIM_STARTED = 0x110, 0x118, 0x120, 0x14C
ERRORSRC, PSELSCL, PSELSDA, FREQUENCY, ADDRESS = 0x4C4, 0x508, 0x50C, 0x524, 0x588
RXD_PTR, RXD_MAXCNT, RXD_AMOUNT, TXD_PTR, TXD_MAXCNT, TXD_AMOUNT = (
    *range(0x534, 0x540, 4),
    *range(0x544, 0x550, 4),
)
_LASTTX_STARTRX, _LASTTX_SUSPEND, _LASTTX_STOP, _LASTRX_STOP = 1 << 7, 1 << 8, 1 << 9, 1 << 12
_SPIM_END_START = 1 << 17
_ANACK = 1 << 1
_TWIM_HZ = {0x0198_0000: 100_000, 0x0400_0000: 250_000, 0x0640_0000: 400_000}
_SPIM_FAST_HZ = {0x0A00_0000: 16_000_000, 0x1400_0000: 32_000_000}
_SPIM_FREQUENCY_UNIT = 0x0200_0000, 125_000
_BITS = 9


class Twim(Peripheral):
    """One page: TWIM, or SPIM, which has a start task of its own. `bus` may have no devices."""

    def __init__(self, chip: Host, base: int, irq: int, bus: Bus) -> None:
        events = STOPPED, ERROR, SUSPENDED, RXSTARTED, TXSTARTED, LASTRX, LASTTX
        spim = SPIM_ENDRX, SPIM_END, SPIM_ENDTX
        super().__init__(chip, base, irq, (*events, *spim), SETTINGS)
        self._bus = bus
        self.tasks |= {
            STARTRX: partial(self._start, True),
            STARTTX: partial(self._start, False),
            SPIM_START: self._start_spim,
            STOP: self._stop,
            SUSPEND: partial(self.event, SUSPENDED),
        }
        self.accept(RESUME)
        self.hold_errors(ERRORSRC)
        self.expect_polling((*events, *spim))

    def _start(self, reading: bool) -> None:
        values = self.values
        device = self._bus.find(values[PSELSCL], values[PSELSDA], values[ADDRESS])
        size = values[RXD_MAXCNT if reading else TXD_MAXCNT]
        self.event(RXSTARTED if reading else TXSTARTED)
        byte = _BITS * self.chip.hz // _TWIM_HZ.get(values[FREQUENCY], 100_000)
        self.abandon()
        if device is None:
            self.begin(byte, self._nack)
        elif size:  # the address goes first
            action = partial(self._done, device, reading, size)
            self.begin(byte * (size + 1), action)

    def _stop(self) -> None:
        self.abandon()
        self.event(STOPPED)

    def _nack(self) -> None:
        self.values[ERRORSRC] |= _ANACK
        self.event(ERROR)

    def _done(self, device: I2cDevice, reading: bool, size: int) -> None:
        values = self.values
        shorts = values[SHORTS]
        if reading:
            self.chip.dma_write(values[RXD_PTR], device.read(size))
            self._bus.after_transfer()
            values[RXD_AMOUNT] = size
            self.event(LASTRX)
            if shorts & _LASTRX_STOP:
                self.event(STOPPED)
            return
        device.write(self.chip.dma_read(values[TXD_PTR], size))
        self._bus.after_transfer()
        values[TXD_AMOUNT] = size
        self.event(LASTTX)
        if shorts & _LASTTX_STARTRX:
            self._start(True)
        if shorts & _LASTTX_SUSPEND:
            self.event(SUSPENDED)
        if shorts & _LASTTX_STOP:
            self.event(STOPPED)

    def _start_spim(self) -> None:
        values = self.values
        unit, hz = _SPIM_FREQUENCY_UNIT
        frequency = values[FREQUENCY]
        rate = _SPIM_FAST_HZ.get(frequency) or max(1, frequency // unit) * hz
        size = max(values[RXD_MAXCNT], values[TXD_MAXCNT])
        self.event(SPIM_STARTED)
        self.begin(8 * size * self.chip.hz // rate, self._spim_done)

    def _spim_done(self) -> None:
        values = self.values
        self.chip.dma_write(values[RXD_PTR], bytes(values[RXD_MAXCNT]))
        values[RXD_AMOUNT], values[TXD_AMOUNT] = values[RXD_MAXCNT], values[TXD_MAXCNT]
        for event in (SPIM_ENDRX, SPIM_ENDTX, SPIM_END):
            self.event(event)
        if values[SHORTS] & _SPIM_END_START:
            self._start_spim()
