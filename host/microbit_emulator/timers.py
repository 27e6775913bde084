"""TIMER counts, compares and captures; PPI lets an event of one peripheral start another's task.

A timer costs nothing while nobody uses its matches: its count follows from the time, and compare
events are computed when a register is read, and only if a match has come by then. The timeline only
has the next match that interrupts, or that PPI uses. (CODAL's system timer matches 175,800 times a
second.)

Modelled: timer mode, PRESCALER, BITMODE, the CLEAR shorts, captures. All counts, and compare
registers, are cut to the timer's width. Not modelled: counter mode, the STOP shorts; a compare
register with a CLEAR short that is set below the present count (which is then taken modulo it). PPI
has the channels that software sets up, and the fork, but not the fixed channels (20 to 31: radio
and timers), and no channel groups.
"""

from collections.abc import Callable
from functools import partial

from microbit_emulator.cpu import NEVER, Device
from microbit_emulator.peripheral import SHORTS, Host, Peripheral
from microbit_emulator.unicorn_core import PAGE, Read, Write

START, STOP, CLEAR, CAPTURE = 0x000, 0x004, 0x00C, 0x040
COMPARE, MODE, BITMODE, PRESCALER, CC = 0x140, 0x504, 0x508, 0x510, 0x540
_BASE_HZ = 16_000_000
_MASKS = 0xFFFF, 0xFF, 0xFF_FFFF, 0xFFFF_FFFF
_CLEAR_SHORTS = 0xFF
_INTEN_COMPARE = 16
"""The bit of INTEN that is COMPARE[0]'s."""


