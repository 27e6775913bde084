// Analog in and out: the converters of the nRF51 (ADC) and of the nRF52 (SAADC), and its PWM.
//
// Modelled: single-ended conversions of the pins' voltages, with gain, reference, resolution and
// oversampling; which values PWM loads and when, the shape of each period, the ends of sequences
// and loops. Not modelled: differential channels, limits, continuous sampling by the converter's
// own timer, a change of the sampling timer while a buffer fills; PWM's NEXTSTEP, a counter top in
// the sequence, counting up and down.
//
// Source: nRF51 Series Reference Manual 3.0, ADC; nRF52833 Product Specification 1.3, SAADC, PWM.
#include "core.h"

static const double SUPPLY_V = 3.3;

// Voltages.

enum { MICROPHONE = 5, V1_DARK = 338, V1_BRIGHT = 75 };  // microbit-dal, `MicroBitLightSensor`

// The microphone receives a square wave of 16 samples around its bias. The bias is chosen: the middle
// of what the converter takes with CODAL's settings, a gain of 4 and a quarter of the supply. The
// rest is measured: MicroPython 2.1.2 gives an amplitude of 1 mV the level 31, and twice the
// amplitude 31.8 more, so that `sound_level()` returns the level that was set, up to 244. (Older
// ones have another scale.)
static double microphone_volts(u32 nth) {
  const double bias = 0.103, step = 1.0021820854056545;  // 2 ** (1 / 318), of a tenth of a level
  double volts = world.sound ? 0.001 : 0;
  for (i32 level = 310; level < 10 * world.sound; level++) volts *= step;
  for (i32 level = 310; level > 10 * world.sound; level--) volts /= step;
  return bias + (nth & 8 ? volts : -volts);
}

// The voltage at an analog input, by its number on the chip, at the nth sample.
static double volts_at(u32 analog_input, u32 nth) {
  u32 pin = analog_input < COUNT(kind->analog_pins) ? kind->analog_pins[analog_input] : 63;
  bool is_set = world.has_volts >> pin & 1;
  if (kind->is_v2 && pin == MICROPHONE) return microphone_volts(nth);
  // V1's LEDs sense light: a floating column gives less voltage in brighter light.
  if (!kind->is_v2 && pin >= 4 && pin <= 6 && !is_set)
    return SUPPLY_V * (V1_DARK - world.light * (double)(V1_DARK - V1_BRIGHT) / 255) / 1024;
  return is_set ? world.volts[pin] : 0;
}

static void drive_pins(void) {
  for (u32 pin = 0; pin < 64; pin++)
    if (world.has_volts >> pin & 1) drive(pin, world.volts[pin] > SUPPLY_V / 2);
}

static i32 clamped(double level, u32 bits) {
  return (i32)most(0, least((i64)level, (1 << bits) - 1));
}

// The nRF51's converter.

enum { ADC_BASE = 0x40007000, ADC_START = 0x000, ADC_STOP = 0x004, ADC_END = 0x100, ADC_BUSY = 0x400,
       ADC_CONFIG = 0x504, ADC_RESULT = 0x508, ADC_US = 68 };

static void adc_done(Page *page) {
  const double prescales[] = {1, 2.0 / 3, 1.0 / 3};
  const double references[] = {1.2, SUPPLY_V, SUPPLY_V / 2, SUPPLY_V / 3};
  u32 config = *value(page, ADC_CONFIG), bits = 8 + (config & 3), prescale = config >> 2 & 7;
  u32 inputs = config >> 8 & 0xff;
  double volts = SUPPLY_V;  // what is left to choose: the supply itself
  if (prescale < COUNT(prescales))
    volts = volts_at(inputs ? 31 - (u32)__builtin_clz(inputs) : 7, 0) * prescales[prescale];
  double level = volts / references[config >> 5 & 3] * (1 << bits);
  *value(page, ADC_RESULT) = (u32)clamped(level, bits);
  *value(page, ADC_BUSY) = 0;
  set_event(page, ADC_END);
}

static bool adc_task(Page *page, u32 offset) {
  if (offset == ADC_START) {
    *value(page, ADC_BUSY) = 1;
    begin(page, cycles(ADC_US), adc_done);
  }
  return offset == ADC_START || offset == ADC_STOP;
}

