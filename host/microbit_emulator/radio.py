"""RADIO: sends packets to, and receives packets from, other micro:bits in the same ether.

Modelled: its states and their times; packets from and to RAM, and their times on the air; logical
addresses; CRCSTATUS and signal strength; shorts. FREQUENCY, MODE and the addresses count from the
next START. A receiving radio shows nothing of a packet until its end: ADDRESS and PAYLOAD come only
then, and RAM is written as a whole. A packet is

    preamble | address (base, prefix) | S0 | LENGTH | S1 | payload | CRC

S0, LENGTH, S1 and payload come from RAM; S0 and S1 are often left out. Times are in ticks of 1/64
microsecond, of which the clocks of both chips and the bits of all modes take whole numbers.

A packet is received if the radio, with the same address, was receiving before the packet began and
until its end. Its CRC is wrong if the payload is longer than MAXLEN here, or has another layout.

Not modelled: STOP, fast ramp-up, Bluetooth's long range, IEEE 802.15.4, the events of the bit
counter and of device addresses, TIFS, the strength of anything but packets (always the weakest).
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from microbit_emulator.peripheral import SHORTS, Host, Peripheral

if TYPE_CHECKING:
    from microbit_emulator.chip import Chip
    from microbit_emulator.ether import Ether

TXEN, RXEN, START, STOP, DISABLE, RSSISTART, RSSISTOP, BCSTART, BCSTOP = range(0x000, 0x024, 4)
READY, ADDRESS, PAYLOAD, END, DISABLED, _, _, RSSIEND, _, _, BCMATCH = range(0x100, 0x12C, 4)
CRCSTATUS, RXMATCH = 0x400, 0x408
PACKETPTR, FREQUENCY, TXPOWER, MODE, PCNF0, PCNF1 = range(0x504, 0x51C, 4)
BASE0, BASE1, PREFIX0, PREFIX1, TXADDRESS, RXADDRESSES = range(0x51C, 0x534, 4)
CRCCNF, CRCPOLY, CRCINIT = 0x534, 0x538, 0x53C
RSSISAMPLE, STATE, DATAWHITEIV, OVERRIDE_END, POWER = 0x548, 0x550, 0x554, 0x738, 0xFFC
_READY_START, _END_DISABLE, _DISABLED_TXEN, _DISABLED_RXEN = 1 << 0, 1 << 1, 1 << 2, 1 << 3
_ADDRESS_RSSISTART, _END_START = 1 << 4, 1 << 5
RAMP_UP_US = 140
"""From TXEN or RXEN to READY."""
_DISABLE_US = 6
_WEAKEST = 127  # -127 dBm
_OFF, _RX_RAMP, _RX_IDLE, _RX, _RX_DISABLE = range(5)
_TX_RAMP, _TX_IDLE, _TX, _TX_DISABLE = range(9, 13)
_WHITENING = 1 << 25

TICK_HZ = 64_000_000
TICKS_PER_US = TICK_HZ // 1_000_000

_BIT_TICKS = {0: 64, 1: 32, 2: 256, 3: 64, 4: 32}
"""By MODE: 1 and 2 Mbit/s, 250 kbit/s, and Bluetooth's 1 and 2 Mbit/s."""
SENSITIVITY_DBM = {0: -93, 1: -89, 2: -96, 3: -96, 4: -92}
"""By MODE, roughly the weakest signal that is received; chips differ by some decibels."""


class Layout(NamedTuple):
    """The layout of a packet by MODE, PCNF0, PCNF1 and CRCCNF, on the air and in RAM."""

    mode: int
    pcnf0: int
    pcnf1: int
    crccnf: int

    @property
    def address_size(self) -> int:
        return self.pcnf1 >> 16 & 7

    @property
    def header_size(self) -> int:
        s0, s1 = self.pcnf0 >> 8 & 1, bool(self.pcnf0 >> 16 & 0x1F)
        return s0 + bool(self.pcnf0 & 15) + s1

    def payload_size(self, header: bytes) -> int:
        """Bytes of the payload, from the header in RAM; at most MAXLEN."""
        length_bits = self.pcnf0 & 15
        length = header[self.pcnf0 >> 8 & 1] & (1 << length_bits) - 1 if length_bits else 0
        return min(length + (self.pcnf1 >> 8 & 0xFF), self.pcnf1 & 0xFF)

    def ticks(self, payload_size: int) -> tuple[int, int, int]:
        """The times of preamble and address, of the rest up to the CRC, and of the CRC."""
        pcnf0 = self.pcnf0
        preamble = 16 if pcnf0 >> 24 & 3 else 8
        address = preamble + 8 * (self.address_size + 1)
        header = (pcnf0 & 15) + 8 * (pcnf0 >> 8 & 1) + (pcnf0 >> 16 & 15)
        bit = _BIT_TICKS[self.mode]
        return address * bit, (header + 8 * payload_size) * bit, 8 * (self.crccnf & 3) * bit

    @property
    def fields(self) -> tuple[int, ...]:
        """What a receiver needs to find the fields of a packet; it must match the packet's."""
        length_field, all_but_maximum = 0xFF_FFFF, ~0xFF
        return self.mode, self.pcnf0 & length_field, self.pcnf1 & all_but_maximum, self.crccnf


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


