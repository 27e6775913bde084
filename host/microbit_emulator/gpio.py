"""GPIO, the pins; GPIOTE, which connects pins with tasks and events; and the LEDs on the pins.

Modelled: output, input, direction, pull-ups, external signals, SENSE and the PORT event. Not
modelled: drive strengths, edges on pins other than the touch of the logo, and what GPIOTE's tasks
do to pins, because nothing that reads a pin here depends on it.

An LED is lit while its row is high and its column low. The firmware shows one row at a time, and
each LED for a part of that time, which gives its level. A program that drives the pins itself, and
does not change them, lights LEDs fully, in any number of rows.
"""

from bisect import bisect
from collections.abc import Callable, Iterable
from functools import partial
from itertools import pairwise
from typing import NamedTuple

from microbit_emulator.cpu import NEVER, Cpu
from microbit_emulator.peripheral import Host, Peripheral
from microbit_emulator.timers import Timer

OUT, OUTSET, OUTCLR, IN, DIR, DIRSET, DIRCLR = 0x504, 0x508, 0x50C, 0x510, 0x514, 0x518, 0x51C
LATCH, PIN_CNF = 0x520, 0x700
PORT_SIZE = 0x300
"""On the nRF52, the distance from a port's registers to the next port's."""
_PINS = 32
_PULL_UP = 3
_SENSE_SHIFT, _SENSE_HIGH = 16, 2
_DISCONNECTED = 2
_WORD = 0xFFFF_FFFF


_SAME = 0.04
"""Periods that differ by less are of the same tone, because V1 times them in software."""
_STOPPED = 1.5
"""After this many periods without an edge, the oscillation has stopped."""


class PinState(NamedTuple):
    """The state of a pin: an output is high or low, or pulses at a frequency."""

    is_output: bool
    is_high: bool
    frequency_hz: float
    """Of its pulses; 0.0 without pulses."""
    duty: float
    """The share of the time in which it is high."""


class Tone(NamedTuple):
    """A tone, and since when it is played, in device time."""

    frequency_hz: float
    since_us: int


class Oscillation:
    """Finds the period of a signal that goes up and down; times are in cycles."""

    def __init__(self) -> None:
        self.period = self.since = 0
        self._rise = self._high_for = 0
        self._is_high = False

    def level(self, at: int, is_high: bool) -> None:
        if is_high and not self._is_high:
            period = at - self._rise if self._rise else 0
            if abs(period - self.period) > self.period * _SAME:
                self.since = self._rise
            self.period, self._rise = period, at
        elif self._is_high and not is_high:
            self._high_for = at - self._rise
        self._is_high = is_high

    def samples(self, at: int, period: int, samples: Iterable[int]) -> None:
        """Take the samples that are played from now on, one per period."""
        values = [*samples]
        middle = (min(values) + max(values)) // 2
        for nth, value in enumerate(values):
            self.level(at + nth * period, value > middle)

    def is_on(self, now: int) -> bool:
        return self.period > 0 and now - self._rise < self.period * _STOPPED

    @property
    def duty(self) -> float:
        """The share of its last period in which it was high."""
        return self._high_for / self.period