static void attach_adc(void) {
  Page *page = attach_slow(ADC_BASE);
  page->task = adc_task;
  model(page, ADC_END, ADC_END);
  model(page, ADC_BUSY, ADC_BUSY);
  model_settings(page);
}

// The nRF52's converter: each SAMPLE task takes a sample of each enabled channel.
//
// With oversampling, several SAMPLE tasks give one result. If a timer starts them by PPI at a
// steady rate, only the moment of the full buffer is computed, and the tasks cost nothing: CODAL
// starts 177,777 a second.

enum {
  SAADC = 0x40007000, SAADC_START = 0x000, SAADC_SAMPLE = 0x004, SAADC_STOP = 0x008,
  CALIBRATEOFFSET = 0x00c,
  SAADC_STARTED = 0x100, SAADC_END = 0x104, SAADC_DONE = 0x108, RESULTDONE = 0x10c,
  CALIBRATEDONE = 0x110, SAADC_STOPPED = 0x114, LIMITS_END = 0x158, SAADC_STATUS = 0x400,
  CH_PSELP = 0x510, CH_CONFIG = 0x518, RESOLUTION = 0x5f0, OVERSAMPLE = 0x5f4,
  RESULT_PTR = 0x62c, RESULT_MAXCNT = 0x630, RESULT_AMOUNT = 0x634,
  SAADC_CHANNELS = 8, CHANNEL_SIZE = 0x10, BURST = 1 << 24,
};

static struct { u32 pointer, room, amount, tasks; } saadc;

static bool is_enabled(Page *page, u32 channel) {
  return *value(page, CH_PSELP + CHANNEL_SIZE * channel);
}

static u32 tasks_a_result(Page *page) {
  return *value(page, CH_CONFIG) & BURST ? 1 : 1u << (*value(page, OVERSAMPLE) & 15);
}

static void convert(Page *page) {
  const double gains[] = {1.0 / 6, 1.0 / 5, 1.0 / 4, 1.0 / 3, 1.0 / 2, 1, 2, 4};
  u32 bits = 8 + 2 * (*value(page, RESOLUTION) & 3);
  for (u32 channel = 0; channel < SAADC_CHANNELS; channel++) {
    if (!is_enabled(page, channel)) continue;
    if (saadc.amount >= saadc.room) return;
    u32 config = *value(page, CH_CONFIG + CHANNEL_SIZE * channel);
    double reference = config >> 12 & 1 ? SUPPLY_V / 4 : 0.6;
    u32 input = *value(page, CH_PSELP + CHANNEL_SIZE * channel) - 1;
    double volts = volts_at(input, saadc.amount);
    i32 level = clamped(volts * gains[config >> 8 & 7] / reference * (1 << bits), bits);
    u8 sample[2] = {(u8)level, (u8)(level >> 8)};
    copy_in(saadc.pointer + 2 * saadc.amount++, sample, 2);
  }
}

static void finish_buffer(Page *page) {
  *value(page, RESULT_AMOUNT) = saadc.amount;
  update_ties();
  set_event(page, SAADC_END);
}

static void fill_buffer(Page *page) {
  u32 before = ~saadc.amount;
  while (saadc.amount < saadc.room && saadc.amount != before) {
    before = saadc.amount;
    convert(page);
  }
  finish_buffer(page);
}

// Whether SAMPLE has no effect: not started, full, or the buffer's end is computed.
static bool saadc_ignores(Page *page, u32 offset, u32 event) {
  (void)event;
  return offset == SAADC_SAMPLE && (saadc.amount >= saadc.room || is_under_way(page));
}

static void saadc_start(Page *page) {
  saadc.pointer = *value(page, RESULT_PTR);
  saadc.room = *value(page, RESULT_MAXCNT);
  saadc.amount = saadc.tasks = 0;
  i64 period = period_of(SAADC + SAADC_SAMPLE);
  u32 channels = 0;
  for (u32 channel = 0; channel < SAADC_CHANNELS; channel++) channels += is_enabled(page, channel);
  if (period && channels)
    begin(page, period * ((saadc.room + channels - 1) / channels) * tasks_a_result(page), fill_buffer);
  update_ties();
  set_event(page, SAADC_STARTED);
}

