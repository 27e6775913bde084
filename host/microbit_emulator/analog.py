"""What is analog: the converters of nRF51 (ADC) and nRF52 (SAADC), and PWM.

Modelled: when conversions and sequences end; every voltage reads 0. Not modelled: what PWM does to
its pins, limits, continuous sampling by the converter's own timer.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from microbit_emulator.peripheral import ENABLE, SHORTS, Peripheral

if TYPE_CHECKING:
    from microbit_emulator.chip import Chip
    from microbit_emulator.timeline import Device

ADC_START, ADC_STOP, ADC_END, ADC_BUSY, ADC_CONFIG, ADC_RESULT = (
    0x000,
    0x004,
    0x100,
    0x400,
    0x504,
    0x508,
)
_ADC_US = 68


class Adc(Peripheral):
    """The nRF51's analog-to-digital converter."""

    def __init__(self, chip: Chip) -> None:
        settings = ADC_BUSY, ENABLE, ADC_CONFIG, ADC_RESULT
        super().__init__(chip, 0x4000_7000, 7, (ADC_END,), settings)
        self.tasks |= {ADC_START: self._start, ADC_STOP: lambda: None}

    def _start(self) -> None:
        self.values[ADC_BUSY] = 1
        self.cpu.after(_ADC_US * self.chip.hz // 1_000_000, self._done)

    def _done(self) -> None:
        self.values[ADC_BUSY] = 0
        self.event(ADC_END)


START, SAMPLE, STOP, CALIBRATEOFFSET = 0x000, 0x004, 0x008, 0x00C
STARTED, END, DONE, RESULTDONE, CALIBRATEDONE, STOPPED = 0x100, 0x104, 0x108, 0x10C, 0x110, 0x114
LIMITS, LIMITS_END, STATUS, CH_PSELP, CHANNELS_END = 0x118, 0x158, 0x400, 0x510, 0x590
RESOLUTION, OVERSAMPLE, SAMPLERATE = 0x5F0, 0x5F4, 0x5F8
RESULT_PTR, RESULT_MAXCNT, RESULT_AMOUNT = 0x62C, 0x630, 0x634
_CHANNELS, _CHANNEL_SIZE = 8, 0x10


class Saadc(Peripheral):
    """The nRF52's converter: a sample of each channel that is on, at each SAMPLE task."""

    def __init__(self, chip: Chip) -> None:
        events = STARTED, END, DONE, RESULTDONE, CALIBRATEDONE, STOPPED
        limits, channels = range(LIMITS, LIMITS_END, 4), range(CH_PSELP, CHANNELS_END, 4)
        settings = STATUS, ENABLE, RESOLUTION, OVERSAMPLE, SAMPLERATE
        result = RESULT_PTR, RESULT_MAXCNT, RESULT_AMOUNT
        super().__init__(chip, 0x4000_7000, 7, (*events, *limits), (*channels, *settings, *result))
        self._on = False
        self._pointer = self._room = self._amount = 0
        self.tasks |= {
            START: self._start,
            SAMPLE: self._sample,
            STOP: self._stop,
            CALIBRATEOFFSET: partial(self.event, CALIBRATEDONE),
        }

    def ignores(self, task: int) -> bool:
        """Whether SAMPLE has no effect: the ADC is not started, or its buffer is full."""
        return task == SAMPLE and not (self._on and self._amount < self._room)

    def _start(self) -> None:
        self._on = True
        self._pointer = self.values[RESULT_PTR]
        self._room, self._amount = self.values[RESULT_MAXCNT], 0
        self.chip.update_ties()
        self.event(STARTED)

    def _stop(self) -> None:
        self._on = False
        self.values[RESULT_AMOUNT] = self._amount
        self.chip.update_ties()
        self.event(STOPPED)

    def _sample(self) -> None:
        values = self.values
        if self.ignores(SAMPLE):
            return
        for channel in range(_CHANNELS):
            if values[CH_PSELP + _CHANNEL_SIZE * channel] and self._amount < self._room:
                self.chip.dma_write(self._pointer + 2 * self._amount, bytes(2))
                self._amount += 1
        self.event(DONE)
        self.event(RESULTDONE)
        if self._amount >= self._room:
            values[RESULT_AMOUNT] = self._amount
            self.chip.update_ties()
            self.event(END)


PWM_STOP, SEQSTART, NEXTSTEP = 0x004, 0x008, 0x010
PWM_STOPPED, SEQSTARTED, SEQEND, PWMPERIODEND, LOOPSDONE = 0x104, 0x108, 0x110, 0x118, 0x11C
MODE, COUNTERTOP, PWM_PRESCALER, DECODER, LOOP = 0x504, 0x508, 0x50C, 0x510, 0x514
SEQ_PTR, SEQ_CNT, SEQ_REFRESH, SEQ_ENDDELAY, PSEL_OUT = 0x520, 0x524, 0x528, 0x52C, 0x560
_SEQ_SIZE = 0x20
_PWM_HZ = 16_000_000
_VALUES_PER_LOAD = 1, 2, 4, 4  # DECODER: common, grouped, individual, wave form
_SEQEND0_STOP, _LOOPSDONE_SEQSTART0, _LOOPSDONE_SEQSTART1, _LOOPSDONE_STOP = 1, 4, 8, 16


class Pwm(Peripheral):
    """Plays its sequences in time, to nobody."""

    def __init__(self, chip: Chip, base: int, irq: int) -> None:
        events = PWM_STOPPED, SEQSTARTED, SEQSTARTED + 4, SEQEND, SEQEND + 4, PWMPERIODEND
        settings = SHORTS, ENABLE, MODE, COUNTERTOP, PWM_PRESCALER, DECODER, LOOP
        sequences = [
            register + _SEQ_SIZE * sequence
            for register in (SEQ_PTR, SEQ_CNT, SEQ_REFRESH, SEQ_ENDDELAY)
            for sequence in range(2)
        ]
        outputs = range(PSEL_OUT, PSEL_OUT + 16, 4)
        super().__init__(chip, base, irq, (*events, LOOPSDONE), (*settings, *sequences, *outputs))
        self._playing: Device | None = None
        self._loops = 0
        self.tasks |= {
            PWM_STOP: self._stop,
            SEQSTART: partial(self._start, 0),
            SEQSTART + 4: partial(self._start, 1),
            NEXTSTEP: lambda: None,
        }

    def _stop(self) -> None:
        if self._playing:
            self.cpu.cancel(self._playing)
            self._playing = None
        self.event(PWM_STOPPED)

    def _start(self, sequence: int) -> None:
        self._loops = self.values[LOOP]
        self._play(sequence)

    def _play(self, sequence: int) -> None:
        if self._playing:
            self.cpu.cancel(self._playing)
        values, at = self.values, _SEQ_SIZE * sequence
        loads = max(1, values[SEQ_CNT + at] // _VALUES_PER_LOAD[values[DECODER] & 3])
        periods = loads * (values[SEQ_REFRESH + at] + 1) + values[SEQ_ENDDELAY + at]
        cycles = periods * max(1, values[COUNTERTOP]) * (self.chip.hz // _PWM_HZ)
        self.event(SEQSTARTED + 4 * sequence)
        self._playing = self.cpu.after(
            cycles << (values[PWM_PRESCALER] & 7), partial(self._end, sequence)
        )

    def _end(self, sequence: int) -> None:
        self._playing = None
        self.event(SEQEND + 4 * sequence)
        if self._playing:
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
