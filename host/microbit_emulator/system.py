"""Small peripherals of nRF51 and nRF52: CLOCK and POWER, RNG, TEMP, EGU, DWT."""

from __future__ import annotations

import random
from functools import partial

from microbit_emulator.peripheral import SHORTS, Host, Peripheral
from microbit_emulator.sensors import World

HFCLKSTART, HFCLKSTOP, LFCLKSTART, LFCLKSTOP, CAL, CTSTART, CTSTOP = range(0x000, 0x01C, 4)
CONSTLAT, LOWPWR = 0x078, 0x07C
HFCLKSTARTED, LFCLKSTARTED, POFWARN, DONE, CTTO = 0x100, 0x104, 0x108, 0x10C, 0x110
SLEEPENTER, SLEEPEXIT, USBDETECTED, USBREMOVED, USBPWRRDY = 0x114, 0x118, 0x11C, 0x120, 0x124
RESETREAS, HFCLKSTAT, LFCLKSTAT, SYSTEMOFF, GPREGRET, GPREGRET2 = (
    *(0x400, 0x40C, 0x418),
    *(0x500, 0x51C, 0x520),
)
_ALL_SETTINGS = range(0x400, 0xA00, 4)
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
        super().__init__(chip, 0x4000_0000, 0, (*events, *power), _ALL_SETTINGS)
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
        self.values[offset] = value
