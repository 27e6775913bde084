"""Packets on the air, and a micro:bit's place there. The radios themselves are in `core/radio.c`.

Times are in ticks of 1/64 microsecond, of which the clocks of both chips and the bits of all modes
take whole numbers.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from microbit_emulator.chip import Chip

if TYPE_CHECKING:
    from microbit_emulator.ether import Ether
    from microbit_emulator.microbit import Microbit

RAMP_UP_US = 140
"""From TXEN or RXEN to READY."""
TICK_HZ = 64_000_000
TICKS_PER_US = TICK_HZ // 1_000_000
SENSITIVITY_DBM = {0: -93, 1: -89, 2: -96, 3: -96, 4: -92}
"""By MODE, roughly the weakest signal that is received; chips differ by some decibels."""
_SENT = 16
_WORDS = ctypes.c_uint32


class Layout(NamedTuple):
    """The layout of a packet by MODE, PCNF0, PCNF1 and CRCCNF, on the air and in RAM."""

    mode: int
    pcnf0: int
    pcnf1: int
    crccnf: int


@dataclass(order=True)
class Packet:
    """A packet on the air, from `start` to `end`."""

    end: int
    start: int
    sender: str
    address_end: int
    frequency: int
    dbm: int
    address: bytes
    layout: Layout
    code: tuple[int, ...]
    """The settings of CRC and whitening."""
    header: bytes
    payload: bytes
    is_cut: bool = False
    """Whether the sender stopped before its end."""

    def overlaps(self, start: int, end: int) -> bool:
        return self.start < end and start < self.end


class _Packet(ctypes.Structure):
    """`Packet` in radio.c."""

    _fields_ = (
        ("time", ctypes.c_int64),
        *((name, _WORDS) for name in ("to_address", "to_crc", "to_end", "is_cut", "frequency")),
        ("dbm", ctypes.c_int32),
        *((name, _WORDS) for name in ("mode", "pcnf0", "pcnf1", "crccnf")),
        ("code", _WORDS * 3),
        *((name, _WORDS) for name in ("address_size", "header_size", "payload_size")),
        ("address", ctypes.c_ubyte * 8),
        ("header", ctypes.c_ubyte * 4),
        ("payload", ctypes.c_ubyte * 256),
    )


class _Air(ctypes.Structure):
    """`air` in radio.c."""

    is_in_ether: int
    listens: int
    sent_count: int
    damaged: int
    _fields_ = (
        *((name, _WORDS) for name in ("is_in_ether", "listens", "mode", "frequency")),
        ("address_count", _WORDS),
        ("listens_since", ctypes.c_int64),
        ("addresses", (ctypes.c_ubyte * 8) * 8),
        ("logical", _WORDS * 8),
        ("sent_count", _WORDS),
        ("sent", _Packet * _SENT),
        ("damaged", _WORDS),
        ("delivered", _Packet),
    )


class Antenna:
    """A micro:bit's place in an ether, and its time there."""

    def __init__(
        self,
        name: str,
        ether: Ether,
        microbit: Microbit,
        chip: Chip,
        run: Callable[[int], object],
    ) -> None:
        self.name, self.chip, self.ether, self.microbit = name, chip, ether, microbit
        self._run = run
        self._ticks_per_cycle = TICK_HZ // chip.hz
        self._origin = chip.now
        """The board's time, in cycles, at the start of the ether's time."""
        self._air = _Air.from_address(chip.core.base + chip.core.function("air_at")())
        self._deliver = chip.core.function("deliver")
        self._air.is_in_ether = 1
        chip.after_run = self._take_sent

    @property
    def has_left(self) -> bool:
        """Whether the micro:bit is in another ether now."""
        return self.chip.after_run != self._take_sent

    @property
    def has_power(self) -> bool:
        return bool(self.chip.status.has_power)

    @property
    def origin(self) -> int:
        return self._origin

    @origin.setter
    def origin(self, cycles: int) -> None:
        self._origin = cycles

    def now(self) -> int:
        """The board's present as a time of the ether, in ticks."""
        return (int(self.chip.status.now) - self._origin) * self._ticks_per_cycle

    def idle_until(self) -> float:
        """Before this time, the board does nothing, unless a packet ends there."""
        return (self.chip.idle_until() - self._origin) * self._ticks_per_cycle

    def stand_at(self, ticks: int) -> None:
        """Set the board's present to this time, when its power returns."""
        self._origin += self.chip.now - self._cycle_at(ticks)

    def _cycle_at(self, ticks: float) -> int:
        return self._origin + int(-(-ticks // self._ticks_per_cycle))

    def run_to(self, ticks: float) -> None:
        """Run the board to a time, or until its radio begins to listen."""
        if self.now() < ticks:
            self._run(self._cycle_at(ticks))

    def run_deaf(self, ticks: int) -> None:
        while not self._air.listens and self.now() < ticks and self.has_power:
            self.run_to(ticks)

    def run_all(self, cycle: int) -> None:
        """Run all boards of the ether to a time of this board, in its cycles."""
        ticks = (cycle - self._origin) * self._ticks_per_cycle
        self.ether.run_until(ticks / TICKS_PER_US)

    def _take_sent(self) -> None:
        """Take what the radio has done on the air since the last call."""
        air = self._air
        if not air.sent_count:
            return
        for sent in air.sent[: air.sent_count]:
            start = (sent.time - self._origin) * self._ticks_per_cycle
            if sent.is_cut:
                self.ether.cut(self.name, start)
            else:
                self.ether.begin(self._packet(sent, start))
        air.sent_count = 0

    def _packet(self, sent: _Packet, start: int) -> Packet:
        return Packet(
            sender=self.name,
            start=start,
            address_end=start + sent.to_address,
            end=start + sent.to_address + sent.to_crc + sent.to_end,
            frequency=sent.frequency,
            dbm=sent.dbm,
            address=bytes(sent.address[: sent.address_size]),
            layout=Layout(sent.mode, sent.pcnf0, sent.pcnf1, sent.crccnf),
            code=tuple(sent.code),
            header=bytes(sent.header[: sent.header_size]),
            payload=bytes(sent.payload[: sent.payload_size]),
        )

    def hears(self, packet: Packet) -> bool:
        """Whether the radio has been receiving, with this address, since before it began."""
        air = self._air
        if not air.listens or air.frequency != packet.frequency:
            return False
        since = (air.listens_since - self._origin) * self._ticks_per_cycle
        if since > packet.start or air.mode != packet.layout.mode:
            return False
        places = air.addresses[: air.address_count]
        return any(bytes(place[1 : 1 + place[0]]) == packet.address for place in places)

    def deliver(self, packet: Packet, payload: bytes, dbm: int) -> None:
        """Receive a packet, whose end this board has just reached."""
        air, end = self._air, self._cycle_at(packet.end)
        to = air.delivered
        to.time = self._origin + packet.start // self._ticks_per_cycle
        to.frequency, to.dbm = packet.frequency, dbm
        to.mode, to.pcnf0, to.pcnf1, to.crccnf = packet.layout
        to.code[:] = packet.code
        for name in ("address", "header"):
            data = getattr(packet, name)
            getattr(to, name)[: len(data)] = data
            setattr(to, f"{name}_size", len(data))
        to.payload[: len(payload)] = payload
        to.payload_size = len(payload)
        air.damaged = payload != packet.payload
        self._deliver(max(end, self.chip.now))
