"""TIMER: counts, compares, and captures.

A timer that nobody listens to costs nothing: its count follows from the time, and which compare
events have happened is worked out when a register is read. It is on the timeline only for the next
match that interrupts, that stops it, or that PPI ties to something. (CODAL's system timer matches
175,800 times a second.)

Modelled: timer and counter mode, PRESCALER, BITMODE, the CLEAR and STOP shorts, captures. A count
is cut to the timer's width wherever one is kept, compare registers included. Not modelled: a
compare register with a CLEAR short that is set below the present count (which is then taken modulo
it).
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from noughts.emulator.peripheral import INTENCLR, INTENSET, SHORTS, Peripheral
from noughts.emulator.timeline import NEVER
from noughts.emulator.unicorn_core import Read, Write

if TYPE_CHECKING:
    from noughts.emulator.chip import Chip

START, STOP, COUNT, CLEAR, SHUTDOWN, CAPTURE = 0x000, 0x004, 0x008, 0x00C, 0x010, 0x040
COMPARE, MODE, BITMODE, PRESCALER, CC = 0x140, 0x504, 0x508, 0x510, 0x540
_BASE_HZ = 16_000_000
_MASKS = 0xFFFF, 0xFF, 0xFF_FFFF, 0xFFFF_FFFF
_INTEN_COMPARE = 16
"""The bit of INTEN that is COMPARE[0]'s."""