class Timer(Peripheral):
    """A TIMER. Its count was `count` at cycle `origin`, and grows while it runs."""

    def __init__(self, chip: Host, base: int, channels: int) -> None:
        compare = range(COMPARE, COMPARE + 4 * channels, 4)
        super().__init__(chip, base, compare, (SHORTS, BITMODE))
        self.channels = channels
        self.running = False
        self.count = self.origin = 0
        self.cc = [0] * channels
        self._mask, self._wrap = _MASKS[0], _MASKS[0] + 1
        self._shorts = 0
        self._base_shift = (chip.hz // _BASE_HZ).bit_length() - 1
        self._shift = self._base_shift + 4
        """A tick takes 1 << shift cycles."""
        self._seen = 0
        """The events include all matches up to this cycle."""
        self._next_match = 0
        """There is no match before this cycle."""
        self._next_wanted = Device(self.plan)
        self._muted_bit = 1 << self.irq
        self._wanted = 0
        """Channels whose matches are used."""
        self.values[PRESCALER] = 4
        self.tasks |= {START: self.start, STOP: self.stop, CLEAR: self._clear}
        self.writes |= {
            SHORTS: self._set_shorts,
            MODE: self._set_mode,
            BITMODE: self._set_bitmode,
            PRESCALER: self._set_prescaler,
        }
        for channel in range(channels):
            at = 4 * channel
            self.values[CC + at] = 0
            self.tasks[CAPTURE + at] = partial(self.capture, channel)
            self.writes[CC + at] = partial(self._set_compare, channel)
        self.nvic.unmute[self.irq] = self._unmute

    def callbacks(self) -> tuple[Read, Write]:
        """The callbacks, with captures first, because firmware reads the time by them."""
        read_other, write_other = super().callbacks()
        cpu, cc, values, counter = self.cpu, self.cc, self.values, self.cpu.counter
        value_of = values.get
        events_end = COMPARE + 4 * self.channels
        channel_of = {CAPTURE + 4 * channel: channel for channel in range(self.channels)}.get

        def read(_: int, offset: int) -> int:
            value = value_of(offset)
            if value is None:
                return read_other(_, offset)
            if value or not COMPARE <= offset < events_end:
                return value
            if cpu.base + counter[0] >= self._next_match:
                try:
                    self.catch_up()
                except BaseException as error:
                    cpu.fail(error)
                return values[offset]
            return 0

        def write(_: int, offset: int, size: int, value: int) -> None:
            try:
                channel = channel_of(offset)
                if channel is not None and self.running:
                    now = cpu.base + counter[0]
                    if now >= self._next_match:
                        self.catch_up()
                    self._seen = now
                    ticks = now - self.origin >> self._shift
                    cc[channel] = values[offset + CC - CAPTURE] = (self.count + ticks) % self._wrap
                elif not value and COMPARE <= offset < events_end:
                    if cpu.base + counter[0] >= self._next_match:
                        self.catch_up()
                    self.clear_event(offset)
                else:
                    write_other(_, offset, size, value)
            except BaseException as error:
                cpu.fail(error)

        return read, write

    def present_count(self) -> int:
        if not self.running:
            return self.count
        return (self.count + (self.cpu.now() - self.origin >> self._shift)) % self._wrap

    def period(self, channel: int) -> int:
        """The cycles between two matches of a channel that restarts the count; else 0."""
        steady = self.running and self._shorts >> channel & 1
        return self._wrap << self._shift if steady and self.cc[channel] == self._wrap else 0

    # Tasks.

    def start(self) -> None:
        if not self.running:
            self.origin = self._seen = self.cpu.now()
            self.running = True
            self.plan()

    def stop(self) -> None:
        self.catch_up()
        self._freeze()
        self.running = False
        self.catch_up()

    def _clear(self) -> None:
        self.origin = self._look_now()
        self.count = 0
        self.catch_up()

    def capture(self, channel: int) -> None:
        self._look_now()
        self.cc[channel] = self.values[CC + 4 * channel] = self.present_count()

    # Registers.

    def _set_compare(self, channel: int, value: int) -> None:
        if self.values[CC + 4 * channel] == value:
            return
        now = self._look_now()
        self.values[CC + 4 * channel] = value
        compare = self.cc[channel] = value & self._mask
        if self._shorts >> channel & 1:
            self._set_wrap()
        elif self._wanted >> channel & 1:
            self.catch_up()
        elif self.running and compare <= self._wrap:
            ticks = now - self.origin >> self._shift
            distance = (compare - self.count - ticks - 1) % self._wrap
            match = self.origin + (ticks + distance + 1 << self._shift)
            if match < self._next_match:
                self._next_match = match

    def _set_shorts(self, value: int) -> None:
        if value != self._shorts:
            self.catch_up()
            self._shorts = self.values[SHORTS] = value
            self._set_wrap()
        if value > _CLEAR_SHORTS:
            self.cpu.stop_unmodelled(self.base + SHORTS, "stops a timer by a short")

    def _set_mode(self, value: int) -> None:
        if value:
            self.cpu.stop_unmodelled(self.base + MODE, "counts events")

    def _set_bitmode(self, value: int) -> None:
        self.catch_up()
        self.values[BITMODE] = value
        self._mask = _MASKS[value & 3]
        for channel in range(self.channels):
            self.cc[channel] = self.values[CC + 4 * channel] & self._mask
        self._set_wrap()

    def _set_prescaler(self, value: int) -> None:
        self.catch_up()
        self._freeze()
        self.values[PRESCALER] = value
        self._shift = self._base_shift + (value & 15)
        self.plan()

    def set_inten(self, value: int) -> None:
        if value != self.inten:
            self.catch_up()
            super().set_inten(value)
            self.plan()

    # Matches.

    def _look_now(self) -> int:
        """The present time, after adding the matches up to it to the events."""
        now = self.cpu.now()
        if now >= self._next_match:
            self.catch_up()
        self._seen = now
        return now

    def plan(self) -> None:
        """Find the channels whose matches are used, and their next matches."""
        wanted = self.inten >> _INTEN_COMPARE
        if wanted and not self.nvic.enabled & self._muted_bit:
            wanted = 0
            self.nvic.muted |= self._muted_bit
        self._wanted = wanted | self.chip.tied_channels.get(self.base, 0)
        self.catch_up()

    def catch_up(self) -> None:
        """Set the events of all matches since the last call, and find the next matches.

        Reading needs the next match of any channel. The timeline needs the next one that interrupts
        or that PPI uses.
        """
        if not self.running:
            self._next_match = NEVER
            self.cpu.schedule(self._next_wanted, NEVER)
            return
        now = self.cpu.now()
        origin, shift, wrap, wanted = self.origin, self._shift, self._wrap, self._wanted
        before, ticks = self._seen - origin >> shift, now - origin >> shift
        self._seen = now
        first, passed = before + self.count + 1, ticks - before
        nearest = nearest_wanted = wrap
        matched, bit = 0, 1
        for compare in self.cc:
            if compare <= wrap:
                distance = (compare - first) % wrap - passed
                if distance < 0:
                    matched |= bit
                    distance %= wrap
                if distance < nearest:
                    nearest = distance
                if wanted & bit and distance < nearest_wanted:
                    nearest_wanted = distance
            bit <<= 1
        # No later than a whole round from now, when what is captured until then matches.
        self._next_match = origin + (ticks + min(nearest, wrap - 1) + 1 << shift)
        due = origin + (ticks + nearest_wanted + 1 << shift) if nearest_wanted < wrap else NEVER
        if due != self._next_wanted.due:
            self.cpu.schedule(self._next_wanted, due)
        channel = 0
        while matched:
            if matched & 1:
                self.event(COMPARE + 4 * channel)
            matched, channel = matched >> 1, channel + 1

    def _unmute(self) -> None:
        self.catch_up()
        self.update_line()
        self.plan()

    def _set_wrap(self) -> None:
        """Set the count at which it restarts: the lowest compare with a CLEAR short."""
        self._freeze()
        shorted = [cc for channel, cc in enumerate(self.cc) if self._shorts >> channel & 1 and cc]
        self._wrap = min(shorted, default=self._mask + 1)
        self.plan()

    def _freeze(self) -> None:
        now = self.cpu.now()
        self.count = self.present_count()
        self.origin = now - (now - self.origin & (1 << self._shift) - 1) if self.running else now
        self._seen = now


CHEN, CHENSET, CHENCLR = 0x500, 0x504, 0x508
CH_EEP, CH_TEP, FORK_TEP = 0x510, 0x514, 0x910


class Ppi(Peripheral):
    """The channels from events to tasks."""

    def __init__(self, chip: Host, channels: int) -> None:
        super().__init__(chip, 0x4001_F000, settings=(CHEN, CHENSET, CHENCLR))
        self._channels = channels
        self.writes |= {
            CHEN: self._enable,
            CHENSET: lambda value: self._enable(self.values[CHEN] | value),
            CHENCLR: lambda value: self._enable(self.values[CHEN] & ~value),
        }
        ends = range(CH_EEP, CH_EEP + 8 * channels, 4)
        for offset in (*ends, *range(FORK_TEP, FORK_TEP + 4 * channels, 4)):
            self.values[offset] = 0
            self.writes[offset] = partial(self._tie, offset)
        chip.update_ties = self._update
        chip.period_of = self._period

    def _enable(self, value: int) -> None:
        self.values |= dict.fromkeys((CHEN, CHENSET, CHENCLR), value)
        self._update()

    def _tie(self, offset: int, value: int) -> None:
        if self.values[offset] != value:
            self.values[offset] = value
            self._update()

    def _update(self) -> None:
        ties: dict[int, list[Callable[[], object]]] = {}
        timers: dict[int, int] = {}
        for channel in range(self._channels):
            event = self.values[CH_EEP + 8 * channel]
            if not (self.values[CHEN] >> channel & 1 and event):
                continue
            for end in (CH_TEP + 8 * channel, FORK_TEP + 4 * channel):
                task = self.values[end]
                peripheral = self.chip.pages.get(task & -PAGE)
                if not peripheral or peripheral.ignores(task % PAGE):
                    continue
                ties.setdefault(event, []).append(partial(peripheral.trigger, task % PAGE))
                if isinstance(self.chip.pages.get(event & -PAGE), Timer):
                    bit = 1 << (event % PAGE - COMPARE >> 2)
                    timers[event & -PAGE] = timers.get(event & -PAGE, 0) | bit
        pages = [page for page in self.chip.pages.values() if isinstance(page, Timer)]
        for page in pages:  # what has matched until now has had its effects
            page.catch_up()
        self.chip.ties, self.chip.tied_channels = ties, timers
        for page in pages:
            page.plan()

    def _period(self, task: int) -> int:
        for channel in range(self._channels):
            ends = self.values[CH_TEP + 8 * channel], self.values[FORK_TEP + 4 * channel]
            if self.values[CHEN] >> channel & 1 and task in ends:
                event = self.values[CH_EEP + 8 * channel]
                timer = self.chip.pages.get(event & -PAGE)
                if isinstance(timer, Timer):
                    return timer.period(event % PAGE - COMPARE >> 2)
        return 0
