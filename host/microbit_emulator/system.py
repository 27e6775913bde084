"""The core's own registers in nRF51 and nRF52, and small peripherals."""

import random
from collections.abc import Callable
from functools import partial

from microbit_emulator.cpu import FIRST_IRQ
from microbit_emulator.peripheral import SHORTS, Host, Peripheral
from microbit_emulator.sensors import World
from microbit_emulator.unicorn_core import Read, Write

ISER, ICER, ISPR, ICPR = 0x100, 0x180, 0x200, 0x280
IPR, IPR_END, SHPR, SHPR_END = 0x400, 0x500, 0xD18, 0xD24
CPUID, ICSR, VTOR, AIRCR, SCR = 0xD00, 0xD04, 0xD08, 0xD0C, 0xD10
_FIRST_SHPR = 4
_VECTKEY, _SYSRESETREQ = 0x05FA, 1 << 2
_WORD = 0xFFFF_FFFF


class SystemControl(Peripheral):
    """NVIC, reset, vector table. Not modelled: PendSV, SysTick, faults, sleep on exit, the MPU."""

    def __init__(self, chip: Host, cpuid: int, reset: Callable[[], object]) -> None:
        super().__init__(chip, 0xE000_E000, settings=(SCR,))
        self._reset = reset
        self.values |= {CPUID: cpuid, AIRCR: 0xFA05_0000}
        cpu = self.cpu
        for word in (0, 1):
            self._attach(4 * word, 32 * word)
        self.reads[VTOR] = lambda: cpu.vector_table
        self.writes |= {
            ICSR: lambda _: cpu.stop_unmodelled(self.base + ICSR, "writes to the register"),
            VTOR: self._set_vtor,
            AIRCR: self._set_aircr,
        }

    def callbacks(self) -> tuple[Read, Write]:
        """Priorities are bytes; firmware enables and disables most often."""
        read_other, write_other = super().callbacks()
        nvic, priorities = self.nvic, self.nvic.priorities

        def read(_: int, offset: int) -> int:
            if offset == ISER:
                return nvic.enabled & _WORD
            exception = _exception_at(offset)
            if exception:
                return int.from_bytes(priorities[exception : exception + 4], "little")
            return read_other(_, offset)

        def write(_: int, offset: int, size: int, value: int) -> None:
            if offset == ICER:
                nvic.enabled &= ~value
                return
            if offset == ISER and not value & (nvic.muted | nvic.pending):
                nvic.enabled |= value
                return
            exception = _exception_at(offset)
            if exception:
                priorities[exception : exception + size] = value.to_bytes(size, "little")
                return
            write_other(_, offset, size, value)

        return read, write

    def _attach(self, at: int, shift: int) -> None:
        nvic = self.nvic
        self.reads |= dict.fromkeys((ISER + at, ICER + at), lambda: nvic.enabled >> shift & _WORD)
        self.reads |= dict.fromkeys((ISPR + at, ICPR + at), lambda: nvic.pending >> shift & _WORD)
        self.writes |= {
            ISER + at: lambda value: nvic.enable(value << shift),
            ICER + at: lambda value: nvic.disable(value << shift),
            ISPR + at: lambda value: nvic.set_pending(value << shift),
            ICPR + at: lambda value: nvic.clear_pending(value << shift),
        }

    def _set_vtor(self, value: int) -> None:
        self.cpu.vector_table = value & ~0x7F

    def _set_aircr(self, value: int) -> None:
        if value >> 16 == _VECTKEY and value & _SYSRESETREQ:
            self._reset()


def _exception_at(offset: int) -> int:
    """The exception of a register's first priority; 0 if it has no priorities."""
    if IPR <= offset < IPR_END:
        return FIRST_IRQ + offset - IPR
    return _FIRST_SHPR + offset - SHPR if SHPR <= offset < SHPR_END else 0


HFCLKSTART, HFCLKSTOP, LFCLKSTART, LFCLKSTOP = range(0x000, 0x010, 4)
HFCLKSTARTED, LFCLKSTARTED = 0x100, 0x104
RESETREAS, HFCLKSTAT, LFCLKSTAT = 0x400, 0x40C, 0x418
SYSTEMOFF, GPREGRET, GPREGRET2 = 0x500, 0x51C, 0x520
_ALL_SETTINGS = range(0x400, 0xA00, 4)
_RUNNING_ON_CRYSTAL = 1 << 16 | 1


class Clock(Peripheral):
    """CLOCK and POWER: clocks start at once.

    SYSTEMOFF stops everything until a reset. Not modelled: calibration, brown-out warnings, the
    power of RAM blocks, USB power.
    """

    def __init__(self, chip: Host, reason: int, retained: dict[int, int]) -> None:
        super().__init__(chip, 0x4000_0000, (HFCLKSTARTED, LFCLKSTARTED), _ALL_SETTINGS)
        # These outlive a reset; the reasons for resets add up.
        self._retained = retained
        retained[RESETREAS] = retained.get(RESETREAS, 0) | reason
        self.values |= dict.fromkeys((HFCLKSTAT, LFCLKSTAT), _RUNNING_ON_CRYSTAL) | retained
        self.tasks |= {
            HFCLKSTART: partial(self.event, HFCLKSTARTED),
            LFCLKSTART: partial(self.event, LFCLKSTARTED),
        }
        self.accept(HFCLKSTOP, LFCLKSTOP)
        self.writes |= {
            RESETREAS: lambda value: self._retain(RESETREAS, self.values[RESETREAS] & ~value),
            SYSTEMOFF: self._system_off,
            GPREGRET: partial(self._retain, GPREGRET),
            GPREGRET2: partial(self._retain, GPREGRET2),
        }

    def _retain(self, register: int, value: int) -> None:
        self.values[register] = self._retained[register] = value

    def _system_off(self, value: int) -> None:
        if value:
            self.cpu.stalled = True
            self.cpu.halt()


RNG_START, RNG_STOP, VALRDY, RNG_CONFIG, VALUE = 0x000, 0x004, 0x100, 0x504, 0x508


class Rng(Peripheral):
    """Random numbers from the seed. A value is always ready. Not modelled: the interrupt."""

    def __init__(self, chip: Host, chance: random.Random) -> None:
        super().__init__(chip, 0x4000_D000, (VALRDY,), (SHORTS, RNG_CONFIG))
        self.accept(RNG_START, RNG_STOP)
        self.reads |= {VALRDY: lambda: 1, VALUE: lambda: chance.getrandbits(8)}


TEMP_START, TEMP_STOP, DATARDY, TEMP = 0x000, 0x004, 0x100, 0x508
_TEMP_US = 36


class Temp(Peripheral):
    """The thermometer, in quarters of a degree."""

    def __init__(self, chip: Host, world: World) -> None:
        super().__init__(chip, 0x4000_C000, (DATARDY,))
        self.reads[TEMP] = lambda: round(4 * world.temperature_c) & 0xFFFF_FFFF
        measured = partial(self.event, DATARDY)
        self.tasks[TEMP_START] = lambda: self.cpu.after(chip.cycles(_TEMP_US), measured)
        self.accept(TEMP_STOP)


TRIGGER, TRIGGERED = 0x000, 0x100
_EGU_CHANNELS = 16


class Egu(Peripheral):
    """Events that software or PPI triggers, and the software interrupts with the same numbers."""

    def __init__(self, chip: Host, base: int) -> None:
        channels = range(0, 4 * _EGU_CHANNELS, 4)
        super().__init__(chip, base, [TRIGGERED + channel for channel in channels])
        for channel in channels:
            self.tasks[TRIGGER + channel] = partial(self.event, TRIGGERED + channel)