class Port:
    """32 pins. A pin that nothing drives reads as its pull-up says."""

    def __init__(self, time: Cpu) -> None:
        self._time = time
        self.out = self.direction = 0
        self.before_out: Callable[[], object] | None = None
        """Called before an output changes."""
        self.drive_inputs: Callable[[], int] = lambda: NEVER
        """Drives the pins that change by themselves; returns when they may change next."""
        self.inputs_change = 0
        """Before this time they do not change; code that changes them sets it to 0."""
        self.watched = 0
        """The outputs whose pulses are wanted, a bit each."""
        self.oscillations: dict[int, Oscillation] = {}
        self.detect: Callable[[], object] = lambda: None
        """Called when a pin reaches the level that it senses."""
        self.latch = 0
        """The pins that have reached the level that they sense."""
        self._driven = self._high = self._pulled_up = 0
        self._senses = self._senses_high = 0
        self._inputs: int | None = None

    def watch(self, pin: int) -> None:
        self.watched |= 1 << pin
        self.oscillations[pin] = Oscillation()

    def drive(self, pin: int, high: bool) -> None:
        bit = 1 << pin
        self._driven |= bit
        self._high = self._high | bit if high else self._high & ~bit
        self._inputs = None
        self._sense(bit)

    def _sense(self, bit: int) -> None:
        if self._senses & bit and self._driven & bit and not (self._high ^ self._senses_high) & bit:
            self.latch |= bit
            self.detect()

    def read(self) -> int:
        """The levels of all pins, a bit each."""
        time = self._time
        if time.base + time.counter[0] >= self.inputs_change:  # now
            self.inputs_change = self.drive_inputs()
        inputs = self._inputs
        if inputs is None:
            level = self._pulled_up & ~self._driven | self._high & self._driven
            inputs = self._inputs = level & ~self.direction | self.out & self.direction
        return inputs

    def set_out(self, value: int) -> None:
        if value != self.out:
            if self.before_out:
                self.before_out()
            changed, self.out = value ^ self.out, value
            if changed & self.watched:
                for pin, oscillation in self.oscillations.items():
                    if changed >> pin & 1:
                        oscillation.level(self._time.now(), bool(value >> pin & 1))
            self._inputs = None

    def set_direction(self, value: int) -> None:
        self.direction = value & _WORD
        self._inputs = None

    def configure(self, pin: int, value: int) -> None:
        """Write a pin's PIN_CNF: its direction, its pull-up, and the level that it senses."""
        bit = 1 << pin
        self.direction = self.direction & ~bit | (value & 1) << pin
        self._pulled_up = self._pulled_up & ~bit | (value >> 2 & 3 == _PULL_UP) << pin
        self._inputs = None
        before, sense = (self._senses, self._senses_high), value >> _SENSE_SHIFT & 3
        self._senses = self._senses & ~bit | bool(sense) << pin
        self._senses_high = self._senses_high & ~bit | (sense == _SENSE_HIGH) << pin
        if before != (self._senses, self._senses_high):
            self._sense(bit)

    def clear_latch(self, value: int) -> None:
        self.latch &= ~value


class Gpio(Peripheral):
    """The registers of one or two ports of 32 pins."""

    def __init__(self, chip: Host, ports: int) -> None:
        super().__init__(chip, 0x5000_0000)
        self.ports = [Port(chip.cpu) for _ in range(ports)]
        for number, port in enumerate(self.ports):
            self._attach(port, number * PORT_SIZE)

    def _attach(self, port: Port, at: int) -> None:
        self.reads[at + LATCH] = lambda: port.latch
        self.reads |= dict.fromkeys((at + OUT, at + OUTSET, at + OUTCLR), lambda: port.out)
        self.reads |= dict.fromkeys((at + DIR, at + DIRSET, at + DIRCLR), lambda: port.direction)
        self.reads[at + IN] = port.read
        self.writes |= {
            at + LATCH: port.clear_latch,
            at + OUT: port.set_out,
            at + OUTSET: lambda value: port.set_out(port.out | value),
            at + OUTCLR: lambda value: port.set_out(port.out & ~value),
            at + DIR: port.set_direction,
            at + DIRSET: lambda value: port.set_direction(port.direction | value),
            at + DIRCLR: lambda value: port.set_direction(port.direction & ~value),
        }
        for pin in range(_PINS):
            offset = at + PIN_CNF + 4 * pin
            self.values[offset] = _DISCONNECTED
            self.writes[offset] = partial(self._configure, port, pin, offset)

    def _configure(self, port: Port, pin: int, offset: int, value: int) -> None:
        self.values[offset] = value
        port.configure(pin, value)


