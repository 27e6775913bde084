// GPIO, the pins; GPIOTE, which connects pins with tasks and events.
//
// Modelled: output, input, direction, pull-ups, external signals, SENSE and the PORT event. Two of
// GPIOTE's tasks have no effect: V1's OUT, and V2's SET when the timer of the LEDs starts it. Not
// modelled: the other tasks, drive strengths, edges on pins other than the touch of the logo.
//
// Source: nRF51 Series Reference Manual 3.0, GPIO and GPIOTE; nRF52833 Product Specification 1.3.
#include "core.h"

enum {
  OUT = 0x504, OUTSET = 0x508, OUTCLR = 0x50c, IN = 0x510, DIR = 0x514, DIRSET = 0x518,
  DIRCLR = 0x51c, LATCH = 0x520, PIN_CNF = 0x700,
  PORT_SIZE = 0x300,  // on the nRF52, the distance from a port's registers to the next port's
  PINS = 32, PULL_UP = 3, SENSE_HIGH = 2, PIN_DISCONNECTED = 2,
};

static Port ports[2];
static u32 port_count;

// Signals that go up and down.

// After one and a half periods without an edge, it has stopped.
static bool has_stopped(const Oscillation *signal, i64 at) {
  return 2 * (at - signal->rise) >= 3 * signal->period;
}

static bool is_on(const Oscillation *signal) {
  return signal->period > 0 && !has_stopped(signal, now());
}

// Note the level of a signal at a time, and find its period. Periods that differ by less than 4 %
// are of the same tone, because V1 times them in software. A pause is not a period.
static void oscillate(Oscillation *signal, i64 at, bool is_high) {
  if (is_high && !signal->is_high) {
    i64 period = signal->rise ? at - signal->rise : 0;
    if (signal->period && has_stopped(signal, at)) period = 0;
    i64 change = period > signal->period ? period - signal->period : signal->period - period;
    if ((double)change > (double)signal->period * 0.04) signal->since = signal->rise;
    signal->period = period;
    signal->rise = at;
  } else if (signal->is_high && !is_high) signal->high_for = at - signal->rise;
  signal->is_high = is_high;
}

// Pins.

static void detect(void);

static void sense(Port *port, u32 bit) {
  if (port->senses & port->driven & bit && !((port->high ^ port->senses_high) & bit)) {
    port->latch |= bit;
    detect();
  }
}

// Put a signal from outside on a pin.
static void drive(u32 pin, bool high) {
  Port *port = &ports[pin >> 5];
  u32 bit = 1u << (pin & 31);
  port->driven |= bit;
  port->high = high ? port->high | bit : port->high & ~bit;
  sense(port, bit);
}

// The levels of all pins, a bit each. A pin that nothing drives reads as its pull-up says.
static u32 read_port(u32 number) {
  Port *port = &ports[number];
  if (number == 0 && now() >= port->inputs_change) drive_sensor_pins();
  u32 level = (port->pulled_up & ~port->driven) | (port->high & port->driven);
  return (level & ~port->direction) | (port->out & port->direction);
}

static void set_out(Port *port, u32 new) {
  if (new == port->out) return;
  before_pins_change();
  u32 changed = (new ^ port->out) & port->watched;
  port->out = new;
  for (; changed; changed &= changed - 1) {
    u32 pin = (u32)__builtin_ctz(changed);
    oscillate(&port->oscillations[pin], now(), new >> pin & 1);
  }
}

// Write a pin's PIN_CNF: its direction, its pull-up, and the level that it senses.
static void configure_pin(Port *port, u32 pin, u32 config) {
  u32 bit = 1u << pin, senses = port->senses, senses_high = port->senses_high;
  u32 level = config >> 16 & 3;
  port->direction = (port->direction & ~bit) | (config & 1) << pin;
  port->pulled_up = (port->pulled_up & ~bit) | (u32)((config >> 2 & 3) == PULL_UP) << pin;
  port->senses = (senses & ~bit) | (u32)(level != 0) << pin;
  port->senses_high = (senses_high & ~bit) | (u32)(level == SENSE_HIGH) << pin;
  if (port->senses != senses || port->senses_high != senses_high) sense(port, bit);
}

static u32 read_gpio(Page *page, u32 offset) {
  u32 number = offset >= OUT + PORT_SIZE && offset < PIN_CNF + PORT_SIZE && port_count > 1 &&
               offset - PORT_SIZE <= LATCH;
  Port *port = &ports[number];
  switch (offset - number * PORT_SIZE) {
    case OUT: case OUTSET: case OUTCLR: return port->out;
    case DIR: case DIRSET: case DIRCLR: return port->direction;
    case IN: return read_port(number);
    case LATCH: return port->latch;
    default: return read_register(page, offset);
  }
}

static void write_gpio(Page *page, u32 offset, u32 size, u32 new) {
  for (u32 number = 0; number < port_count; number++) {
    Port *port = &ports[number];
    u32 at = offset - number * PORT_SIZE;
    switch (at) {
      case OUT: set_out(port, new); return;
      case OUTSET: set_out(port, port->out | new); return;
      case OUTCLR: set_out(port, port->out & ~new); return;
      case DIR: port->direction = new; return;
      case DIRSET: port->direction |= new; return;
      case DIRCLR: port->direction &= ~new; return;
      case LATCH: port->latch &= ~new; return;
    }
    if (at >= PIN_CNF && at < PIN_CNF + 4 * PINS && !(at & 3)) {
      *value(page, offset) = new;
      configure_pin(port, (at - PIN_CNF) >> 2, new);
      return;
    }
  }
  write_register(page, offset, size, new);
}

