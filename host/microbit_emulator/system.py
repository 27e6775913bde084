"""Small peripherals of nRF51 and nRF52: CLOCK and POWER, RNG, TEMP, EGU, DWT."""

from __future__ import annotations

import random
from functools import partial

from microbit_emulator.peripheral import SHORTS, Host, Peripheral
from microbit_emulator.timeline import Device
from microbit_emulator.world import World

HFCLKSTART, HFCLKSTOP, LFCLKSTART, LFCLKSTOP, CAL, CTSTART, CTSTOP = range(0x000, 0x01C, 4)
CONSTLAT, LOWPWR = 0x078, 0x07C
HFCLKSTARTED, LFCLKSTARTED, POFWARN, DONE, CTTO = 0x100, 0x104, 0x108, 0x10C, 0x110
SLEEPENTER, SLEEPEXIT, USBDETECTED, USBREMOVED, USBPWRRDY = 0x114, 0x118, 0x11C, 0x120, 0x124
RESETREAS, RAMSTATUS, USBREGSTATUS, MAINREGSTATUS = 0x400, 0x428, 0x438, 0x640
HFCLKRUN, HFCLKSTAT, LFCLKRUN, LFCLKSTAT, LFCLKSRCCOPY = 0x408, 0x40C, 0x414, 0x418, 0x41C
SYSTEMOFF, POFCON, LFCLKSRC, GPREGRET, GPREGRET2 = 0x500, 0x510, 0x518, 0x51C, 0x520
RAMON, CTIV, RESET, XTALFREQ, RAMONB = 0x524, 0x538, 0x544, 0x550, 0x554
TRACECONFIG, DCDCEN, DCDCEN0, LFRCMODE = 0x55C, 0x578, 0x580, 0x5B4
RAM_POWER, RAM_POWER_END = 0x900, 0xA00
_RUNNING_ON_CRYSTAL = 1 << 16 | 1
_CALIBRATION_US = 16_000


