"""The ether: radio between the micro:bits of one process.

Each micro:bit has its own clock. In an ether they run together, and a packet ends at its receivers
at the same time as at its sender. Nothing is rounded to a step, so a run repeats exactly, in steps
of any length and with boards named in any order.

README.md says what can happen to a packet, and what is not modelled.

How it keeps time: no listening board may run past a time at which a packet could end that has not
begun. A board that does not listen runs ahead, to the end of the step or until it listens. Of those
that listen, the one that acts next runs. It may run beyond the time at which another one acts, by
at most the shortest time from TXEN to the end of a packet. A sleeping board acts when it wakes. So
boards that sleep much, or only switch their radio on to send, cost little more than alone.
"""

import math
import random
from bisect import insort
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import replace
from heapq import heapify, heappop, heappush

from microbit_emulator.errors import EmulatorError
from microbit_emulator.microbit import InDeviceTime, Microbit
from microbit_emulator.radio import RAMP_UP_US, SENSITIVITY_DBM, TICKS_PER_US, Antenna, Packet
from microbit_emulator.snapshot import Snapshot

_SHORTEST_PACKET_US = 16  # preamble and three bytes of address, at 2 Mbit/s
_PAST_THE_END_US = 1
"""A run may end this much later, by the rest of an IT block or of a V1's cycle."""
_REMEMBERED = 1_000
_LOOKAHEAD = (RAMP_UP_US + _SHORTEST_PACKET_US - _PAST_THE_END_US) * TICKS_PER_US


