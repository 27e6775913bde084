"""The LEDs: levels from 0 to 9, worked out from what the pins do.

A LED is lit while its row is high and its column low. The firmware shows a row at a time, and each
of its LEDs for a part of that time, by which the level is known. A program that drives the pins
itself and lets them stand lights LEDs fully, in any number of rows.
"""

from __future__ import annotations

from microbit_emulator.gpio import Gpiote, Port
from microbit_emulator.timeline import Timeline

_DARK_AFTER_US = 50_000
_LONG_AGO = -(1 << 62)
_BRIGHTEST = 9

Place = tuple[int, int] | None
"""Where a LED is: (x, y)."""


class Lights:
    """The LEDs at the crossings of some rows and columns, which are pins by their numbers.

    `places` says where the LED at each row and column is.
    """

    def __init__(
        self,
        time: Timeline,
        hz: int,
        rows: tuple[int, ...],
        columns: tuple[int, ...],
        places: tuple[tuple[Place, ...], ...],
        ports: list[Port],
    ) -> None:
        self._time, self._per_us = time, hz // 1_000_000
        self._ports, self._rows, self._columns, self._places = ports, rows, columns, places
        self._shown_at = [_LONG_AGO] * len(rows)
        """When the firmware has last shown each row."""

    def levels(self) -> bytes:
        oldest = self._time.now() - _DARK_AFTER_US * self._per_us
        shown = [at >= oldest for at in self._shown_at]
        stands = not any(shown) and self._stands_since() < oldest
        levels = bytearray(25)
        for row, places in enumerate(self._places):
            for column, place in enumerate(places):
                if place and (stands or shown[row]):
                    level = self._standing(row, column) if stands else self._level(row, column)
                    levels[place[1] * 5 + place[0]] = level
        return bytes(levels)

    def _standing(self, row: int, column: int) -> int:
        lit = self._drives(self._rows[row], True) and self._drives(self._columns[column], False)
        return _BRIGHTEST if lit else 0

    def _drives(self, pin: int, high: bool) -> bool:
        port, bit = self._ports[pin >> 5], pin & 31
        return bool(port.direction >> bit & 1) and bool(port.out >> bit & 1) == high

    def _stands_since(self) -> int:
        """Since when no other rows were driven."""
        return _LONG_AGO

    def _level(self, row: int, column: int) -> int:
        raise NotImplementedError


class RowsInTime(Lights):
    """V1: a level is for how long a LED is lit of its row's 6 ms."""

    _LIT_US = 0, 32, 64, 128, 240, 448, 848, 1632, 3184
    """Of level 0 to 8."""
    _ALWAYS_US, _SHORTEST_ROW_US = 4500, 5000

    def __init__(
        self,
        time: Timeline,
        hz: int,
        rows: tuple[int, ...],
        columns: tuple[int, ...],
        places: tuple[tuple[Place, ...], ...],
        ports: list[Port],
    ) -> None:
        super().__init__(time, hz, rows, columns, places, ports)
        (self._port,) = ports
        self._row_bits = sum(1 << pin for pin in rows)
        self._first_column, self._column_bits = columns[0], (1 << len(columns)) - 1
        self._row = 0
        self._row_since = self._since = time.now()
        self._lit = [0] * len(columns)
        self._lit_of_row = [self._lit] * len(rows)
        self._port.before_out = self._look

    def _look(self) -> None:
        """The pins are about to change: add up what was lit until now."""
        now, out = self._time.now(), self._port.out
        spent, self._since = now - self._since, now
        row = out & self._row_bits
        if row != self._row:
            self._finish(now - spent, row)
        if row and spent:
            lit = ~out >> self._first_column & self._column_bits
            while lit:
                lowest = lit & -lit
                lit ^= lowest
                self._lit[lowest.bit_length() - 1] += spent

    def _finish(self, now: int, row: int) -> None:
        long_enough = now - self._row_since > self._SHORTEST_ROW_US * self._per_us
        for number, pin in enumerate(self._rows):
            if self._row == 1 << pin and long_enough:
                self._shown_at[number] = now
                self._lit_of_row[number] = self._lit
        self._row, self._row_since = row, now
        self._lit = [0] * len(self._columns)

    def _stands_since(self) -> int:
        return self._row_since

    def _level(self, row: int, column: int) -> int:
        us = self._lit_of_row[row][column] // self._per_us
        if us > self._ALWAYS_US:
            return _BRIGHTEST
        return min(range(9), key=lambda level: abs(self._LIT_US[level] - us))


class Pulses(Lights):
    """V2: a column is low until its compare register of the LEDs' timer is reached.

    A level v is a pulse of about 2^v/512 of the row's time. `gpiote` ends the pulses: its channels
    and the compare registers of the columns have the same numbers, from 1 on.
    """

    def __init__(
        self,
        time: Timeline,
        hz: int,
        rows: tuple[int, ...],
        columns: tuple[int, ...],
        places: tuple[tuple[Place, ...], ...],
        ports: list[Port],
        gpiote: Gpiote,
    ) -> None:
        super().__init__(time, hz, rows, columns, places, ports)
        self._gpiote = gpiote
        self._channels = range(1, 1 + len(columns))
        self._shown: list[tuple[list[int], list[bool]]] = [([], [])] * len(rows)
        """The compare registers, and which columns are lit, when a row was shown."""

    def show_row(self, compare: list[int]) -> None:
        """The timer starts: take the row that is high, and how long each column will be low."""
        now, out = self._time.now(), self._ports[0].out
        for row, pin in enumerate(self._rows):
            if out >> pin & 1:
                lit = [self._gpiote.drives_low_first(channel) for channel in self._channels]
                self._shown[row] = compare[:], lit
                self._shown_at[row] = now

    def _level(self, row: int, column: int) -> int:
        compare, lit = self._shown[row]
        pulse = round(compare[column + 1] / (compare[0] or 1) * 256)
        level = _BRIGHTEST if pulse >= 255 else pulse.bit_length()
        return level if lit[column] else 0