static void saadc_sample(Page *page) {
  if (saadc_ignores(page, SAADC_SAMPLE, 0)) return;
  if (++saadc.tasks % tasks_a_result(page)) return;
  convert(page);
  set_event(page, SAADC_DONE);
  set_event(page, RESULTDONE);
  if (saadc.amount >= saadc.room) finish_buffer(page);
}

static void saadc_stop(Page *page) {
  abandon(page);
  *value(page, RESULT_AMOUNT) = saadc.amount;
  saadc.room = 0;
  update_ties();
  set_event(page, SAADC_STOPPED);
}

static bool saadc_task(Page *page, u32 offset) {
  switch (offset) {
    case SAADC_START: saadc_start(page); return true;
    case SAADC_SAMPLE: saadc_sample(page); return true;
    case SAADC_STOP: saadc_stop(page); return true;
    case CALIBRATEOFFSET: set_event(page, CALIBRATEDONE); return true;
    default: return false;
  }
}

static void attach_saadc(void) {
  Page *page = attach_slow(SAADC);
  page->task = saadc_task;
  page->ignores = saadc_ignores;
  model(page, SAADC_STARTED, LIMITS_END - 4);
  model(page, SAADC_STATUS, SAADC_STATUS);
  model_settings(page);
  fill(&saadc, 0, sizeof saadc);
}

// PWM plays its sequences in time.

enum {
  PWM_STOP = 0x004, SEQSTART = 0x008,
  PWM_STOPPED = 0x104, SEQSTARTED = 0x108, SEQEND = 0x110, PWMPERIODEND = 0x118,
  LOOPSDONE = 0x11c,
  COUNTERTOP = 0x508, PWM_PRESCALER = 0x50c, DECODER = 0x510, LOOP = 0x514,
  SEQ_PTR = 0x520, SEQ_CNT = 0x524, SEQ_REFRESH = 0x528, SEQ_ENDDELAY = 0x52c, SEQ_SIZE = 0x20,
  PSEL_OUT = 0x560, PWM_HZ = 16000000, SOUND_TICKS = PWM_HZ / 16000, FALLING_FIRST = 1 << 15,
  SEQEND0_STOP = 1, LOOPSDONE_SEQSTART0 = 4, LOOPSDONE_SEQSTART1 = 8, LOOPSDONE_STOP = 16,
  MAX_PWMS = 4,
};

typedef struct {
  Page *page;
  u32 loops, sequence;
  u32 loaded_count;
  u16 loaded[4];  // the last values of the last sequence
  Oscillation sound;
} Pwm;

static Pwm pwms[MAX_PWMS];
static u32 pwm_count;

// Values that are loaded at once, by DECODER: common, grouped, individual, wave form.
static u32 values_per_load(Page *page) {
  static const u8 counts[] = {1, 2, 4, 4};
  return counts[*value(page, DECODER) & 3];
}

// Whether its values are samples: many, and at a rate above hearing.
static bool plays_sound(Page *page) {
  u32 ticks = *value(page, COUNTERTOP) << (*value(page, PWM_PRESCALER) & 7);
  return ticks && ticks <= SOUND_TICKS;
}

static u16 sequence_value(u32 from, u32 nth) {
  u16 number = 0;
  copy_out(from + 2 * nth, (u8 *)&number, 2);
  return number;
}

// Take the samples that are played from now on, one per period.
static void take_samples(Pwm *pwm, u32 from, u32 count, u32 per_load, i64 period) {
  u32 lowest = 0xffff, highest = 0;
  for (u32 nth = 0; nth < count; nth += per_load) {
    u32 sample = sequence_value(from, nth);
    lowest = (u32)least(lowest, sample);
    highest = (u32)most(highest, sample);
  }
  i64 at = now();
  for (u32 nth = 0; nth < count; nth += per_load, at += period)
    oscillate(&pwm->sound, at, sequence_value(from, nth) > (lowest + highest) / 2);
}

static void end_sequence(Page *page);

