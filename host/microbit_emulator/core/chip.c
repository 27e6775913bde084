// The two boards: a microcontroller with its peripherals, and what is wired to it.
//
// Sources: the schematics of micro:bit V1.5 and V2; nRF51822 Product Specification 3.3; nRF52833
// Product Specification 1.3; microbit-dal `MicroBitMatrixMaps.h`, codal-microbit-v2 `MicroBitIO`.
#include "core.h"

#define AT(x, y) (5 * (y) + (x))

static const Kind V1_KIND = {  // nRF51822 at 16 MHz, 256 KB of flash, 16 KB of RAM
  .is_v2 = false, .hz = 16000000, .per_us = 16,
  .flash_size = 0x40000, .page_size = 0x400, .ram_size = 0x4000,
  .write_us = 46, .erase_us = 22300, .cpuid = 0x410cc200, .peripheral_pages = 32,
  .button_a = 17, .button_b = 26, .scl = 0, .sda = 30, .usb_tx = 24, .usb_rx = 25,
  .edge_pins = {3, 2, 1, 4, 5, 17, 12, 11, 18, 10, 6, 26, 20, 23, 22, 21, 16},
  .analog_pins = {26, 27, 1, 2, 3, 4, 5, 6},
  .leds = {
    .rows = {13, 14, 15}, .columns = {4, 5, 6, 7, 8, 9, 10, 11, 12},
    .row_count = 3, .column_count = 9,
    .places = {
      {AT(0, 0), AT(2, 0), AT(4, 0), AT(4, 3), AT(3, 3), AT(2, 3), AT(1, 3), AT(0, 3), AT(1, 2)},
      {AT(4, 2), AT(0, 2), AT(2, 2), AT(1, 0), AT(3, 0), AT(3, 4), AT(1, 4), NOWHERE, NOWHERE},
      {AT(2, 4), AT(4, 4), AT(0, 4), AT(0, 1), AT(1, 1), AT(2, 1), AT(3, 1), AT(4, 1), AT(3, 2)},
    },
    // bbcmicrobit/micropython, `render_timings`: the microseconds of a row's 6 ms
    .shares = {0, 32 / 6000., 64 / 6000., 128 / 6000., 240 / 6000., 448 / 6000., 848 / 6000.,
               1632 / 6000., 3184 / 6000., 1},
  },
};

static const Kind V2_KIND = {  // nRF52833 at 64 MHz, 512 KB of flash, 128 KB of RAM
  .is_v2 = true, .hz = 64000000, .per_us = 64,
  .flash_size = 0x80000, .page_size = 0x1000, .ram_size = 0x20000,
  .write_us = 41, .erase_us = 85000, .cpuid = 0x410fc241, .peripheral_pages = 64,
  .button_a = 14, .button_b = 23, .scl = 8, .sda = 16, .usb_tx = 6, .usb_rx = 0x28,
  .edge_pins = {2, 3, 4, 31, 28, 14, 0x25, 11, 10, 9, 30, 23, 12, 17, 1, 13, 0x22},
  .analog_pins = {2, 3, 4, 5, 28, 29, 30, 31},
  .leds = {
    .rows = {21, 22, 15, 24, 19}, .columns = {28, 11, 31, 0x25, 30},
    .row_count = 5, .column_count = 5,
    .places = {
      {0, 1, 2, 3, 4}, {5, 6, 7, 8, 9}, {10, 11, 12, 13, 14}, {15, 16, 17, 18, 19},
      {20, 21, 22, 23, 24},
    },
    .shares = {0, 2 / 512., 4 / 512., 8 / 512., 16 / 512., 32 / 512., 64 / 512., 128 / 512.,
               256 / 512., 1},
  },
};

static const Kind *kind = &V1_KIND;

enum { CODEPAGESIZE = 0x010, CODESIZE = 0x014, DEVICEID = 0x060 };  // in FICR

static void inform(u32 offset, u32 word) { copy(information + offset, &word, 4); }

// What FICR says. The first half of a chip's own number differs by the seed.
static void fill_information(u32 seed) {
  fill(information, 0xff, sizeof information);
  inform(CODEPAGESIZE, kind->page_size);
  inform(CODESIZE, kind->flash_size / kind->page_size);
  inform(DEVICEID, 0x12345678 + seed * 0x9e3779b1);  // odd, so that no two seeds have one number
  inform(0x064, 0x9abcdef0);
  inform(0x0a0, 0);           // DEVICEADDRTYPE
  inform(0x0a4, 0xdeadbeef);  // DEVICEADDR
  inform(0x0a8, 0xc0de);
  if (kind->is_v2) {
    inform(0x100, 0x52833);     // INFO.PART
    inform(0x104, 0x41414130);  // INFO.VARIANT
    inform(0x108, 0x2000);      // INFO.PACKAGE
    inform(0x10c, 128);         // INFO.RAM
    inform(0x110, 512);         // INFO.FLASH
  } else {
    inform(0x02c, 0xff);    // PPFC
    inform(0x034, 2);       // NUMRAMBLOCK
    inform(0x038, 0x2000);  // SIZERAMBLOCKS
    inform(0x05c, 0x72);    // CONFIGID
  }
}

