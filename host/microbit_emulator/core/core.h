// What the parts of the core share: memory, time, registers, and what each part offers the others.
//
// The core is one chip with its board. All its state is in static variables, so a copy of the
// linear memory is a snapshot. The host (Python or JavaScript) calls the functions that are marked
// EXPORT. Nothing calls the host: a run returns, and the host reads what happened from memory.
#ifndef CORE_H
#define CORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint8_t u8;
typedef int8_t i8;
typedef uint16_t u16;
typedef int16_t i16;
typedef uint32_t u32;
typedef int32_t i32;
typedef uint64_t u64;
typedef int64_t i64;

#define EXPORT(name) __attribute__((export_name(#name))) name
#define APART __attribute__((noinline))  // not copied to where it is called, which would be large
#define COUNT(array) (sizeof(array) / sizeof *(array))

static inline i64 least(i64 a, i64 b) { return a < b ? a : b; }
static inline i64 most(i64 a, i64 b) { return a > b ? a : b; }

// The chips (chip.c).

enum { PAGE = 0x1000, LED_COUNT = 25, NOWHERE = 0xff };

typedef struct {
  u8 rows[5], columns[9], row_count, column_count;
  u8 places[5][9];    // which LED is at each crossing, in reading order, or NOWHERE
  double shares[10];  // for each level, the share of its row's time in which an LED is lit
} Matrix;

typedef struct {
  bool is_v2;
  u32 hz, per_us;  // cycles of the CPU in a second, in a microsecond
  u32 flash_size, page_size, ram_size;
  u32 write_us, erase_us;  // to write a word of flash, to erase a page
  u32 cpuid, peripheral_pages;
  u8 button_a, button_b, scl, sda, usb_tx, usb_rx;
  u8 edge_pins[17];  // in the order of MicroPython's numbers
  u8 analog_pins[8];
  Matrix leds;
} Kind;

static const Kind *kind;

// Memory (memory.c).

enum {
  RAM = 0x20000000, FICR = 0x10000000, UICR = 0x10001000, UICR_SIZE = 0x400,
  MAX_FLASH = 0x80000, MAX_RAM = 0x20000, LOG_SIZE = 126 * 1024,
};
typedef u16 Half __attribute__((aligned(1), may_alias));
typedef u32 Word __attribute__((aligned(1), may_alias));

static u8 flash[MAX_FLASH + 16], ram[MAX_RAM + 16];
APART static u8 *memory_at(u32 address, u32 size);  // NULL where there is none
static void fill(void *to, u8 byte, u32 size);
static void copy(void *to, const void *from, u32 size);
static bool is_same(const void *one, const void *other, u32 size);
APART static void copy_in(u32 address, const u8 *data, u32 size);
APART static void copy_out(u32 address, u8 *data, u32 size);

// Time, and what is to happen when (exceptions.c). Times are in cycles since power-on.

#define NEVER ((i64)1 << 62)

typedef struct Page Page;
typedef struct Device {
  i64 due;    // when it acts
  u64 order;  // of those that act at one time, the first that was scheduled goes first
  void (*act)(void *owner);
  void *owner;
} Device;

static i64 now(void);
static void add_device(Device *device, void (*act)(void *), void *owner);
APART static void schedule(Device *device, i64 due);
static inline i64 cycles(i64 us) { return us * kind->per_us; }

// The processor (processor.c) and its interrupts (exceptions.c).

typedef struct {
  u32 r[16];       // R0 to R12, SP, LR, PC
  i32 nz;          // zero if Z, negative if N
  u32 c;           // 0 or 1
  i32 v;           // negative if V
  u32 primask, ipsr;
  u32 basepri, faultmask, control, q, ge, fpscr, other_sp, it;  // of the Cortex-M4
  u32 s[32];       // its floating-point registers
  u32 link;        // the EXC_RETURN that is being used
  u32 at;          // the instruction that is being executed
  u32 counter, limit;  // instructions in this slice so far, and where it ends
  u32 stop;            // the limit, or within an IT block the end of its present instruction
} Processor;

