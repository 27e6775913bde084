"""PWM of the nRF52: plays its sequences in time.

Modelled: what is loaded when, the shape of each period, when sequences and loops end. Not
modelled: NEXTSTEP, the wave form with a counter top of its own, counting up and down.
"""

from __future__ import annotations

import struct
from functools import partial

from microbit_emulator.gpio import Oscillation, PinState
from microbit_emulator.peripheral import ENABLE, SETTINGS, SHORTS, Host, Peripheral

PWM_STOP, SEQSTART, NEXTSTEP = 0x004, 0x008, 0x010
PWM_STOPPED, SEQSTARTED, SEQEND, PWMPERIODEND, LOOPSDONE = 0x104, 0x108, 0x110, 0x118, 0x11C
COUNTERTOP, PWM_PRESCALER, DECODER, LOOP = 0x508, 0x50C, 0x510, 0x514
SEQ_PTR, SEQ_CNT, SEQ_REFRESH, SEQ_ENDDELAY, PSEL_OUT = 0x520, 0x524, 0x528, 0x52C, 0x560
_SEQ_SIZE = 0x20
_PWM_HZ = 16_000_000
_SOUND_TICKS = _PWM_HZ // 16_000
_FALLING_FIRST, _DISCONNECTED = 1 << 15, 0xFFFF_FFFF
_VALUES_PER_LOAD = 1, 2, 4, 4  # DECODER: common, grouped, individual, wave form
_SEQEND0_STOP, _LOOPSDONE_SEQSTART0, _LOOPSDONE_SEQSTART1, _LOOPSDONE_STOP = 1, 4, 8, 16


class Pwm(Peripheral):
    """Plays its sequences in time."""

    def __init__(self, chip: Host, base: int) -> None:
        events = PWM_STOPPED, SEQSTARTED, SEQSTARTED + 4, SEQEND, SEQEND + 4, PWMPERIODEND
        super().__init__(chip, base, (*events, LOOPSDONE), SETTINGS)
        outputs = range(PSEL_OUT, PSEL_OUT + 16, 4)
        self.values |= dict.fromkeys(outputs, _DISCONNECTED)
        self._loops = 0
        self._loaded: tuple[int, ...] = ()
        """What the last sequence holds."""
        self.sound = Oscillation()
        self.tasks |= {
            PWM_STOP: self._stop,
            SEQSTART: partial(self._start, 0),
            SEQSTART + 4: partial(self._start, 1),
        }
        self.accept(NEXTSTEP)

    def _stop(self) -> None:
        self.abandon()
        self.event(PWM_STOPPED)

    def _start(self, sequence: int) -> None:
        self._loops = self.values[LOOP]
        self._play(sequence)

    def _play(self, sequence: int) -> None:
        values, at = self.values, _SEQ_SIZE * sequence
        per_load = _VALUES_PER_LOAD[values[DECODER] & 3]
        count = values[SEQ_CNT + at]
        loads = max(1, count // per_load)
        periods = loads * (values[SEQ_REFRESH + at] + 1) + values[SEQ_ENDDELAY + at]
        cycles = periods * max(1, values[COUNTERTOP]) * (self.chip.hz // _PWM_HZ)
        cycles <<= values[PWM_PRESCALER] & 7
        data = self.chip.dma_read(values[SEQ_PTR + at], 2 * count)
        self._loaded = struct.unpack(f"<{count}H", data)
        if self.plays_sound:
            self.sound.samples(self.cpu.now(), cycles // max(1, periods), self._loaded[::per_load])
        self.event(SEQSTARTED + 4 * sequence)
        self.begin(cycles, partial(self._end, sequence))

    @property
    def plays_sound(self) -> bool:
        """Whether its values are samples: faster than anybody hears, and many of them."""
        values = self.values
        return 0 < values[COUNTERTOP] << (values[PWM_PRESCALER] & 7) <= _SOUND_TICKS

    def pin_state(self, pin: int) -> PinState | None:
        values = self.values
        outputs = [values[PSEL_OUT + 4 * channel] for channel in range(4)]
        if not self._loaded or pin not in outputs or not values[ENABLE]:
            return None
        per_load, top = _VALUES_PER_LOAD[values[DECODER] & 3], values[COUNTERTOP]
        channel, load = outputs.index(pin) * per_load // 4, self._loaded[-per_load:]
        share = min(1.0, (load[channel] & ~_FALLING_FIRST) / max(1, top))
        duty = share if load[channel] & _FALLING_FIRST else 1 - share
        if not 0 < duty < 1:
            return PinState(True, bool(duty), 0.0, duty)
        ticks = top << (values[PWM_PRESCALER] & 7)
        return PinState(True, True, _PWM_HZ / ticks, duty)

    def _end(self, sequence: int) -> None:
        self.event(SEQEND + 4 * sequence)
        if self.is_under_way():
            return  # PPI has started another one
        shorts = self.values[SHORTS]
        if shorts & _SEQEND0_STOP << sequence:
            self._stop()
        elif self._loops and sequence == 0:
            self._play(1)
        elif self._loops > 1:
            self._loops -= 1
            self._play(0)
        elif self._loops:
            self._loops = 0
            self.event(LOOPSDONE)
            if shorts & _LOOPSDONE_SEQSTART0:
                self._start(0)
            elif shorts & _LOOPSDONE_SEQSTART1:
                self._start(1)
            elif shorts & _LOOPSDONE_STOP:
                self._stop()