TASKS_OUT, TASKS_SET, TASKS_CLR, EVENTS_IN, EVENTS_PORT = 0x000, 0x030, 0x060, 0x100, 0x17C
CONFIG = 0x510
_MODE, _MODE_EVENT, _MODE_TASK = 3, 1, 3
_POLARITY_SHIFT, _RISING, _PIN_SHIFT, _PIN_MASK = 16, 1, 8, 0x3F
_OUTINIT = 1 << 20


class Gpiote(Peripheral):
    """Channels that connect a pin with an event or with tasks.

    `charging_us` gives the time in which a released pin reaches its high level, by which firmware
    senses touch. Without it, there is no event.
    """

    def __init__(
        self,
        chip: Host,
        ports: list[Port],
        channels: int,
        charging_us: Callable[[int], int] | None = None,
    ) -> None:
        events = [EVENTS_IN + 4 * channel for channel in range(channels)]
        super().__init__(chip, 0x4000_6000, (*events, EVENTS_PORT))
        self._charging_us = charging_us
        for port in ports:
            port.detect = partial(self.event, EVENTS_PORT)
        for channel in range(channels):
            self.values[CONFIG + 4 * channel] = 0
            self.writes[CONFIG + 4 * channel] = partial(self._configure, channel)
            self.accept(*(task + 4 * channel for task in (TASKS_OUT, TASKS_SET, TASKS_CLR)))

    def ignores(self, task: int) -> bool:
        """Always: timers end the LEDs' pulses by PPI, and `LedTimer` reads their lengths."""
        return True

    def drives_low_first(self, channel: int) -> bool:
        """Whether the channel is for a task, and holds its pin low until the task."""
        config = self.values[CONFIG + 4 * channel]
        return config & _MODE == _MODE_TASK and not config & _OUTINIT

    def _configure(self, channel: int, value: int) -> None:
        self.values[CONFIG + 4 * channel] = value
        if value & _MODE != _MODE_EVENT:
            return
        rising = value >> _POLARITY_SHIFT & 3 == _RISING
        if self._charging_us and rising:
            us = self._charging_us(value >> _PIN_SHIFT & _PIN_MASK)
            self.cpu.after(self.chip.cycles(us), partial(self._charged, channel, value))

    def _charged(self, channel: int, config: int) -> None:
        if self.values[CONFIG + 4 * channel] == config:
            self.event(EVENTS_IN + 4 * channel)


_DARK_AFTER_US = 50_000
_ROW_US, _SHORTEST_ROW_US = 6000, 5000


class Matrix(NamedTuple):
    """How LEDs are wired: the numbers of pins, and the place of the LED at each crossing."""

    rows: tuple[int, ...]
    columns: tuple[int, ...]
    places: tuple[tuple[tuple[int, int] | None, ...], ...]
    """For each row, (x, y) at each column."""
    shares: tuple[float, ...]
    """For each level, the share of its row's time in which an LED is lit."""


class Lights:
    """The LEDs of a matrix."""

    def __init__(self, time: Cpu, hz: int, matrix: Matrix, ports: list[Port]) -> None:
        self._time, self._matrix, self.ports = time, matrix, ports
        self._cycles_per_us = hz // 1_000_000
        self._limits = [(low + high) / 2 for low, high in pairwise(matrix.shares)]
        """Limits between the shares of two levels."""
        self._shares = [[0.0] * len(matrix.columns)] * len(matrix.rows)
        self._shown_at = [-NEVER] * len(matrix.rows)
        self._rows_since = -NEVER
        """When the driven rows last changed, if known."""

    def show(self, row: int, shares: Iterable[float]) -> None:
        """Note that the firmware shows a row, with each LED lit for a share of its time."""
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
    """V1: adds up how long each LED is lit in the 6 ms in which its row is high."""

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
        """Add up what was lit until now, before the pins change."""
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

    A column is low until its compare register is reached, if GPIOTE's channel with the same number
    makes it start low.
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