class Timer(Peripheral):
    """One TIMER. The count was `count` at cycle `origin`, and has grown since while it runs."""

    def __init__(self, chip: Chip, base: int, irq: int, channels: int) -> None:
        compare = range(COMPARE, COMPARE + 4 * channels, 4)
        super().__init__(chip, base, irq, compare, (SHORTS, MODE, BITMODE))
        self.channels = channels
        self.running = self.counting = False
        self.count = self.origin = 0
        self.cc = [0] * channels
        self._mask, self._wrap = _MASKS[0], _MASKS[0] + 1
        self._shorts = 0
        self._tick = chip.hz // _BASE_HZ << 4
        """Cycles for a tick."""
        self._seen = 0
        """Matches up to this cycle are in the events."""
        self._next_match = 0
        """No match comes before this cycle."""
        self._stopping = 0
        """Channels with a STOP short that have matched."""
        self._muted_bit = 1 << irq
        self._wanted = 0
        """Channels whose matches matter to somebody."""
        self.values[PRESCALER] = 4
        self.tasks |= {
            START: self.start,
            STOP: self.stop,
            COUNT: self._count_one,
            CLEAR: self._clear,
            SHUTDOWN: self.stop,
        }
        self.writes |= {
            SHORTS: self._set_shorts,
            MODE: self._set_mode,
            BITMODE: self._set_bitmode,
            PRESCALER: self._set_prescaler,
            INTENSET: self._set_intenset,
            INTENCLR: self._set_intenclr,
        }
        for channel in range(channels):
            at = 4 * channel
            self.values[CC + at] = 0
            self.tasks[CAPTURE + at] = partial(self.capture, channel)
            self.reads[COMPARE + at] = partial(self._read_event, COMPARE + at)
            self.writes[CC + at] = partial(self._set_compare, channel)
        self.nvic.unmute[irq] = self._unmute

    def callbacks(self) -> tuple[Read, Write]:
        """Captures go first: it is how firmware reads the time."""
        read, write_other = super().callbacks()
        cpu, cc, values, counter = self.cpu, self.cc, self.values, self.cpu.counter
        ends = CAPTURE + 4 * self.channels

        def write(_: int, offset: int, size: int, value: int) -> None:
            if not CAPTURE <= offset < ends or not self.running or self.counting:
                write_other(_, offset, size, value)
                return
            now = cpu.base + counter[0]
            if now >= self._next_match:
                try:
                    self._pass_matches()
                except BaseException as error:
                    cpu.fail(error)
            self._seen = now
            channel = offset - CAPTURE >> 2
            cc[channel] = values[offset + CC - CAPTURE] = (
                self.count + (now - self.origin) // self._tick
            ) % self._wrap

        return read, write

    def present_count(self) -> int:
        if not self.running or self.counting:
            return self.count
        return (self.count + (self.cpu.now() - self.origin) // self._tick) % self._wrap

    def fire(self) -> None:
        self._pass_matches()
        stopping, self._stopping = self._stopping, 0
        if stopping:
            self._freeze()
            self.running = False
        self._plan()

    # Tasks.

    def start(self) -> None:
        if not self.running:
            self._next_match = 0
            self.origin = self._seen = self.cpu.now()
            self.running = True
            self._plan()

    def stop(self) -> None:
        self._pass_matches()
        self._freeze()
        self.running = False
        self._plan()

    def _clear(self) -> None:
        self._pass_matches()
        self.count = self._next_match = 0
        self.origin = self._seen = self.cpu.now()
        self._plan()

    def _count_one(self) -> None:
        if self.counting and self.running:
            self.count = (self.count + 1) % self._wrap
            for channel, compare in enumerate(self.cc):
                if compare % self._wrap == self.count:
                    self._match(channel)

    def capture(self, channel: int) -> None:
        now = self.cpu.now()
        if now >= self._next_match:
            self._pass_matches()
        self._seen = now
        self.cc[channel] = self.values[CC + 4 * channel] = self.present_count()

    # Registers.

    def _read_event(self, offset: int) -> int:
        if not self.values[offset] and self.cpu.now() >= self._next_match:
            self._pass_matches()
        return self.values[offset]

    def _set_compare(self, channel: int, value: int) -> None:
        self._pass_matches()
        self.values[CC + 4 * channel] = value
        self.cc[channel] = value & self._mask
        self._seen = self.cpu.now()
        self._next_match = 0
        if self._shorts >> channel & 1:
            self._set_wrap()
        elif self._wanted >> channel & 1:
            self._plan()

    def _set_shorts(self, value: int) -> None:
        self._pass_matches()
        self._shorts = self.values[SHORTS] = value
        self._set_wrap()

    def _set_mode(self, value: int) -> None:
        self._freeze()
        self.values[MODE] = value
        self.counting = bool(value & 3)
        self._plan()

    def _set_bitmode(self, value: int) -> None:
        self.values[BITMODE] = value
        self._mask = _MASKS[value & 3]
        for channel in range(self.channels):
            self.cc[channel] = self.values[CC + 4 * channel] & self._mask
        self._set_wrap()

    def _set_prescaler(self, value: int) -> None:
        self._freeze()
        self.values[PRESCALER] = value
        self._tick = self.chip.hz // _BASE_HZ << (value & 15)
        self._plan()

    def _set_intenset(self, value: int) -> None:
        self._pass_matches()
        self.set_inten(self.inten | value)
        self._plan()

    def _set_intenclr(self, value: int) -> None:
        self.set_inten(self.inten & ~value)

    # Matches.

    def _match(self, channel: int) -> None:
        self.event(COMPARE + 4 * channel)
        self._stopping |= self._shorts >> 8 & 1 << channel

    def _pass_matches(self) -> None:
        """Let the matches that have come since the last look happen."""
        now = self.cpu.now()
        if not self.running or self.counting or now < self._next_match:
            return
        origin, tick, wrap = self.origin, self._tick, self._wrap
        before, ticks = (self._seen - origin) // tick, (now - origin) // tick
        self._seen = now
        passed = ticks - before
        first = before + self.count + 1
        nearest = wrap
        for channel, compare in enumerate(self.cc):
            if compare <= wrap:
                distance = (compare - first) % wrap
                if distance < passed:
                    self._match(channel)
                    distance = (compare - first - passed) % wrap
                else:
                    distance -= passed
                if distance < nearest:
                    nearest = distance
        self._next_match = origin + (ticks + nearest + 1) * tick

    def _plan(self) -> None:
        """Be woken for the next match that matters to somebody."""
        wanted = self.inten >> _INTEN_COMPARE
        if wanted and not self.nvic.enabled & self._muted_bit:
            wanted = 0
            self.nvic.muted |= self._muted_bit
        wanted |= self._shorts >> 8 | self.chip.tied_channels.get(self.base, 0)
        self._wanted = wanted
        due = NEVER
        if wanted and self.running and not self.counting:
            ticks = (self.cpu.now() - self.origin) // self._tick
            first = self.count + ticks + 1
            nearest = wrap = self._wrap
            for channel, compare in enumerate(self.cc):
                if wanted >> channel & 1 and compare <= wrap:
                    distance = (compare - first) % wrap
                    if distance < nearest:
                        nearest = distance
            if nearest < wrap:
                due = self.origin + (ticks + nearest + 1) * self._tick
        self.cpu.schedule(self, due)

    def ties_changed(self) -> None:
        """PPI listens to other channels than before."""
        self._plan()

    def _unmute(self) -> None:
        self._pass_matches()
        self.update_line()
        self._plan()

    def _set_wrap(self) -> None:
        """With a CLEAR short the count starts again at the lowest compare that has one."""
        self._freeze()
        shorted = [cc for channel, cc in enumerate(self.cc) if self._shorts >> channel & 1 and cc]
        self._wrap = min(shorted, default=self._mask + 1)
        self._plan()

    def _freeze(self) -> None:
        """Move the origin to now."""
        now = self.cpu.now()
        self.count = self.present_count()
        self.origin = now - (now - self.origin) % self._tick if self.running else now
        self._seen = now
        self._next_match = 0