static Processor cpu;
enum { FPCA = 4, SPSEL = 2 };  // of CONTROL
enum { AT_LIMIT, AT_WFI, AT_WFE, AT_SVC, AT_BKPT, AT_UNDEFINED };
static u32 execute_m0(void);
static u32 execute_m4(void);

static struct {
  u64 enabled, pending, lines;  // sets of interrupts
  u64 muted;  // disabled interrupts whose peripherals know that nobody listens
  u8 priorities[256];  // by exception number
  u8 active[64];
  u16 outer[64], depth;
  i32 priority;  // of the running code; lower is more urgent
} nvic;

static struct {
  i64 base;          // when this slice began
  u64 instructions;
  bool stalled;      // the CPU waits for flash, or the system is off
  bool polling;      // the firmware only waits for a register: skip to the next event
  bool asleep, event_register;
  bool halted, halt_at_reset, debugged, steps;  // what a debugger asked for
  bool was_reset;    // since a debugger looked
  bool locks_up, locked_up;  // whether a fault locks the core up, instead of ending the run
  bool wants_reset, has_power;
  i64 look_at_mask, masked_since;
  u32 vector_table;
} run_state;

APART static void halt_slice(void);
static void raise_line(u32 irq);
static void lower_line(u32 irq);
static void enable_irqs(u64 irqs);
static void set_pending(u64 irqs);
static void clear_pending(u64 irqs);
APART static void leave_exception(void);

// Why a run ended early, with the address and the program counter.
enum { RAN, STOPPED, LISTENS, FLASH_BEGINS, OUTPUT_FULL, INPUT_LOW };
enum { POLLS = 1, STARTS_TASK, WRITES_REGISTER, STOPS_BY_SHORT, COUNTS_EVENTS, NOTHING_THERE,
       UNDEFINED, BREAKPOINT };

// What the host reads after each call.
static struct {
  double now, idle_until, instructions;
  u32 reason, what, address, pc;  // why the run ended
  u32 has_power, halted, locked_up, asleep;
  u32 flash_busy;                 // 1 while it is written, 2 while it is erased
  u32 in_count[2], out_count[2];  // bytes on their way to the chip, and sent by it, by line
  u32 has_more[2];                // the host sets it: a run ends before these lines run dry
  u32 watches_flash;              // the host sets it: a run ends when a write or erase begins
  u32 change_at, change_size, change_cycles;
  u32 has_panicked;               // interrupts have been masked for long
} status;
static void update_status(void);
APART static void stop_for(u32 reason, u32 what, u32 address);

// Registers (peripheral.c).

enum { EVENTS = 0x100, SHORTS = 0x200, INTEN = 0x300, INTENSET = 0x304, INTENCLR = 0x308,
       ENABLE = 0x500, POWER = 0xffc, DISCONNECTED = 0xffffffff };

struct Page {
  u32 base, irq;
  u32 (*read)(Page *, u32 offset);
  void (*write)(Page *, u32 offset, u32 size, u32 value);
  bool (*task)(Page *, u32 offset);     // false if it does not have this task
  bool (*ignores)(Page *, u32 offset, u32 event);  // whether PPI need not start a task now
  void (*reset)(Page *);                // sets what does not begin with 0
  u32 inten, looks;
  u64 happened;       // events that read 1, by (offset - EVENTS) / 4, as the next two
  u64 polled;         // events for which firmware waits in a loop
  u64 tied;           // events that PPI uses
  Device under_way;
  void (*action)(Page *);  // what ends what is under way
  void *self;         // the peripheral's own state, if it is a timer or one of several
  u32 known[32];      // a bit for each register that is modelled
  u32 values[1024];
};

