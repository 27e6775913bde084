"""A micro:bit's place in an ether: its time there, and what its radio sends and hears."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING

from microbit_emulator.packet import TICK_HZ, Packet

if TYPE_CHECKING:
    from microbit_emulator.chip import Chip
    from microbit_emulator.ether import Ether


class _ListensError(Exception):
    """Ends a board's run where its radio begins to listen."""


class Antenna:
    """A micro:bit's place in an ether; made by `Microbit.enter`."""

    def __init__(
        self,
        name: str,
        chip: Chip,
        ether: Ether,
        run: Callable[[int], object],
        has_power: Callable[[], bool],
    ) -> None:
        self.name, self.chip, self.ether = name, chip, ether
        self.has_power = has_power
        self._cpu, self._run = chip.cpu, run
        self._ticks_per_cycle = TICK_HZ // chip.hz
        self._origin = 0
        """The board's time, in cycles, at which the ether's began."""

    def now(self) -> int:
        """The ether's time at which this board is, in ticks."""
        return (self._cpu.now() - self._origin) * self._ticks_per_cycle

    def idle_until(self) -> int:
        """Before this time the board does nothing, unless a packet ends there."""
        return (self._cpu.idle_until() - self._origin) * self._ticks_per_cycle

    def stand_at(self, ticks: int) -> None:
        """Let the board's present be this time: so it comes in, and so it comes back to power."""
        self._origin = self._cpu.now() - -(-ticks // self._ticks_per_cycle)

    def run_to(self, ticks: int) -> None:
        """Run the board to a time, or until its radio begins to listen."""
        if self.now() < ticks:
            with suppress(_ListensError):
                self._run(self._origin + -(-ticks // self._ticks_per_cycle))

    def run_deaf(self, ticks: int) -> None:
        """Run the board to a time, while its radio does not listen."""
        while not self.chip.radio.listens and self.now() < ticks:
            self.run_to(ticks)

    def run_all(self, cycle: int) -> None:
        """Run all boards of the ether to a time of this one, in its cycles."""
        self.ether.run_to((cycle - self._origin) * self._ticks_per_cycle)

    def deliver(self, packet: Packet, payload: bytes, dbm: int) -> None:
        """Let a packet end here, which this board has just come to the end of."""
        cycles = -(-packet.end // self._ticks_per_cycle) + self._origin - self._cpu.now()
        self._cpu.after(max(cycles, 0), partial(self.chip.radio.receive, packet, payload, dbm))

    # What the radio calls.

    def send(self, packet: Packet) -> None:
        """A packet begins. The board may run past its end: it stops before it hears an answer."""
        self.ether.begin(packet)

    def listen(self) -> None:
        """The radio listens from now: others may have to catch up first."""
        self._cpu.fail(_ListensError())

    def fall_silent(self) -> None:
        """Nothing more is sent: a packet that is on the air lacks its end."""
        self.ether.cut(self.name, self.now())
