"""The LEDs: levels from 0 to 9, worked out from what the pins do.

An LED is lit while its row is high and its column low. The firmware shows a row at a time, and each
of its LEDs for a part of that time, by which the level is known. A program that drives the pins
itself and lets them stand lights LEDs fully, in any number of rows.
"""

from __future__ import annotations

from bisect import bisect
from collections.abc import Iterable
from itertools import pairwise
from typing import NamedTuple

from microbit_emulator.cpu import Cpu
from microbit_emulator.gpio import Gpiote, Port
from microbit_emulator.peripheral import Host
from microbit_emulator.timers import Timer

_DARK_AFTER_US = 50_000
_ROW_US, _SHORTEST_ROW_US = 6000, 5000
_LONG_AGO = -(1 << 62)


class Matrix(NamedTuple):
    """How LEDs are wired: pins, by their numbers, and where the LED at each crossing is."""

    rows: tuple[int, ...]
    columns: tuple[int, ...]
    places: tuple[tuple[tuple[int, int] | None, ...], ...]
    """Of each row, (x, y) at each column."""
    shares: tuple[float, ...]
    """For which share of its row's time an LED of each level is lit."""


class Lights:
    """The LEDs of a matrix."""

    def __init__(self, time: Cpu, hz: int, matrix: Matrix, ports: list[Port]) -> None:
        self._time, self._matrix, self.ports = time, matrix, ports
        self._cycles_per_us = hz // 1_000_000
        self._limits = [(low + high) / 2 for low, high in pairwise(matrix.shares)]
        """Between the shares of two levels."""
        self._shares = [[0.0] * len(matrix.columns)] * len(matrix.rows)
        self._shown_at = [_LONG_AGO] * len(matrix.rows)
        self._rows_since = _LONG_AGO
        """When other rows were driven than before, where that is known."""

    def show(self, row: int, shares: Iterable[float]) -> None:
        """The firmware shows a row: each LED is lit for a share of its time."""
        self._shares[row] = [*shares]
        self._shown_at[row] = self._time.now()

    def levels(self) -> bytes:
        """25 levels from 0 to 9, in reading order; a row not shown for 50 ms is dark."""
        oldest = self._time.now() - _DARK_AFTER_US * self._cycles_per_us
        stands = max(*self._shown_at, self._rows_since) < oldest
        levels = bytearray(25)
        for row, places in enumerate(self._matrix.places):
            shares = self._standing(row) if stands else self._shares[row]
            for place, share in zip(places, shares, strict=True):
                if place and (stands or self._shown_at[row] >= oldest):
                    levels[place[1] * 5 + place[0]] = bisect(self._limits, share)
        return bytes(levels)

    def _standing(self, row: int) -> list[float]:
        high = self._drives(self._matrix.rows[row], True)
        return [float(high and self._drives(pin, False)) for pin in self._matrix.columns]

    def _drives(self, pin: int, high: bool) -> bool:
        port, bit = self.ports[pin >> 5], pin & 31
        return bool(port.direction >> bit & 1) and bool(port.out >> bit & 1) == high


class LitTimes(Lights):
    """V1: adds up for how long each LED is lit, of the 6 ms in which its row is high."""

    def __init__(self, time: Cpu, hz: int, matrix: Matrix, ports: list[Port]) -> None:
        super().__init__(time, hz, matrix, ports)
        self._port = ports[0]
        self._row_cycles = _ROW_US * self._cycles_per_us
        self._shortest = _SHORTEST_ROW_US * self._cycles_per_us
        self._row_of = {1 << pin: row for row, pin in enumerate(matrix.rows)}
        self._row_bits = sum(self._row_of)
        self._first_column, self._columns = matrix.columns[0], len(matrix.columns)
        self._row = 0
        self._since = self._rows_since = time.now()
        self._lit = [0] * self._columns
        self._port.before_out = self._look

    def _look(self) -> None:
        """The pins are about to change: add up what was lit until now."""
        now, out = self._time.now(), self._port.out
        spent, self._since = now - self._since, now
        row = out & self._row_bits
        if row != self._row:
            changed, shown = now - spent, self._row_of.get(self._row)
            if shown is not None and changed - self._rows_since > self._shortest:
                self.show(shown, (cycles / self._row_cycles for cycles in self._lit))
            self._row, self._rows_since = row, changed
            self._lit = [0] * self._columns
        if row and spent:
            lit = ~out >> self._first_column & (1 << self._columns) - 1
            while lit:
                lowest = lit & -lit
                lit ^= lowest
                self._lit[lowest.bit_length() - 1] += spent


class LedTimer(Timer):
    """V2: TIMER4 shows a row of LEDs each time it starts.

    A column is low until its compare register is reached, where GPIOTE's channel of the same number
    lets it begin so.
    """

    def __init__(
        self, chip: Host, base: int, matrix: Matrix, lights: Lights, gpiote: Gpiote
    ) -> None:
        super().__init__(chip, base, channels=6)
        self._matrix, self._lights, self._gpiote = matrix, lights, gpiote
        self._port = lights.ports[0]

    def start(self) -> None:
        super().start()
        out, period = self._port.out, self.cc[0] or 1
        for row, pin in enumerate(self._matrix.rows):
            if out >> pin & 1:
                channels = range(1, 1 + len(self._matrix.columns))
                lit = map(self._gpiote.drives_low_first, channels)
                self._lights.show(row, (self.cc[at] / period * on for at, on in enumerate(lit, 1)))