static void play(Page *page, u32 sequence) {
  Pwm *pwm = page->self;
  u32 at = SEQ_SIZE * sequence, per_load = values_per_load(page), from = *value(page, SEQ_PTR + at);
  u32 count = *value(page, SEQ_CNT + at);
  u32 loads = (u32)most(1, count / per_load);
  i64 periods = (i64)loads * ((i64)*value(page, SEQ_REFRESH + at) + 1) +
                *value(page, SEQ_ENDDELAY + at);
  i64 duration = periods * most(1, *value(page, COUNTERTOP)) * (kind->hz / PWM_HZ);
  duration <<= *value(page, PWM_PRESCALER) & 7;
  pwm->loaded_count = count;
  for (u32 nth = 0; nth < per_load && nth < count; nth++)
    pwm->loaded[nth] = sequence_value(from, count - (per_load < count ? per_load : count) + nth);
  if (plays_sound(page)) take_samples(pwm, from, count, per_load, duration / most(1, periods));
  set_event(page, SEQSTARTED + 4 * sequence);
  pwm->sequence = sequence;
  begin(page, duration, end_sequence);
}

static void start_sequence(Page *page, u32 sequence) {
  ((Pwm *)page->self)->loops = *value(page, LOOP);
  play(page, sequence);
}

static void pwm_stop(Page *page) {
  abandon(page);
  set_event(page, PWM_STOPPED);
}

static void end_sequence(Page *page) {
  Pwm *pwm = page->self;
  u32 sequence = pwm->sequence, shorts;
  set_event(page, SEQEND + 4 * sequence);
  if (is_under_way(page)) return;  // PPI has started another one
  shorts = *value(page, SHORTS);
  if (shorts & SEQEND0_STOP << sequence) pwm_stop(page);
  else if (pwm->loops && sequence == 0) play(page, 1);
  else if (pwm->loops > 1) {
    pwm->loops--;
    play(page, 0);
  } else if (pwm->loops) {
    pwm->loops = 0;
    set_event(page, LOOPSDONE);
    if (shorts & LOOPSDONE_SEQSTART0) start_sequence(page, 0);
    else if (shorts & LOOPSDONE_SEQSTART1) start_sequence(page, 1);
    else if (shorts & LOOPSDONE_STOP) pwm_stop(page);
  }
}

static bool pwm_task(Page *page, u32 offset) {
  switch (offset) {
    case PWM_STOP: pwm_stop(page); return true;
    case SEQSTART: start_sequence(page, 0); return true;
    case SEQSTART + 4: start_sequence(page, 1); return true;
    default: return false;
  }
}

// What a PWM makes of a pin; false if none uses it.
static bool pwm_drives(u32 pin, bool *is_high, double *hz, double *duty) {
  for (u32 nth = 0; nth < pwm_count; nth++) {
    Pwm *pwm = &pwms[nth];
    Page *page = pwm->page;
    u32 output = 0, top = *value(page, COUNTERTOP), per_load = values_per_load(page);
    while (output < 4 && *value(page, PSEL_OUT + 4 * output) != pin) output++;
    if (!pwm->loaded_count || output == 4 || !*value(page, ENABLE)) continue;
    u16 loaded = pwm->loaded[output * per_load / 4];
    double share = (loaded & ~FALLING_FIRST) / (double)most(1, top);
    share = share > 1 ? 1 : share;
    *duty = loaded & FALLING_FIRST ? share : 1 - share;
    bool pulses = *duty > 0 && *duty < 1;
    *is_high = pulses || *duty >= 1;
    *hz = pulses ? PWM_HZ / (double)(top << (*value(page, PWM_PRESCALER) & 7)) : 0;
    return true;
  }
  return false;
}

// The sound that PWM plays as samples, to the speaker and to pin 0; NULL without one.
static const Oscillation *pwm_sound(void) {
  for (u32 nth = 0; nth < pwm_count; nth++)
    if (plays_sound(pwms[nth].page)) return &pwms[nth].sound;
  return NULL;
}

static void attach_pwm(u32 base) {
  Page *page = attach_slow(base);
  Pwm *pwm = page->self = &pwms[pwm_count++];
  fill(pwm, 0, sizeof *pwm);
  pwm->page = page;
  page->task = pwm_task;
  model(page, PWM_STOPPED, LOOPSDONE);
  model_settings(page);
  for (u32 output = 0; output < 4; output++) *value(page, PSEL_OUT + 4 * output) = DISCONNECTED;
}
