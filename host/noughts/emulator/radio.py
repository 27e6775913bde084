"""RADIO: sends to nobody, and hears nothing.

Modelled: its states, and the events of a packet that is sent. Not modelled: packets that arrive,
signal strength (always the weakest), everything that depends on an address.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from noughts.emulator.peripheral import SHORTS, Peripheral

if TYPE_CHECKING:
    from noughts.emulator.chip import Chip
    from noughts.emulator.timeline import Device

TXEN, RXEN, START, STOP, DISABLE, RSSISTART, RSSISTOP, BCSTART, BCSTOP = range(0x000, 0x024, 4)
READY, ADDRESS, PAYLOAD, END, DISABLED = 0x100, 0x104, 0x108, 0x10C, 0x110
DEVMATCH, DEVMISS, RSSIEND, BCMATCH = 0x114, 0x118, 0x11C, 0x128
CRCSTATUS, RXMATCH, RXCRC, DAI = 0x400, 0x408, 0x40C, 0x410
SETTINGS, SETTINGS_END, RSSISAMPLE, STATE = 0x504, 0x548, 0x548, 0x550
DATAWHITEIV, BCC, DAB, MODECNF0, OVERRIDE, OVERRIDE_END, POWER = (
    0x554,
    0x560,
    0x600,
    0x650,
    0x724,
    0x738,
    0xFFC,
)
_READY_START, _END_DISABLE, _DISABLED_TXEN, _DISABLED_RXEN = 1 << 0, 1 << 1, 1 << 2, 1 << 3
_END_START = 1 << 5
_RAMP_UP_US, _DISABLE_US, _PACKET_US = 140, 6, 300
_WEAKEST = 127  # -127 dBm
_OFF, _RX_IDLE, _RX, _TX_IDLE, _TX = 0, 2, 3, 10, 11


class Radio(Peripheral):
    """The radio, alone in the world."""

    def __init__(self, chip: Chip) -> None:
        events = READY, ADDRESS, PAYLOAD, END, DISABLED, DEVMATCH, DEVMISS, RSSIEND, BCMATCH
        status = CRCSTATUS, RXMATCH, RXCRC, DAI, STATE
        settings = SHORTS, DATAWHITEIV, BCC, MODECNF0, POWER, *range(SETTINGS, SETTINGS_END, 4)
        more = *range(DAB, MODECNF0, 4), *range(OVERRIDE, OVERRIDE_END, 4)
        super().__init__(chip, 0x4000_1000, 1, events, (*status, *settings, *more))
        self.values |= {RSSISAMPLE: _WEAKEST, POWER: 1}
        self._next: Device | None = None
        self.tasks |= {
            TXEN: lambda: self._then(_RAMP_UP_US, lambda: self._ready(_TX_IDLE)),
            RXEN: lambda: self._then(_RAMP_UP_US, lambda: self._ready(_RX_IDLE)),
            START: self._start,
            STOP: self._stop,
            DISABLE: lambda: self._then(_DISABLE_US, self._disabled),
            RSSISTART: lambda: self.event(RSSIEND),
        }
        for task in (RSSISTOP, BCSTART, BCSTOP):
            self.tasks[task] = lambda: None

    def _then(self, us: int, action: Callable[[], object]) -> None:
        if self._next:
            self.cpu.cancel(self._next)
        self._next = self.cpu.after(us * self.chip.hz // 1_000_000, action)

    def _ready(self, state: int) -> None:
        self.values[STATE] = state
        self.event(READY)
        if self.values[SHORTS] & _READY_START:
            self._start()

    def _start(self) -> None:
        state = self.values[STATE]
        if state == _TX_IDLE:
            self.values[STATE] = _TX
            self._then(_PACKET_US, self._sent)
        elif state == _RX_IDLE:
            self.values[STATE] = _RX

    def _stop(self) -> None:
        idle = {_TX: _TX_IDLE, _RX: _RX_IDLE}
        self.values[STATE] = idle.get(self.values[STATE], self.values[STATE])

    def _sent(self) -> None:
        self.values[STATE] = _TX_IDLE
        for event in (ADDRESS, PAYLOAD, END):
            self.event(event)
        if self.values[SHORTS] & _END_DISABLE:
            self.trigger(DISABLE)
        elif self.values[SHORTS] & _END_START:
            self._start()

    def _disabled(self) -> None:
        self.values[STATE] = _OFF
        self.event(DISABLED)
        if self.values[SHORTS] & _DISABLED_TXEN:
            self.trigger(TXEN)
        elif self.values[SHORTS] & _DISABLED_RXEN:
            self.trigger(RXEN)
