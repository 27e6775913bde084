// The core's own registers in nRF51 and nRF52, and small peripherals.
//
// SystemControl: NVIC, reset, vector table. Not modelled: PendSV, SysTick, sleep on exit, the MPU.
// CLOCK and POWER: clocks start at once; SYSTEMOFF stops everything until a reset. Not modelled:
// calibration, brown-out warnings, the power of RAM blocks, USB power. RNG: random numbers from the
// seed, of which one is always ready. TEMP: quarters of a degree. EGU: events that software or PPI
// triggers, and the software interrupts with the same numbers. RTC1: its tasks do nothing.
//
// Sources: ARMv7-M Architecture Reference Manual (DDI 0403), B3; nRF51 Series Reference Manual 3.0;
// nRF52833 Product Specification 1.3.
#include "core.h"

enum {
  ISER = 0x100, ICER = 0x180, ISPR = 0x200, ICPR = 0x280, IPR = 0x400, IPR_END = 0x500,
  SHPR = 0xd18, SHPR_END = 0xd24, CPUID = 0xd00, ICSR = 0xd04, VTOR = 0xd08, AIRCR = 0xd0c,
  SCR = 0xd10, FIRST_SHPR = 4, VECTKEY = 0x05fa, SYSRESETREQ = 1 << 2,
};

// The exception of a register's first priority; 0 if it has no priorities.
static u32 exception_at(u32 offset) {
  if (offset >= IPR && offset < IPR_END) return FIRST_IRQ + offset - IPR;
  return offset >= SHPR && offset < SHPR_END ? FIRST_SHPR + offset - SHPR : 0;
}

static u32 read_system(Page *page, u32 offset) {
  u32 exception = exception_at(offset), shift = offset & 4 ? 32 : 0, word = 0;
  if (exception && exception <= 252) {
    copy(&word, nvic.priorities + exception, 4);
    return word;
  }
  switch (offset & ~4u) {
    case ISER: case ICER: return (u32)(nvic.enabled >> shift);
    case ISPR: case ICPR: return (u32)(nvic.pending >> shift);
  }
  return offset == VTOR ? run_state.vector_table : read_register(page, offset);
}

static void write_system(Page *page, u32 offset, u32 size, u32 new) {
  u32 exception = exception_at(offset);
  u64 irqs = (u64)new << (offset & 4 ? 32 : 0);
  if (exception && exception <= 252) {
    copy(nvic.priorities + exception, &new, size);
    return;
  }
  switch (offset & ~4u) {
    case ISER: enable_irqs(irqs); return;
    case ICER: nvic.enabled &= ~irqs; return;
    case ISPR: set_pending(irqs); return;
    case ICPR: clear_pending(irqs); return;
  }
  switch (offset) {
    case ICSR: stop_for(STOPPED, WRITES_REGISTER, page->base + ICSR); return;
    case VTOR: run_state.vector_table = new & ~0x7fu; return;
    case AIRCR:
      if (new >> 16 == VECTKEY && new & SYSRESETREQ) {
        run_state.wants_reset = true;
        halt_slice();
      }
      return;
    default: write_register(page, offset, size, new);
  }
}

static void attach_system_control(void) {
  Page *page = attach(SYSTEM_BASE);
  page->read = read_system;
  page->write = write_system;
  model(page, CPUID, CPUID);
  model(page, AIRCR, SCR);
  *value(page, CPUID) = kind->cpuid;
  *value(page, AIRCR) = 0xfa050000;
}

// CLOCK and POWER.

enum {
  CLOCK = 0x40000000, HFCLKSTART = 0x000, HFCLKSTOP = 0x004, LFCLKSTART = 0x008,
  LFCLKSTOP = 0x00c, HFCLKSTARTED = 0x100, LFCLKSTARTED = 0x104, RESETREAS = 0x400,
  HFCLKSTAT = 0x40c, LFCLKSTAT = 0x418, SYSTEMOFF = 0x500, GPREGRET = 0x51c, GPREGRET2 = 0x520,
  RUNNING_ON_CRYSTAL = 1 << 16 | 1,
};

static struct { u32 reasons, gpregret, gpregret2; } retained;  // these outlive a reset