static Page *page_at(u32 base);
APART static Page *attach(u32 base);
APART static Page *attach_slow(u32 base);
APART static void model(Page *page, u32 first, u32 last);
APART static void model_settings(Page *page);
APART static u32 read_register(Page *page, u32 offset);
APART static void write_register(Page *page, u32 offset, u32 size, u32 value);
APART static u32 bus_read(u32 address, u32 size);
APART static void bus_write(u32 address, u32 size, u32 value);
APART static void set_event(Page *page, u32 offset);
APART static void clear_event(Page *page, u32 offset);
static void set_inten(Page *page, u32 value);
static void update_line(Page *page);
APART static void trigger(Page *page, u32 offset);
APART static void begin(Page *page, i64 cycles, void (*action)(Page *));
static void abandon(Page *page);
static bool is_under_way(const Page *page);
static inline u32 *value(Page *page, u32 offset) { return &page->values[offset >> 2]; }

// Timers and PPI (timers.c).

APART static void attach_timer(u32 base, u32 channels);
static void attach_ppi(u32 channels);
APART static void update_ties(void);
static i64 period_of(u32 task);
static void start_ties(u32 event);
static void unmute_timers(u64 irqs);

// Pins (gpio.c) and LEDs (leds.c).

typedef struct {
  i64 period, since, rise, high_for;  // cycles
  bool is_high;
} Oscillation;

typedef struct {
  u32 out, direction, latch;
  u32 driven, high, pulled_up;  // by signals from outside
  u32 senses, senses_high;
  u32 watched;                  // outputs whose pulses are wanted
  i64 inputs_change;            // before this time, no input changes by itself
  Oscillation oscillations[32];
} Port;

static Port ports[2];
static void attach_gpio(void);
static void attach_gpiote(u32 channels);
static bool drives_low_first(u32 channel);
APART static void drive(u32 pin, bool high);
APART static u32 read_port(u32 port);
static void oscillate(Oscillation *oscillation, i64 at, bool is_high);
static bool is_on(const Oscillation *oscillation);
static void wire_buttons(void);
static void drive_pins(void);
static void reset_leds(void);
static void before_pins_change(void);
static void show_timed_row(const u32 *compares);

// Everything that can be sensed; the host writes it.

typedef struct {
  double mg[3];        // acceleration along the micro:bit's axes
  double field_nt[3];  // magnetic field
  double temperature_c;
  double volts[64];    // at pins, if set
  u64 has_volts;
  i32 light, sound;
  u32 logo_touched, pressed;
} World;

static World world;
APART static double volts_at(u32 analog_input, u32 nth);

// The serial lines (serial.c), the I2C bus (i2c.c) and its devices.

static void attach_serial(void);
static void clear_lines(void);
static void count_line(u32 number, u32 *in, u32 *out);
APART static void attach_bus_master(u32 base);

typedef struct {
  u8 address;
  void (*write)(void *self, const u8 *data, u32 size);
  void (*read)(void *self, u8 *data, u32 size);
  void *self;
} BusDevice;

static BusDevice bus_devices[4];
static u32 bus_device_count;
static void connect_sensors(void);
static void reset_sensors(void);
static void connect_interface_chip(void);
static void reset_interface_chip(bool forget);
static void drive_sensor_pins(void);
static bool interface_chip_asserts(void);
static i64 next_answer(void);

// Flash (flash.c), analog (analog.c), radio (radio.c), the rest (system.c), chance (chance.c).

static void attach_nvmc(void);
static u32 flash_busy(void);
static void store_to_flash(u32 address, u32 size, u32 value);
static bool has_stores(void);
static void take_stores(void);
static void attach_adc(void);
static void attach_saadc(void);
APART static void attach_pwm(u32 base);
static bool pwm_drives(u32 pin, bool *is_high, double *hz, double *duty);
static const Oscillation *pwm_sound(void);
static void attach_radio(void);
APART static void fall_silent(void);
static void attach_system_control(void);
static void attach_clock(u32 reason);
static void attach_rng(void);
static void attach_temp(void);
APART static void attach_egu(u32 base);
static void attach_rtc(u32 base);
APART static u32 random_word(void);
static double random_share(void);

#endif