class _ListensError(Exception):
    """Ends a board's run when its radio begins to listen."""


class Antenna:
    """A micro:bit's place in an ether, and its time there."""

    def __init__(self, name: str, ether: Ether, chip: Chip, run: Callable[[int], object]) -> None:
        self.name, self.chip, self.ether = name, chip, ether
        self._cpu, self._run = chip.cpu, run
        self._ticks_per_cycle = TICK_HZ // chip.hz
        self._origin = chip.cpu.now()
        """The board's time, in cycles, at the start of the ether's time."""

    def now(self) -> int:
        """The board's present as a time of the ether, in ticks."""
        return (self._cpu.now() - self._origin) * self._ticks_per_cycle

    def idle_until(self) -> int:
        """Before this time, the board does nothing, unless a packet ends there."""
        return (self._cpu.idle_until() - self._origin) * self._ticks_per_cycle

    def stand_at(self, ticks: int) -> None:
        """Set the board's present to this time, when its power returns."""
        self._origin += self._cpu.now() - self._cycle_at(ticks)

    def _cycle_at(self, ticks: int) -> int:
        return self._origin + -(-ticks // self._ticks_per_cycle)

    def run_to(self, ticks: int) -> None:
        """Run the board to a time, or until its radio begins to listen."""
        if self.now() < ticks:
            with suppress(_ListensError):
                self._run(self._cycle_at(ticks))

    def run_deaf(self, ticks: int) -> None:
        while not self.chip.radio.listens and self.now() < ticks:
            self.run_to(ticks)

    def run_all(self, cycle: int) -> None:
        """Run all boards of the ether to a time of this board, in its cycles."""
        ticks = (cycle - self._origin) * self._ticks_per_cycle
        self.ether.run_until(ticks / TICKS_PER_US)

    def deliver(self, packet: Packet, payload: bytes, dbm: int) -> None:
        """Receive a packet, whose end this board has just reached."""
        cycles = self._cycle_at(packet.end) - self._cpu.now()
        self._cpu.after(max(cycles, 0), partial(self.chip.radio.receive, packet, payload, dbm))

    def listen(self) -> None:
        """Note that the radio listens from now on; other boards may have to catch up first."""
        self._cpu.fail(_ListensError())

    def fall_silent(self) -> None:
        """Stop sending; a packet on the air is cut short."""
        self.ether.cut(self.name, self.now())


class Radio(Peripheral):
    """The radio."""

    def __init__(self, chip: Host) -> None:
        settings = POWER, *range(CRCSTATUS, OVERRIDE_END, 4)
        super().__init__(chip, 0x4000_1000, range(READY, BCMATCH + 4, 4), (SHORTS, *settings))
        self.values |= {RSSISAMPLE: _WEAKEST, POWER: 1}
        self._ticks_per_cycle = TICK_HZ // chip.hz
        self._listens_since = 0
        self._frequency = 0
        self._addresses: dict[bytes, int] = {}
        """The logical addresses that are received, by address."""
        self.tasks |= {
            TXEN: lambda: self._ramp_up(_TX_RAMP, _TX_IDLE),
            RXEN: lambda: self._ramp_up(_RX_RAMP, _RX_IDLE),
            START: self._start,
            DISABLE: self._disable,
            RSSISTART: self._sample_nothing,
        }
        self.accept(RSSISTOP, BCSTART, BCSTOP)
        self.expect_polling((READY, END, DISABLED))

    # States.

    def _ramp_up(self, ramp: int, idle: int) -> None:
        self.values[STATE] = ramp
        ready = partial(self._reach, idle, READY, (_READY_START, START))
        self.begin(self.chip.cycles(RAMP_UP_US), ready)

    def _start(self) -> None:
        state = self.values[STATE]
        if state == _TX_IDLE:
            self._send()
        elif state == _RX_IDLE:
            self._listen()

    def _end(self, idle: int) -> None:
        self._reach(idle, END, (_END_DISABLE, DISABLE), (_END_START, START))

    def _reach(self, state: int, event: int, *shorts: tuple[int, int]) -> None:
        """Reach a state, which is an event; the first enabled short starts its task."""
        self.values[STATE] = state
        self.event(event)
        for short, task in shorts:
            if self.values[SHORTS] & short:
                self.trigger(task)
                return

    def _disable(self) -> None:
        state = self.values[STATE]
        if state == _TX and self.chip.antenna:
            self.chip.antenna.fall_silent()
        if state != _OFF:
            self.values[STATE] = _RX_DISABLE if state < _TX_RAMP else _TX_DISABLE
        shorts = (_DISABLED_TXEN, TXEN), (_DISABLED_RXEN, RXEN)
        self.begin(self.chip.cycles(_DISABLE_US), partial(self._reach, _OFF, DISABLED, *shorts))

    # Packets.

    def _send(self) -> None:
        values = self.values
        layout = self._layout()
        if layout.mode not in _BIT_TICKS:
            self.cpu.stop_unmodelled(self.base + START, "starts the task")
            return
        values[STATE] = _TX
        at = values[PACKETPTR]
        header = self.cpu.read(at, layout.header_size)
        size = layout.payload_size(header)
        times = layout.ticks(size)
        air = self.chip.antenna
        if air:
            start = air.now()
            packet = Packet(
                sender=air.name,
                start=start,
                address_end=start + times[0],
                end=start + sum(times),
                frequency=values[FREQUENCY] & 0x17F,
                dbm=(values[TXPOWER] & 0xFF ^ 0x80) - 0x80,
                address=self._address(values[TXADDRESS] & 7),
                layout=layout,
                code=self._code(),
                header=header,
                payload=self.cpu.read(at + len(header), size),
            )
            air.ether.begin(packet)
        to_address, to_crc, to_end = (ticks // self._ticks_per_cycle for ticks in times)

        def address_sent() -> None:
            self.event(ADDRESS)
            self.begin(to_crc, payload_sent)

        def payload_sent() -> None:
            self.event(PAYLOAD)
            self.begin(to_end, lambda: self._end(_TX_IDLE))

        self.begin(to_address, address_sent)

    def _listen(self) -> None:
        values = self.values
        values[STATE] = _RX
        self._frequency = values[FREQUENCY] & 0x17F
        chosen = [logical for logical in range(8) if values[RXADDRESSES] >> logical & 1]
        self._addresses = {self._address(logical): logical for logical in reversed(chosen)}
        if self.chip.antenna:
            self._listens_since = self.chip.antenna.now()
            self.chip.antenna.listen()

    @property
    def listens(self) -> bool:
        return self.values[STATE] == _RX

    def hears(self, packet: Packet) -> bool:
        """Whether it has been receiving, with this address, since before this packet began."""
        return (
            self.listens
            and self._listens_since <= packet.start
            and self._frequency == packet.frequency
            and self.values[MODE] == packet.layout.mode
            and packet.address in self._addresses
        )

    def receive(self, packet: Packet, payload: bytes, dbm: int) -> None:
        """A packet ends here; `payload` is what came of its own, if not disturbed the same."""
        if not self.hears(packet):
            return
        values = self.values
        layout = self._layout()
        same = layout.fields == packet.layout.fields
        size = layout.payload_size(packet.header) if same else -1
        right = payload == packet.payload and size == len(payload) and self._code() == packet.code
        data = packet.header + payload[: values[PCNF1] & 0xFF]
        self.cpu.write(values[PACKETPTR], data)
        values[RXMATCH] = self._addresses[packet.address]
        values[CRCSTATUS] = int(right)
        self.event(ADDRESS)
        if values[SHORTS] & _ADDRESS_RSSISTART:
            values[RSSISAMPLE] = max(0, min(-dbm, _WEAKEST))
            self.event(RSSIEND)
        self.event(PAYLOAD)
        self._end(_RX_IDLE)

    def _sample_nothing(self) -> None:
        self.values[RSSISAMPLE] = _WEAKEST
        self.event(RSSIEND)

    # Registers.

    def _layout(self) -> Layout:
        values = self.values
        return Layout(values[MODE], values[PCNF0], values[PCNF1], values[CRCCNF])

    def _code(self) -> tuple[int, ...]:
        """The settings that must match the sender's, or else the CRC is wrong."""
        values = self.values
        mask = (1 << 8 * (values[CRCCNF] & 3)) - 1
        whitening = values[DATAWHITEIV] & 0x3F if values[PCNF1] & _WHITENING else -1
        return values[CRCPOLY] & mask, values[CRCINIT] & mask, whitening

    def _address(self, logical: int) -> bytes:
        """The bytes of a logical address: the most significant of the base, then the prefix."""
        values = self.values
        base = values[BASE1 if logical else BASE0].to_bytes(4, "big")
        prefixes = values[PREFIX0] | values[PREFIX1] << 32
        return base[: self._layout().address_size] + bytes([prefixes >> 8 * logical & 0xFF])