static void wire_buttons(void) {
  drive(kind->button_a, !(world.pressed & 1));
  drive(kind->button_b, !(world.pressed & 2));
}

// Make the peripherals after a reset.
static void build(u32 reason) {
  timer_count = master_count = pwm_count = 0;
  attach_all();
  attach_system_control();
  attach_clock(reason);
  attach_nvmc();
  attach_gpio();
  drive(kind->scl, true);
  drive(kind->sda, true);
  wire_buttons();
  drive_pins();
  reset_leds();
  for (u32 base = 0x40008000; base <= 0x4000a000; base += PAGE) attach_timer(base, 4);
  attach_rng();
  attach_temp();
  attach_radio();
  attach_gpiote(kind->is_v2 ? 8 : 4);
  attach_serial();
  attach_bus_master(0x40003000);
  attach_bus_master(0x40004000);
  if (!kind->is_v2) {
    attach_adc();
    attach_ppi(16);
    return;
  }
  attach_timer(0x4001a000, 6);
  attach_timer(LED_TIMER, 6);
  attach_bus_master(0x40023000);
  attach_bus_master(0x4002f000);
  attach_rtc(0x40011000);
  attach_saadc();
  attach_pwm(0x4001c000);
  attach_pwm(0x40021000);
  attach_pwm(0x40022000);
  attach_pwm(0x4002d000);
  for (u32 base = 0x40014000; base <= 0x40019000; base += PAGE) attach_egu(base);
  attach_ppi(20);
}

// Reset everything, and start at address 0. After a power-on, RAM holds noise.
static void start_chip(u32 reason, bool keep_ram) {
  if (!keep_ram)
    for (u32 at = 0; at < kind->ram_size; at += 4) {
      u32 word = random_word();
      copy(ram + at, &word, 4);
    }
  clear_timeline();
  reset_nvic();
  reset_processor();
  build(reason);
}

// What the host calls.

// Make a V1 or a V2 without power: flash is erased, and nothing has been sensed.
void EXPORT(make)(u32 board, u32 seed_low, u32 seed_high) {
  kind = board == 2 ? &V2_KIND : &V1_KIND;
  fill_operations();
  fill(flash, 0xff, kind->flash_size);
  fill_information(seed_low);
  seed(seed_low, seed_high);
  world.mg[2] = -1000;  // it lies flat
  world.field_nt[2] = 45000;
  world.temperature_c = 21;
  world.light = 255;
  bus_device_count = 0;
  connect_sensors();
  if (kind->is_v2) connect_interface_chip();
}

// Press and release the reset button: RAM is lost, flash stays.
void EXPORT(reset)(void) {
  cut_change();
  start_chip(1, false);
  update_status();
}

// Cut the power at this instruction. A write or erase of flash is then only partly done.
void EXPORT(power_cut)(void) {
  cut_change();
  fall_silent();
  clear_lines();
  reset_sensors();
  if (kind->is_v2) reset_interface_chip(false);
  run_state.has_power = false;
  update_status();
}

void EXPORT(power_on)(void) {
  if (run_state.has_power) return;
  run_state.has_power = true;
  forget_retained();
  start_chip(0, false);
  update_status();
}

// The state of a pin, by the chip's number: whether it is an output, whether it is high, the
// frequency of its pulses, and the share of the time in which it is high.
static double pin_state_result[4];

const double *EXPORT(pin_state)(u32 pin) {
  Port *port = &ports[pin >> 5];
  const Oscillation *pulses = &port->oscillations[pin & 31];
  bool is_output = port->direction >> (pin & 31) & 1, is_high = read_port(pin >> 5) >> (pin & 31) & 1;
  double hz = 0, duty = is_output && is_high;
  if (kind->is_v2 && pwm_drives(pin, &is_high, &hz, &duty)) is_output = true;
  else if (port->watched >> (pin & 31) & 1 && is_output && is_on(pulses)) {
    hz = (double)kind->hz / (double)pulses->period;
    duty = (double)pulses->high_for / (double)pulses->period;
  }
  pin_state_result[0] = is_output;
  pin_state_result[1] = is_high;
  pin_state_result[2] = hz;
  pin_state_result[3] = duty;
  return pin_state_result;
}

// The period of the tone that is played, and since when it is played, in cycles; 0 for silence.
static double tone_result[2];

const double *EXPORT(tone)(void) {
  const Oscillation *sound = kind->is_v2 ? pwm_sound() : &ports[0].oscillations[kind->edge_pins[0]];
  bool sounds = sound && is_on(sound);
  tone_result[0] = sounds ? (double)sound->period : 0;
  tone_result[1] = sounds ? (double)sound->since : 0;
  return tone_result;
}