static void attach_gpio(void) {
  Page *page = attach(0x50000000);
  page->read = read_gpio;
  page->write = write_gpio;
  fill(ports, 0, sizeof ports);
  port_count = kind->is_v2 ? 2 : 1;
  for (u32 number = 0; number < port_count; number++)
    for (u32 pin = 0; pin < PINS; pin++) {
      u32 offset = number * PORT_SIZE + PIN_CNF + 4 * pin;
      model(page, offset, offset);
      *value(page, offset) = PIN_DISCONNECTED;
    }
  for (u32 at = 0; at < COUNT(kind->edge_pins); at++)
    ports[kind->edge_pins[at] >> 5].watched |= 1u << (kind->edge_pins[at] & 31);
  for (u32 row = 0; row < kind->leds.row_count; row++)
    ports[kind->leds.rows[row] >> 5].watched &= ~(1u << (kind->leds.rows[row] & 31));
  for (u32 column = 0; column < kind->leds.column_count; column++)
    ports[kind->leds.columns[column] >> 5].watched &= ~(1u << (kind->leds.columns[column] & 31));
}

// GPIOTE.

enum {
  GPIOTE = 0x40006000, TASKS_OUT = 0x000, TASKS_SET = 0x030,
  EVENTS_IN = 0x100, EVENTS_PORT = 0x17c, CONFIG = 0x510, MODE_MASK = 3, MODE_EVENT = 1,
  MODE_TASK = 3, RISING = 1, OUTINIT = 1 << 20, MAX_GPIOTE = 8, LOGO = 0x24,
  CHARGING_US = 25, CHARGING_TOUCHED_US = 1000, LED_TICKS_PER_US = 16,
};

static u32 gpiote_channels;
static struct { Device device; u32 channel, config; } charging[MAX_GPIOTE];
static const Timer *led_timer(void);

static void detect(void) { set_event(page_at(GPIOTE), EVENTS_PORT); }

// Whether the channel is for a task, and holds its pin low until the task.
static bool drives_low_first(u32 channel) {
  u32 config = *value(page_at(GPIOTE), CONFIG + 4 * channel);
  return (config & MODE_MASK) == MODE_TASK && !(config & OUTINIT);
}

// V1's OUT plays samples, as pulses above hearing (bbcmicrobit/micropython, `modaudio.cpp`).
static bool gpiote_task(Page *page, u32 offset) {
  (void)page;
  return !kind->is_v2 && offset - TASKS_OUT < 4 * gpiote_channels;
}

// The LED timer of a V2 ends pulses by PPI and SET; `show_timed_row` reads their lengths.
static bool gpiote_ignores(Page *page, u32 offset, u32 event) {
  bool is_set = kind->is_v2 && offset - TASKS_SET < 4 * gpiote_channels;
  return (is_set && (event & ~(PAGE - 1u)) == LED_TIMER) || gpiote_task(page, offset);
}

// A released pin reaches its high level after this time, by which firmware senses touch: a finger
// adds capacitance, which takes longer to charge. Both times are chosen: CHARGING_TOUCHED_US is the
// longest that codal-nrf52 measures (NRF52_TOUCH_SENSOR_PERIOD), CHARGING_US a small part of that.
// Light discharges a row of LEDs; its level is the row's share of the LED timer's period
// (codal-nrf52, `NRF52LEDMatrix::render`).
static i64 charging_us(u32 pin) {
  if (pin == kind->leds.rows[0]) {
    i64 ticks = (i64)led_timer()->cc[0] * (255 - world.light) / 255;
    return most(CHARGING_US, ticks / LED_TICKS_PER_US);
  }
  return pin == LOGO && world.logo_touched ? CHARGING_TOUCHED_US : CHARGING_US;
}

static void charged(void *owner) {
  u32 channel = (u32)((u8 *)owner - (u8 *)charging) / sizeof *charging;
  Page *page = page_at(GPIOTE);
  if (*value(page, CONFIG + 4 * channel) == charging[channel].config)
    set_event(page, EVENTS_IN + 4 * channel);
}

static void write_gpiote(Page *page, u32 offset, u32 size, u32 new) {
  u32 channel = (offset - CONFIG) >> 2;
  write_register(page, offset, size, new);
  if (channel >= gpiote_channels || (new & MODE_MASK) != MODE_EVENT || !kind->is_v2) return;
  if ((new >> 16 & 3) != RISING) return;
  charging[channel].config = new;
  schedule(&charging[channel].device, NEVER);
  schedule(&charging[channel].device, now() + cycles(charging_us(new >> 8 & 0x3f)));
}

static void attach_gpiote(u32 channels) {
  Page *page = attach(GPIOTE);
  page->write = write_gpiote;
  page->task = gpiote_task;
  page->ignores = gpiote_ignores;
  gpiote_channels = channels;
  model(page, EVENTS_IN, EVENTS_IN + 4 * (channels - 1));
  model(page, EVENTS_PORT, EVENTS_PORT);
  model(page, CONFIG, CONFIG + 4 * (channels - 1));
  for (u32 channel = 0; channel < channels; channel++)
    add_device(&charging[channel].device, charged, &charging[channel]);
}
