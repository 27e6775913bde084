"""Analog in and out: the converters of the nRF51 (ADC) and of the nRF52 (SAADC), and its PWM.

Modelled: single-ended conversions of the pins' voltages, with gain, reference, resolution and
oversampling; which values PWM loads and when, the shape of each period, the ends of sequences and
loops. Not modelled: differential channels, limits, continuous sampling by the converter's own
timer, a change of the sampling timer while a buffer fills; PWM's NEXTSTEP, a counter top in the
sequence, counting up and down.
"""

import struct
from functools import partial

from microbit_emulator.gpio import Oscillation, PinState
from microbit_emulator.peripheral import ENABLE, SETTINGS, SHORTS, Host, Peripheral
from microbit_emulator.sensors import SUPPLY_V

ADC_START, ADC_STOP, ADC_END = 0x000, 0x004, 0x100
ADC_BUSY, ADC_CONFIG, ADC_RESULT = 0x400, 0x504, 0x508
_ADC_US = 68
_PRESCALE = 1, 2 / 3, 1 / 3
_ADC_REFERENCE_V = 1.2, SUPPLY_V, SUPPLY_V / 2, SUPPLY_V / 3


class Adc(Peripheral):
    """The nRF51's converter."""

    def __init__(self, chip: Host) -> None:
        super().__init__(chip, 0x4000_7000, (ADC_END,), (ADC_BUSY, *SETTINGS))
        self.tasks[ADC_START] = self._start
        self.accept(ADC_STOP)

    def _start(self) -> None:
        self.values[ADC_BUSY] = 1
        self.cpu.after(self.chip.cycles(_ADC_US), self._done)

    def _done(self) -> None:
        config = self.values[ADC_CONFIG]
        bits, prescale, reference = 8 + (config & 3), config >> 2 & 7, config >> 5 & 3
        volts = SUPPLY_V  # what is left to choose: the supply itself
        if prescale < len(_PRESCALE):
            volts = self.chip.volts_at((config >> 8 & 0xFF).bit_length() - 1) * _PRESCALE[prescale]
        level = int(volts / _ADC_REFERENCE_V[reference] * (1 << bits))
        self.values[ADC_RESULT] = max(0, min(level, (1 << bits) - 1))
        self.values[ADC_BUSY] = 0
        self.event(ADC_END)


START, SAMPLE, STOP, CALIBRATEOFFSET = 0x000, 0x004, 0x008, 0x00C
STARTED, END, DONE, RESULTDONE, CALIBRATEDONE, STOPPED = range(0x100, 0x118, 4)
LIMITS_END, STATUS = 0x158, 0x400
CH_PSELP, CH_CONFIG, RESOLUTION, OVERSAMPLE = 0x510, 0x518, 0x5F0, 0x5F4
RESULT_PTR, RESULT_MAXCNT, RESULT_AMOUNT = 0x62C, 0x630, 0x634
_CHANNELS, _CHANNEL_SIZE = 8, 0x10
_GAINS = 1 / 6, 1 / 5, 1 / 4, 1 / 3, 1 / 2, 1, 2, 4
_INTERNAL_V = 0.6
_BURST = 1 << 24


class Saadc(Peripheral):
    """The nRF52's converter: each SAMPLE task takes a sample of each enabled channel.

    With oversampling, several SAMPLE tasks give one result. If a timer starts them by PPI at a
    steady rate, only the moment of the full buffer is computed, and the tasks cost nothing: CODAL
    starts 177,777 a second.
    """

    def __init__(self, chip: Host) -> None:
        super().__init__(chip, 0x4000_7000, range(STARTED, LIMITS_END, 4), (STATUS, *SETTINGS))
        self._pointer = self._room = self._amount = self._tasks = 0
        self.tasks |= {
            START: self._start,
            SAMPLE: self._sample,
            STOP: self._stop,
            CALIBRATEOFFSET: partial(self.event, CALIBRATEDONE),
        }

    def ignores(self, task: int) -> bool:
        """Whether SAMPLE has no effect: not started, full, or the buffer's end is computed."""
        return task == SAMPLE and (self._amount >= self._room or self.is_under_way())

    def _start(self) -> None:
        self._pointer = self.values[RESULT_PTR]
        self._room, self._amount, self._tasks = self.values[RESULT_MAXCNT], 0, 0
        period = self.chip.period_of(self.base + SAMPLE)
        channels = len(self._channels())
        if period and channels:
            rounds = -(-self._room // channels)
            self.begin(period * rounds * self._tasks_a_result(), self._fill)
        self.chip.update_ties()
        self.event(STARTED)

    def _stop(self) -> None:
        self.abandon()
        self.values[RESULT_AMOUNT], self._room = self._amount, 0
        self.chip.update_ties()
        self.event(STOPPED)

    def _channels(self) -> list[int]:
        values = self.values
        return [at for at in range(_CHANNELS) if values[CH_PSELP + _CHANNEL_SIZE * at]]

    def _tasks_a_result(self) -> int:
        burst = self.values[CH_CONFIG] & _BURST
        return 1 if burst else 1 << self.values[OVERSAMPLE]

    def _fill(self) -> None:
        while self._amount < self._room:
            self._convert()
        self._finish()

    def _sample(self) -> None:
        if self.ignores(SAMPLE):
            return
        self._tasks += 1
        if self._tasks % self._tasks_a_result() == 0:
            self._convert()
            self.event(DONE)
            self.event(RESULTDONE)
            if self._amount >= self._room:
                self._finish()

    def _finish(self) -> None:
        self.values[RESULT_AMOUNT] = self._amount
        self.chip.update_ties()
        self.event(END)

    def _convert(self) -> None:
        values = self.values
        bits = 8 + 2 * values[RESOLUTION]
        for channel in self._channels():
            if self._amount >= self._room:
                return
            config = values[CH_CONFIG + _CHANNEL_SIZE * channel]
            reference = SUPPLY_V / 4 if config >> 12 & 1 else _INTERNAL_V
            volts = self.chip.volts_at(values[CH_PSELP + _CHANNEL_SIZE * channel] - 1, self._amount)
            level = int(volts * _GAINS[config >> 8 & 7] / reference * (1 << bits))
            level = max(0, min(level, (1 << bits) - 1))
            self.cpu.write(self._pointer + 2 * self._amount, struct.pack("<h", level))
            self._amount += 1


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
        """The values of the last sequence."""
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
        data = self.cpu.read(values[SEQ_PTR + at], 2 * count)
        self._loaded = struct.unpack(f"<{count}H", data)
        if self.plays_sound:
            self.sound.samples(self.cpu.now(), cycles // max(1, periods), self._loaded[::per_load])
        self.event(SEQSTARTED + 4 * sequence)
        self.begin(cycles, partial(self._end, sequence))

    @property
    def plays_sound(self) -> bool:
        """Whether its values are samples: many, and at a rate above hearing."""
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