class Ether(InDeviceTime):
    """Micro:bits in radio contact, from now on. Running one of them runs them all.

    boards: the micro:bits, by name.
    seed: makes the losses the same in each run.
    loss: the share of packets that a receiver in range misses.
    attenuation: in decibels from a sender to a receiver, or a function of their names; `math.inf`
    if nothing arrives. A signal of 0 dBm is received through up to about 93 dB.
    collisions: False lets packets pass through each other.

    All but the boards may be changed between runs.
    """

    def __init__(
        self,
        boards: Mapping[str, Microbit],
        *,
        seed: int = 0,
        loss: float = 0.0,
        attenuation: Callable[[str, str], float] | float = 60.0,
        collisions: bool = True,
    ) -> None:
        self.seed, self.loss, self.attenuation = seed, loss, attenuation
        self.collisions = collisions
        self._per_us, self._reached = TICKS_PER_US, 0
        self._antennas = [boards[name].enter(self, name) for name in sorted(boards)]
        self._flying: list[Packet] = []
        """The packets that have not ended everywhere, by the time of their end."""
        self.history: deque[Packet] = deque(maxlen=_REMEMBERED)
        """The last packets that have ended, received or not."""
        self._landed: list[Packet] = []
        """Packets that have ended, and may have disturbed others."""

    @property
    def clock_us(self) -> int:
        """The time since it was made, in microseconds, the same for all of its boards."""
        return self._reached // TICKS_PER_US

    def snapshot(self) -> Snapshot:
        """The present state of the ether and its boards, see `Microbit.snapshot`."""
        chips = [antenna.chip for antenna in self._antennas]
        boards = [antenna.microbit.note_state() for antenna in self._antennas]
        return Snapshot(chips, self._note_state(), *boards)

    def _note_state(self) -> Callable[[], None]:
        packets = [[replace(packet) for packet in some] for some in self._all_packets()]
        origins = [antenna.origin for antenna in self._antennas]
        settings = self.seed, self.loss, self.attenuation, self.collisions, self._reached

        def put_back() -> None:
            for some, noted in zip(self._all_packets(), packets, strict=True):
                some.clear()
                some.extend(replace(packet) for packet in noted)
            for antenna, origin in zip(self._antennas, origins, strict=True):
                antenna.origin = origin
            self.seed, self.loss, self.attenuation, self.collisions, self._reached = settings

        return put_back

    def _all_packets(self) -> tuple[list[Packet] | deque[Packet], ...]:
        return self._flying, self._landed, self.history

    def _run_to(self, ticks: int) -> None:
        """Run all boards with power up to a time of the ether, in 1/64 microseconds."""
        for antenna in self._antennas:
            if antenna.has_left:
                raise EmulatorError(
                    f"the micro:bit {antenna.name} has left this ether; make another one"
                )
        powered = [antenna for antenna in self._antennas if antenna.has_power]
        for antenna in powered:
            antenna.run_deaf(ticks)
        self._advance(powered, ticks)
        while self._flying and self._flying[0].end <= ticks:
            self._land(self._flying[0].end)
            self._advance(powered, ticks)
        self._reached = max(self._reached, ticks)
        for antenna in self._antennas:
            if not antenna.has_power:
                antenna.stand_at(self._reached)

    def _advance(self, powered: list[Antenna], ticks: int) -> None:
        """Run all boards to a time, or to the next packet's end; the next to act goes first."""
        acting = [antenna for antenna in powered if antenna.now() < ticks]
        queue = [(antenna.idle_until(), antenna.name, antenna) for antenna in acting]
        heapify(queue)
        end = ticks
        while queue:
            if self._flying:
                end = min(ticks, self._flying[0].end)
            acts_at, name, antenna = queue[0]
            if acts_at >= end:
                break
            heappop(queue)
            antenna.run_to(min(end, queue[0][0] + _LOOKAHEAD) if queue else end)
            antenna.run_deaf(ticks)
            if antenna.now() < ticks:
                heappush(queue, (antenna.idle_until(), name, antenna))
        for _, _, antenna in queue:
            antenna.run_to(end)

    def begin(self, packet: Packet) -> None:
        """Begin a packet now, in the sender's time."""
        insort(self._flying, packet)

    def relay(self, packet: Packet) -> None:
        """Put a packet from another ether, such as that of another process, on the air.

        It begins once the air is free. Its sender must not have the name of a board in this ether.
        """
        free_at = max([self._reached, *(other.end for other in self._flying)])
        delay = free_at + RAMP_UP_US * TICKS_PER_US - packet.start
        self.begin(
            replace(
                packet,
                start=packet.start + delay,
                address_end=packet.address_end + delay,
                end=packet.end + delay,
            )
        )

    def cut(self, sender: str, now: int) -> None:
        """End a packet early, because its sender has stopped."""
        for packet in self._flying:
            if packet.sender == sender and packet.end > now:
                packet.is_cut = True

    def _land(self, now: int) -> None:
        """End the packets that have ended by now, which all boards have reached."""
        while self._flying and self._flying[0].end <= now:
            packet = self._flying.pop(0)
            self._arrive(packet)
            self._landed.append(packet)
            self.history.append(packet)
            first = min((other.start for other in self._flying), default=packet.end)
            self._landed = [other for other in self._landed if other.end > first]

    def _arrive(self, packet: Packet) -> None:
        others = [
            other
            for other in (*self._landed, *self._flying)
            if self.collisions
            and other.frequency == packet.frequency
            and other.overlaps(packet.start, packet.end)
        ]
        for antenna in self._antennas:
            if antenna.has_power and antenna.hears(packet):
                self._arrive_at(antenna, packet, others)

    def _arrive_at(self, antenna: Antenna, packet: Packet, others: list[Packet]) -> None:
        dbm = self._dbm(packet, antenna.name)
        if dbm is None:
            return
        disturbing = [other for other in others if self._dbm(other, antenna.name) is not None]
        if any(other.overlaps(packet.start, packet.address_end) for other in disturbing):
            return
        chance = random.Random(f"{self.seed} {packet.sender} {antenna.name} {packet.start}")
        if chance.random() < self.loss:
            return
        payload = packet.payload
        if disturbing or packet.is_cut:
            payload = bytes(byte ^ chance.randrange(1, 256) for byte in payload) or b"?"
        antenna.deliver(packet, payload, dbm)

    def _dbm(self, packet: Packet, receiver: str) -> int | None:
        """The strength of a packet at a receiver; None if it is not received."""
        attenuation = self.attenuation
        lost = attenuation(packet.sender, receiver) if callable(attenuation) else attenuation
        if math.isinf(lost):
            return None
        dbm = round(packet.dbm - lost)
        return dbm if dbm >= SENSITIVITY_DBM[packet.layout.mode] else None