class Clock(Peripheral):
    """CLOCK and POWER: a clock that is started runs at once.

    SYSTEMOFF ends everything until a reset. Not modelled: brown-out warnings, the power
    of RAM blocks, USB power.
    """

    def __init__(self, chip: Host, reason: int, retained: dict[int, int]) -> None:
        events = HFCLKSTARTED, LFCLKSTARTED, POFWARN, DONE, CTTO
        power = SLEEPENTER, SLEEPEXIT, USBDETECTED, USBREMOVED, USBPWRRDY
        status = RAMSTATUS, USBREGSTATUS, MAINREGSTATUS, HFCLKRUN, LFCLKRUN, LFCLKSRCCOPY
        settings = POFCON, LFCLKSRC, RAMON, CTIV, RESET, XTALFREQ, RAMONB, TRACECONFIG, DCDCEN
        more = DCDCEN0, LFRCMODE, *range(RAM_POWER, RAM_POWER_END, 4)
        super().__init__(chip, 0x4000_0000, 0, (*events, *power), (*status, *settings, *more))
        # These outlive a reset; the reasons for resets add up.
        self._retained = retained
        retained[RESETREAS] = retained.get(RESETREAS, 0) | reason
        self.values |= {GPREGRET: 0, GPREGRET2: 0} | retained
        self.values |= {
            HFCLKSTAT: _RUNNING_ON_CRYSTAL,
            LFCLKSTAT: _RUNNING_ON_CRYSTAL,
        }
        self.tasks |= {
            HFCLKSTART: partial(self.event, HFCLKSTARTED),
            LFCLKSTART: partial(self.event, LFCLKSTARTED),
            CAL: lambda: self.later(_CALIBRATION_US * chip.hz // 1_000_000, DONE),
        }
        self.accept(HFCLKSTOP, LFCLKSTOP, CTSTART, CTSTOP, CONSTLAT, LOWPWR)
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
    """Random numbers, from the seed. A value is always ready; not modelled: the interrupt."""

    def __init__(self, chip: Host, chance: random.Random) -> None:
        super().__init__(chip, 0x4000_D000, 13, (VALRDY,), (SHORTS, RNG_CONFIG))
        self.accept(RNG_START, RNG_STOP)
        self.reads |= {VALRDY: lambda: 1, VALUE: lambda: chance.getrandbits(8)}


TEMP_START, TEMP_STOP, DATARDY, TEMP = 0x000, 0x004, 0x100, 0x508
_TEMP_US = 36


class Temp(Peripheral):
    """The thermometer. It counts quarters of a degree."""

    def __init__(self, chip: Host, world: World) -> None:
        super().__init__(chip, 0x4000_C000, 12, (DATARDY,))
        self.reads[TEMP] = lambda: round(4 * world.temperature_c) & 0xFFFF_FFFF
        self.tasks[TEMP_START] = partial(self.later, _TEMP_US * chip.hz // 1_000_000, DATARDY)
        self.accept(TEMP_STOP)


RTC_START, RTC_STOP, RTC_CLEAR, RTC_OVERFLOW = range(0x000, 0x010, 4)
TICK, OVRFLW, RTC_COMPARE = 0x100, 0x104, 0x140
EVTEN, EVTENSET, EVTENCLR, COUNTER, RTC_PRESCALER, RTC_CC = 0x340, 0x344, 0x348, 0x504, 0x508, 0x540
_RTC_HZ, _RTC_MASK = 32_768, 0xFF_FFFF


class Rtc(Peripheral):
    """The real-time counter, at 32,768 Hz. Not modelled: TICK, overflows."""

    def __init__(self, chip: Host, base: int, irq: int, channels: int) -> None:
        compare = range(RTC_COMPARE, RTC_COMPARE + 4 * channels, 4)
        settings = EVTEN, EVTENSET, EVTENCLR, RTC_PRESCALER
        super().__init__(chip, base, irq, (TICK, OVRFLW, *compare), settings)
        self._count = 0
        self._since: int | None = None
        self._matches: dict[int, Device] = {}
        self.tasks |= {RTC_START: self._start, RTC_STOP: self._stop, RTC_CLEAR: self._clear}
        self.reads[COUNTER] = self._present
        for channel in range(channels):
            self.values[RTC_CC + 4 * channel] = 0
            self.writes[RTC_CC + 4 * channel] = partial(self._set_compare, channel)

    def _tick(self) -> float:
        return self.chip.hz * (self.values[RTC_PRESCALER] + 1) / _RTC_HZ

    def _present(self) -> int:
        if self._since is not None:
            passed = int((self.cpu.now() - self._since) / self._tick())
            return self._count + passed & _RTC_MASK
        return self._count

    def _start(self) -> None:
        if self._since is None:
            self._since = self.cpu.now()
            self._plan()

    def _stop(self) -> None:
        self._count, self._since = self._present(), None
        self._plan()

    def _clear(self) -> None:
        self._count = 0
        if self._since is not None:
            self._since = self.cpu.now()
        self._plan()

    def _set_compare(self, channel: int, value: int) -> None:
        self.values[RTC_CC + 4 * channel] = value & _RTC_MASK
        self._plan()

    def _plan(self) -> None:
        for match in self._matches.values():
            self.cpu.cancel(match)
        self._matches.clear()
        if self._since is None:
            return
        now, count, tick = self.cpu.now(), self._present(), self._tick()
        for register in range(RTC_CC, RTC_CC + 16, 4):
            if register in self.values:
                ticks = (self.values[register] - count - 1 & _RTC_MASK) + 1
                at = self._since + round((self._present() - self._count + ticks) * tick)
                event = register - RTC_CC + RTC_COMPARE
                self._matches[event] = self.cpu.after(at - now, partial(self.event, event))


TRIGGER, TRIGGERED = 0x000, 0x100
_EGU_CHANNELS = 16


class Egu(Peripheral):
    """Events that software, or PPI, triggers; and the software interrupts of the same numbers."""

    def __init__(self, chip: Host, base: int, irq: int) -> None:
        channels = range(0, 4 * _EGU_CHANNELS, 4)
        super().__init__(chip, base, irq, [TRIGGERED + channel for channel in channels])
        for channel in channels:
            self.tasks[TRIGGER + channel] = partial(self.event, TRIGGERED + channel)


DWT_CTRL, DWT_CYCCNT = 0x000, 0x004


class Debug(Peripheral):
    """A page of the debug hardware, ITM or DWT: it has settings, and counts cycles."""

    def __init__(self, chip: Host, base: int) -> None:
        super().__init__(chip, base)
        self.reads[DWT_CYCCNT] = lambda: self.cpu.now() & 0xFFFF_FFFF

    def write(self, offset: int, value: int) -> None:
        """Keep any value in any register: they only have to read back."""
        self.values[offset] = value