static bool clock_task(Page *page, u32 offset) {
  if (offset == HFCLKSTART) set_event(page, HFCLKSTARTED);
  if (offset == LFCLKSTART) set_event(page, LFCLKSTARTED);
  return offset <= LFCLKSTOP;
}

static void write_clock(Page *page, u32 offset, u32 size, u32 new) {
  switch (offset) {
    case RESETREAS: *value(page, RESETREAS) = retained.reasons &= ~new; return;
    case GPREGRET: *value(page, GPREGRET) = retained.gpregret = new; return;
    case GPREGRET2: *value(page, GPREGRET2) = retained.gpregret2 = new; return;
    case SYSTEMOFF:
      if (new) {
        run_state.stalled = true;
        halt_slice();
      }
      return;
    default: write_register(page, offset, size, new);
  }
}

static void attach_clock(u32 reason) {
  Page *page = attach(CLOCK);
  page->write = write_clock;
  page->task = clock_task;
  model(page, HFCLKSTARTED, LFCLKSTARTED);
  model(page, RESETREAS, RESETREAS);
  model(page, HFCLKSTAT, HFCLKSTAT);
  model(page, LFCLKSTAT, LFCLKSTAT);
  model(page, GPREGRET, GPREGRET2);
  retained.reasons |= reason;  // the reasons for resets add up
  *value(page, RESETREAS) = retained.reasons;
  *value(page, GPREGRET) = retained.gpregret;
  *value(page, GPREGRET2) = retained.gpregret2;
  *value(page, HFCLKSTAT) = *value(page, LFCLKSTAT) = RUNNING_ON_CRYSTAL;
}

static void forget_retained(void) { fill(&retained, 0, sizeof retained); }

// RNG.

enum { RNG = 0x4000d000, RNG_START = 0x000, RNG_STOP = 0x004, VALRDY = 0x100, RNG_CONFIG = 0x504,
       RNG_VALUE = 0x508 };

static bool rng_task(Page *page, u32 offset) {
  (void)page;
  return offset == RNG_START || offset == RNG_STOP;
}

static u32 read_rng(Page *page, u32 offset) {
  if (offset == VALRDY) return 1;
  return offset == RNG_VALUE ? random_word() >> 24 : read_register(page, offset);
}

static void attach_rng(void) {
  Page *page = attach(RNG);
  page->read = read_rng;
  page->task = rng_task;
  model(page, VALRDY, VALRDY);
  model(page, SHORTS, SHORTS);
  model(page, RNG_CONFIG, RNG_CONFIG);
}

// TEMP.

enum { TEMP = 0x4000c000, TEMP_START = 0x000, TEMP_STOP = 0x004, DATARDY = 0x100,
       TEMP_VALUE = 0x508, TEMP_US = 36 };

static void temp_measured(Page *page) { set_event(page, DATARDY); }

static bool temp_task(Page *page, u32 offset) {
  if (offset == TEMP_START) begin(page, cycles(TEMP_US), temp_measured);
  return offset == TEMP_START || offset == TEMP_STOP;
}

static u32 read_temp(Page *page, u32 offset) {
  if (offset == TEMP_VALUE) return (u32)rounded(4 * world.temperature_c);
  return read_register(page, offset);
}

static void attach_temp(void) {
  Page *page = attach_slow(TEMP);
  page->read = read_temp;
  page->task = temp_task;
  model(page, DATARDY, DATARDY);
}

// EGU and RTC1.

enum { TRIGGERED = 0x100, EGU_CHANNELS = 16 };

static bool egu_task(Page *page, u32 offset) {
  if (offset >= 4 * EGU_CHANNELS || offset & 3) return false;
  set_event(page, TRIGGERED + offset);
  return true;
}

static void attach_egu(u32 base) {
  Page *page = attach(base);
  page->task = egu_task;
  model(page, TRIGGERED, TRIGGERED + 4 * (EGU_CHANNELS - 1));
}

static bool rtc_task(Page *page, u32 offset) {
  (void)page;
  return offset <= 4;  // CODAL starts and stops it when it sleeps
}

static void attach_rtc(u32 base) { attach(base)->task = rtc_task; }
