"""A page of registers, in Nordic's layout.

    0x000  tasks: writing 1 starts something
    0x100  events: read 1 when something has happened, until 0 is written
    0x200  SHORTS: events that start tasks of the same peripheral
    0x300  INTEN, INTENSET, INTENCLR: events that interrupt
    0x400  everything else

A register that is not modelled may be written, and then reads back the same. Reading one repeatedly
means that the firmware waits for something that never happens, and stops the run.
"""

from collections.abc import Callable, Iterable
from functools import partial
from typing import TYPE_CHECKING

from microbit_emulator.cpu import NEVER, Cpu, Device
from microbit_emulator.unicorn_core import Read, Write

if TYPE_CHECKING:
    from microbit_emulator.radio import Antenna

EVENTS, SHORTS, INTEN, INTENSET, INTENCLR = 0x100, 0x200, 0x300, 0x304, 0x308
ENABLE = 0x500
"""Most peripherals are enabled here."""
SETTINGS = SHORTS, *range(0x500, 0x700, 4)
"""Most registers here are read when a task starts."""

POLLS = 500
"""This many reads of an unknown register within a second of device time are polling."""

_LOOKS = 8
"""After this many reads of an event, the firmware is assumed to wait for it."""


class Host:
    """The chip, as its peripherals see it."""

    hz: int
    """The CPU's clock."""

    def __init__(self, cpu: Cpu) -> None:
        self.cpu = cpu
        self.pages: dict[int, Peripheral] = {}
        self.ties: dict[int, list[Callable[[], object]]] = {}
        """The tasks that PPI starts on an event, by the event's address."""
        self.tied_channels: dict[int, int] = {}
        """The compare channels of each timer that PPI uses, a bit each."""
        self.update_ties: Callable[[], object] = lambda: None
        self.period_of: Callable[[int], int] = lambda task: 0
        """The period, in cycles, at which a timer starts a task by PPI; 0 if it is not steady."""
        self.antenna: Antenna | None = None
        """The radio's connection to other boards, in an ether."""

    def cycles(self, us: int) -> int:
        return us * self.hz // 1_000_000

    def volts_at(self, analog_input: int, nth: int = 0) -> float:
        """The voltage at an analog input, by its number on the chip, at the nth sample."""
        raise NotImplementedError


class Peripheral:
    """A page of registers. The given registers are modelled, and hold what was written.

    `tasks`, `reads` and `writes` are functions by offset, for more than that. `events` are all that
    can happen here. `settings` are registers that only the firmware uses, or that are read when a
    task starts.
    """

    def __init__(
        self, chip: Host, base: int, events: Iterable[int] = (), settings: Iterable[int] = ()
    ) -> None:
        self.chip, self.base, self.irq = chip, base, base >> 12 & 0x3F
        self.cpu, self.nvic = chip.cpu, chip.cpu.nvic
        self.values = dict.fromkeys((*events, *settings, INTEN, INTENSET, INTENCLR), 0)
        self.tasks: dict[int, Callable[[], object]] = {}
        self.reads: dict[int, Callable[[], int]] = {}
        self.writes: dict[int, Callable[[int], object]] = {
            INTEN: self.set_inten,
            INTENSET: lambda value: self.set_inten(self.inten | value),
            INTENCLR: lambda value: self.set_inten(self.inten & ~value),
        }
        self.happened = 0
        """The events that read 1, a bit each."""
        self.inten = 0
        self._under_way: Device | None = None
        self._looks = 0
        self._unknown: dict[int, int] = {}
        self._polls: dict[int, tuple[int, int]] = {}

    def accept(self, *tasks: int) -> None:
        """Model tasks without a visible effect."""
        self.tasks |= dict.fromkeys(tasks, lambda: None)

    def hold_errors(self, register: int) -> None:
        """Model a register of errors: writing ones clears them."""
        values = self.values
        values[register] = 0
        self.writes[register] = lambda ones: values.update({register: values[register] & ~ones})

    def event(self, offset: int) -> None:
        """Set an event, raise its interrupt if enabled, and start the tasks that PPI connects."""
        self.values[offset] = 1
        self.happened |= 1 << (offset - EVENTS >> 2)
        if self.happened & self.inten:
            self.nvic.raise_line(self.irq)
        for task in self.chip.ties.get(self.base + offset, ()):
            task()

    def begin(self, cycles: int, action: Callable[[], object]) -> None:
        """Schedule the end of something, in cycles from now; it replaces an earlier one."""
        self.abandon()
        self._under_way = self.cpu.after(cycles, action)
        self._looks = 0

    def abandon(self) -> None:
        if self._under_way:
            self._under_way.due = NEVER

    def is_under_way(self) -> bool:
        return self._under_way is not None and self._under_way.due < NEVER

    def expect_polling(self, events: Iterable[int]) -> None:
        """While the firmware only polls these events, skip to the scheduled end."""
        for event in events:
            self.reads[event] = partial(self._look, event)

    def _look(self, event: int) -> int:
        value = self.values[event]
        if not value and self.is_under_way():
            self._looks += 1
            if self._looks > _LOOKS:
                self.cpu.polling = True
                self.cpu.halt()
        return value

    def set_inten(self, value: int) -> None:
        values = self.values
        self.inten = values[INTEN] = values[INTENSET] = values[INTENCLR] = value
        self.update_line()

    def update_line(self) -> None:
        if self.happened & self.inten:
            self.nvic.raise_line(self.irq)
        else:
            self.nvic.lower_line(self.irq)

    def clear_event(self, offset: int) -> None:
        """Clear an event, and lower the interrupt line if it was the last."""
        self.values[offset] = 0
        self.happened &= ~(1 << (offset - EVENTS >> 2))
        if not self.happened & self.inten:
            self.nvic.lower_line(self.irq)

    def ignores(self, task: int) -> bool:
        """Whether a task would have no effect now.

        When that changes, the peripheral calls `chip.update_ties`. PPI leaves out tasks that are
        ignored, so that their events cost nothing.
        """
        return False

    def trigger(self, offset: int) -> None:
        """Start a task. Raises `UnmodelledError` for one that is not modelled."""
        task = self.tasks.get(offset)
        if task is None:
            self.cpu.stop_unmodelled(self.base + offset, "starts the task")
        else:
            task()

    def callbacks(self) -> tuple[Read, Write]:
        """The functions that Unicorn calls for each access."""
        reads, writes, values, cpu = self.reads, self.writes, self.values, self.cpu

        def read(_: int, offset: int) -> int:
            try:
                action = reads.get(offset)
                if action is not None:
                    return action()
                value = values.get(offset)
                return self._read_unknown(offset) if value is None else value
            except BaseException as error:
                cpu.fail(error)
                return 0

        def write(_: int, offset: int, size: int, value: int) -> None:
            try:
                action = writes.get(offset)
                if action is not None:
                    action(value)
                elif offset < EVENTS:
                    if value:
                        self.trigger(offset)
                elif offset not in values:
                    self._unknown[offset] = value
                elif offset >= SHORTS:
                    values[offset] = value
                elif value:
                    self.event(offset)
                else:
                    self.clear_event(offset)
            except BaseException as error:
                cpu.fail(error)

        return read, write

    def _read_unknown(self, offset: int) -> int:
        since, count = self._polls.get(offset, (0, 0))
        now = self.cpu.now()
        if now - since > self.chip.hz:
            since, count = now, 0
        self._polls[offset] = since, count + 1
        if count >= POLLS:
            self.cpu.stop_unmodelled(self.base + offset, "polls the register")
        return self._unknown.get(offset, 0)
