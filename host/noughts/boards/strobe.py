"""From the pins that drive the micro:bit V1's LEDs to the brightness of each LED.

The firmware lights one of three electrical rows at a time, 6 ms each. LEDs of level 9 are on from
the start of their row's slot to its end. LEDs of a lower level are switched on 1.8 ms into the
slot, and off again after a time that depends on the level: so the level can be told from when the
pin was last seen on, and then seen off. (`source/microbit/microbitdisplay.cpp` of MicroPython for
the micro:bit; the 1.8 ms were measured on the emulated board.)

A sample is (device time in microseconds, the GPIO OUT register): bits 13-15 select the row, bits
4-12 are the columns, low where a LED is on.
"""

from __future__ import annotations

from collections.abc import Iterable

Sample = tuple[int, int]

ON_FROM_US = 1830
"""When in its slot a LED of level 1 to 8 is switched on."""

ON_US = (0, 32, 64, 128, 240, 448, 848, 1632, 3184)
"""For how long a LED of level 0 to 8 is then on."""

SLOT_US = 6000

DARKEST = 4
"""The lowest level that is told from dark; those below are on for too short a time."""

_MAP = (
    ((0, 0), (2, 0), (4, 0), (4, 3), (3, 3), (2, 3), (1, 3), (0, 3), (1, 2)),
    ((4, 2), (0, 2), (2, 2), (1, 0), (3, 0), (3, 4), (1, 4), None, None),
    ((2, 4), (4, 4), (0, 4), (0, 1), (1, 1), (2, 1), (3, 1), (4, 1), (3, 2)),
)
"""For each electrical row, the (x, y) of the LED behind each of the nine columns."""

_ROWS = {1 << 13: 0, 1 << 14: 1, 1 << 15: 2}
_LATE_US = 60  # an interrupt comes late by less than this


class Strobe:
    """Takes samples, and has a picture once it has seen a whole slot of each row."""

    def __init__(self) -> None:
        self._levels: dict[int, list[int]] = {}
        self._row: int | None = None
        self._slot: list[Sample] = []
        self._start_us: int | None = None  # of this slot; None if its start was not seen
        self._last_us = -SLOT_US

    def feed(self, samples: Iterable[Sample]) -> None:
        """Take samples, in order."""
        for sample in samples:
            row = _ROWS.get(sample[1] & 0xE000)
            unseen_us = sample[0] - self._last_us
            self._last_us = sample[0]
            if row != self._row or unseen_us > SLOT_US / 2:
                if unseen_us <= SLOT_US / 2:
                    self._finish(sample[0])
                self._start_us = sample[0] if unseen_us < _LATE_US else None
                self._row = row
                self._slot = []
            self._slot.append(sample)

    def _finish(self, now_us: int) -> None:
        if self._row is None or self._start_us is None:
            return
        if now_us - self._start_us < SLOT_US * 0.9:  # the strobe was restarted
            return
        levels = []
        for column in range(9):
            level = _level(self._slot, 1 << 4 + column, self._start_us)
            if level is None:
                return  # seen too seldom: wait for the row's next slot
            levels.append(level)
        self._levels[self._row] = levels

    @property
    def complete(self) -> bool:
        """Whether every LED's brightness is known."""
        return len(self._levels) == 3

    def picture(self) -> bytes:
        """The 25 LEDs in reading order, each 0 to 9; those not known are 0."""
        picture = bytearray(25)
        for row, levels in self._levels.items():
            for place, level in zip(_MAP[row], levels, strict=True):
                if place is not None:
                    picture[place[1] * 5 + place[0]] = level
        return bytes(picture)


def _level(slot: list[Sample], bit: int, start_us: int) -> int | None:
    """The level of one column in a slot, or None if the samples cannot tell."""
    start_us += ON_FROM_US
    lit = [index for index, (_, pins) in enumerate(slot) if not pins & bit]
    if not lit:
        seen = any(_LATE_US < time_us - start_us < ON_US[DARKEST] - _LATE_US for time_us, _ in slot)
        return 0 if seen else None
    if slot[lit[0]][0] < start_us - _LATE_US or slot[lit[-1]][0] > start_us + ON_US[8] + _LATE_US:
        return 9
    if lit[-1] == len(slot) - 1:
        return None
    lit_us, dark_us = slot[lit[-1]][0] - start_us, slot[lit[-1] + 1][0] - start_us
    possible = [
        level
        for level, on_us in enumerate(ON_US)
        if lit_us - _LATE_US <= on_us <= dark_us + _LATE_US // 2
    ]
    if possible and possible[-1] < DARKEST:
        return 0
    return possible[0] if len(possible) == 1 else None
