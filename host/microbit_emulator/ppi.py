"""PPI: lets an event of one peripheral start a task of another, without the CPU.

Modelled: the channels that software sets up, the fork. Not modelled: the channels with fixed ends
(20 to 31: radio and timers), channel groups, ties to the tasks that a board names in `ignored`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import partial

from microbit_emulator.peripheral import Host, Peripheral
from microbit_emulator.timers import COMPARE, Timer
from microbit_emulator.unicorn_core import PAGE

CHEN, CHENSET, CHENCLR = 0x500, 0x504, 0x508
CH_EEP, CH_TEP, FORK_TEP = 0x510, 0x514, 0x910


class Ppi(Peripheral):
    """The channels from events to tasks."""

    def __init__(self, chip: Host, channels: int, ignored: Collection[int] = ()) -> None:
        super().__init__(chip, 0x4001_F000, settings=(CHEN, CHENSET, CHENCLR))
        self._channels, self._ignored = channels, ignored
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
        for register in (CHEN, CHENSET, CHENCLR):
            self.values[register] = value
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
                if not peripheral or task & -PAGE in self._ignored:
                    continue
                if peripheral.ignores(task % PAGE):
                    continue
                ties.setdefault(event, []).append(partial(peripheral.trigger, task % PAGE))
                if isinstance(self.chip.pages.get(event & -PAGE), Timer):
                    bit = 1 << (event % PAGE - COMPARE >> 2)
                    timers[event & -PAGE] = timers.get(event & -PAGE, 0) | bit
        timers_change = timers != self.chip.tied_channels
        if timers_change:  # what has matched until now has had its effects
            for page in self._timers():
                page.catch_up()
        self.chip.ties = ties
        if timers_change:
            self.chip.tied_channels = timers
            for page in self._timers():
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

    def _timers(self) -> list[Timer]:
        return [page for page in self.chip.pages.values() if isinstance(page, Timer)]
