// Time, the timeline, interrupts (NVIC), exceptions, sleep, and the loop that runs it all.
//
// The CPU runs in slices: up to the next event on the timeline, or until something asks it to stop.
// It does not matter where in a slice a run ends, so a run can be cut into steps of any size.
// When interrupts are unmasked while one is pending, it is taken at the next multiple of 48 cycles,
// as in the emulator before this core, which could not look more often: so the traces are the same.
//
// Modelled: priorities, nesting, both stacks, frames with room for floating-point registers, WFI,
// WFE and its event register, BASEPRI. Not modelled: tail-chaining, faults (they end the run), the
// time that an exception takes.
//
// Source: ARMv6-M and ARMv7-M Architecture Reference Manuals, "Exception model".
#include "core.h"

// The timeline.

enum { MAX_DEVICES = 80 };

static Device *devices[MAX_DEVICES];
static u32 device_count;
static u64 last_order;
static i64 soonest;          // the earliest time at which a device acts
static bool soonest_is_known;

static i64 now(void) { return run_state.base + cpu.counter; }

static void clear_timeline(void) {
  device_count = 0;
  soonest_is_known = false;
}

static void add_device(Device *device, void (*act)(void *), void *owner) {
  device->due = NEVER;
  device->act = act;
  device->owner = owner;
  if (device_count < MAX_DEVICES) devices[device_count++] = device;
}

// Let a device act at a time, which replaces its earlier one.
static void schedule(Device *device, i64 due) {
  if (due == device->due) return;
  if (device->due == soonest) soonest_is_known = false;
  device->due = due;
  if (due >= NEVER) return;
  device->order = ++last_order;
  if (due < soonest) soonest = due;
  i64 left = due - run_state.base;
  if (left < cpu.limit) cpu.limit = (u32)most(left, cpu.counter);
}

static i64 next_due(void) {
  if (!soonest_is_known) {
    soonest = NEVER;
    for (u32 at = 0; at < device_count; at++) soonest = least(soonest, devices[at]->due);
    soonest_is_known = true;
  }
  return soonest;
}

static void act_next(void) {
  Device *next = NULL;
  i64 due = next_due();
  for (u32 at = 0; at < device_count; at++) {
    Device *device = devices[at];
    if (device->due == due && (!next || device->order < next->order)) next = device;
  }
  next->due = NEVER;
  soonest_is_known = false;
  run_state.polling = false;
  run_state.look_at_mask = 0;
  next->act(next->owner);
}

// End the slice before its next instruction, and check the interrupt mask again.
static void halt_slice(void) {
  cpu.limit = cpu.counter;
  run_state.look_at_mask = 0;
}

// End the run early; the first reason counts, but for the end of all.
static void stop_for(u32 reason, u32 what, u32 address) {
  if (reason == STOPPED && run_state.locks_up && what >= NOTHING_THERE) {
    run_state.locked_up = true;
  } else if (!status.reason || (reason == STOPPED && status.reason != STOPPED)) {
    status.reason = reason;
    status.what = what;
    status.address = address;
    status.pc = cpu.at;
  }
  halt_slice();
}

// Interrupts.

enum {
  FIRST_IRQ = 16, SVCALL = 11, IDLE_PRIORITY = 256, MASK_LOOK = 48,
  // Chosen: CODAL's panic masks interrupts for ever; nothing else in the firmwares does for so long.
  PANIC_US = 200000,
};

static void reset_nvic(void) {
  fill(&nvic, 0, sizeof nvic);
  nvic.priority = IDLE_PRIORITY;
}

static void set_pending(u64 irqs) {
  nvic.pending |= irqs;
  if (irqs & nvic.enabled) halt_slice();
}

// Raise a peripheral's interrupt line, which makes it pending.
static void raise_line(u32 irq) {
  u64 bit = 1ull << irq;
  if (nvic.lines & bit) return;
  nvic.lines |= bit;
  set_pending(bit);
}

static void lower_line(u32 irq) { nvic.lines &= ~(1ull << irq); }

static void enable_irqs(u64 irqs) {
  nvic.enabled |= irqs;
  u64 muted = irqs & nvic.muted;
  if (muted) {
    nvic.muted &= ~muted;
    unmute_timers(muted);
  }
  if (nvic.pending & irqs) halt_slice();
}

// Clear pending interrupts, except those whose line is still high.
static void clear_pending(u64 irqs) {
  nvic.pending = (nvic.pending & ~irqs) | (nvic.lines & irqs);
}

// The most urgent pending interrupt, or 0, and its priority.
static u32 most_urgent(i32 *priority) {
  u32 best = 0;
  *priority = IDLE_PRIORITY;
  for (u64 waiting = nvic.pending & nvic.enabled; waiting; waiting &= waiting - 1) {
    u32 exception = FIRST_IRQ + (u32)__builtin_ctzll(waiting);
    if (nvic.priorities[exception] < *priority) {
      *priority = nvic.priorities[exception];
      best = exception;
    }
  }
  return best;
}

// Exceptions and their frames: R0-R3, R12, LR, PC, XPSR, on the stack of the interrupted code.

enum { FRAME_SIZE = 32, FP_FRAME_SIZE = 104, XPSR_ALIGNED = 1 << 9, XPSR_THUMB = 1 << 24,
       NO_FP_FRAME = 1 << 4, ON_PROCESS_STACK = 1 << 2, MAX_FP_SAVED = 64 };

// A frame has room for the floating-point registers if the interrupted code used them. Their
// values are kept here, and are restored only if the handler used them.
static struct { u32 s[16], fpscr; } fp_saved[MAX_FP_SAVED];
static u32 fp_saved_count;

APART static void enter_exception(u32 exception) {
  u32 *r = cpu.r, in_thread = cpu.control & (kind->is_v2 ? FPCA | SPSEL : SPSEL);
  u32 xpsr = flags() | XPSR_THUMB | cpu.ipsr;
  u32 sp = r[13] - (in_thread & FPCA ? FP_FRAME_SIZE : FRAME_SIZE);
  if (sp & 4) {
    sp -= 4;
    xpsr |= XPSR_ALIGNED;
  }
  u32 frame[8] = {r[0], r[1], r[2], r[3], r[12], r[14], r[15], xpsr};
  copy_in(sp, (const u8 *)frame, FRAME_SIZE);
  u32 link = nvic.depth ? 0xfffffff1 : 0xfffffff9;
  if (in_thread & FPCA) {
    link &= ~(u32)NO_FP_FRAME;
    if (fp_saved_count < MAX_FP_SAVED) {
      copy(fp_saved[fp_saved_count].s, cpu.s, sizeof fp_saved->s);
      fp_saved[fp_saved_count].fpscr = cpu.fpscr;
    }
    fp_saved_count++;
  }
  r[13] = sp;
  if (in_thread & SPSEL) {
    link |= ON_PROCESS_STACK;
    swap_stacks();
  }
  r[14] = link;
  cpu.ipsr = exception;
  cpu.control ^= in_thread;
  if (nvic.depth < COUNT(nvic.active)) {
    nvic.active[nvic.depth] = (u8)exception;
    nvic.outer[nvic.depth++] = (u16)nvic.priority;
  }
  nvic.priority = (i32)least(nvic.priority, nvic.priorities[exception]);
  if (exception >= FIRST_IRQ) nvic.pending &= ~(1ull << (exception - FIRST_IRQ));
  run_state.look_at_mask = 0;
  run_state.event_register = true;
  u32 vector = 0;
  copy_out(run_state.vector_table + 4 * exception, (u8 *)&vector, 4);
  r[15] = vector & ~1u;
}

// Return from an exception. The slice goes on, unless another exception is pending.
static void leave_exception(void) {
  if (nvic.depth) {
    u32 exception = nvic.active[--nvic.depth];
    nvic.priority = nvic.outer[nvic.depth];
    if (exception >= FIRST_IRQ)  // pending again if its line is still high
      nvic.pending |= nvic.lines & 1ull << (exception - FIRST_IRQ);
  }
  bool has_fp_frame = kind->is_v2 && !(cpu.link & NO_FP_FRAME);
  bool on_process_stack = cpu.link & ON_PROCESS_STACK;
  if (on_process_stack) swap_stacks();
  u32 *r = cpu.r, sp = r[13], frame[8];
  copy_out(sp, (u8 *)frame, FRAME_SIZE);
  for (u32 at = 0; at < 4; at++) r[at] = frame[at];
  r[12] = frame[4];
  r[14] = frame[5];
  r[15] = frame[6] & ~1u;
  u32 xpsr = frame[7];
  if (has_fp_frame && fp_saved_count) {
    fp_saved_count--;
    if (cpu.control & FPCA && fp_saved_count < MAX_FP_SAVED) {  // the handler used them
      copy(cpu.s, fp_saved[fp_saved_count].s, sizeof fp_saved->s);
      cpu.fpscr = fp_saved[fp_saved_count].fpscr;
    }
  }
  r[13] = sp + (has_fp_frame ? FP_FRAME_SIZE : FRAME_SIZE) + (xpsr & XPSR_ALIGNED ? 4 : 0);
  cpu.control &= ~(u32)(FPCA | SPSEL);
  cpu.control |= (has_fp_frame ? FPCA : 0) | (on_process_stack ? SPSEL : 0);
  set_flags(xpsr);
  cpu.q = xpsr >> 27 & 1;
  cpu.ge = xpsr >> 16 & 15;
  cpu.ipsr = xpsr & 0x1ff;
  run_state.look_at_mask = 0;
  run_state.event_register = true;
  if (nvic.pending & nvic.enabled) halt_slice();
}

static void take_exception(void) {
  i32 priority;
  u32 exception = most_urgent(&priority);
  if (priority >= nvic.priority) return;
  if (cpu.primask || (cpu.basepri && priority >= (i32)cpu.basepri))
    run_state.look_at_mask = run_state.base - run_state.base % MASK_LOOK + MASK_LOOK;
  else enter_exception(exception);
}

// Running.

static void reset_processor(void) {
  fill(&cpu, 0, sizeof cpu);
  copy_out(0, (u8 *)&cpu.r[13], 4);
  copy_out(4, (u8 *)&cpu.r[15], 4);
  cpu.r[15] &= ~1u;
  cpu.r[14] = 0xffffffff;
  cpu.nz = 1;
  fp_saved_count = 0;
  run_state.vector_table = 0;
  run_state.stalled = run_state.polling = run_state.asleep = run_state.wants_reset = false;
  run_state.event_register = true;
  run_state.look_at_mask = 0;
  run_state.masked_since = run_state.base;
  run_state.halted = run_state.halt_at_reset;
  run_state.locked_up = run_state.steps = false;
  run_state.was_reset = true;
}

APART static void start_chip(u32 reason, bool keep_ram);

static void after_stop(u32 why) {
  u32 pc = cpu.r[15];
  switch (why) {
    case AT_SVC: enter_exception(SVCALL); break;
    case AT_WFI: run_state.asleep = true; break;
    case AT_WFE:
      if (run_state.event_register) run_state.event_register = false;
      else run_state.asleep = true;
      break;
    case AT_BKPT:
      if (run_state.debugged) { run_state.halted = true; break; }
      stop_for(STOPPED, BREAKPOINT, pc);
      break;
    case AT_UNDEFINED: stop_for(STOPPED, UNDEFINED, pc); break;
  }
}

static void run_slice(i64 size) {
  cpu.limit = run_state.steps ? 1 : (u32)least(size, 0x7fffffff);
  cpu.counter = 0;
  u32 why = kind->is_v2 ? execute_m4() : execute_m0();
  run_state.base += cpu.counter;
  run_state.instructions += cpu.counter;
  cpu.counter = 0;
  cpu.limit = 0;
  if (!cpu.primask) run_state.masked_since = run_state.base;
  if (run_state.steps) run_state.halted = true;
  run_state.steps = false;
  if (has_stores()) take_stores();
  if (run_state.wants_reset) {
    run_state.wants_reset = false;
    start_chip(4, true);
    return;
  }
  after_stop(why);
}

static bool is_waiting(void) {
  bool woken = nvic.pending & nvic.enabled;
  return run_state.halted || run_state.locked_up || run_state.stalled || run_state.polling ||
         (run_state.asleep && !woken);
}

// Run up to this time, without what is due then. Running a sleeping CPU is quick. Returns why it
// ended: 0 for the time.
u32 EXPORT(run)(double end_time) {
  i64 end = (i64)end_time;
  status.reason = RAN;
  while (run_state.base < end && !status.reason) {
    i64 due = next_due();
    if (due <= run_state.base) {
      act_next();
      continue;
    }
    i64 target = least(due, end);
    if (is_waiting()) {
      run_state.base = run_state.masked_since = target;
      continue;
    }
    if (run_state.asleep) run_state.asleep = run_state.event_register = false;
    if (nvic.pending & nvic.enabled) {
      if (run_state.base >= run_state.look_at_mask) take_exception();
      if (run_state.look_at_mask > run_state.base) target = least(target, run_state.look_at_mask);
    }
    run_slice(target - run_state.base);
  }
  update_status();
  return status.reason;
}

// Let everything act that is due before this time, which a run has reached.
u32 EXPORT(settle)(double time) {
  status.reason = RAN;
  while (next_due() < (i64)time && !status.reason) act_next();
  update_status();
  return status.reason;
}

static void update_status(void) {
  i64 idle_until = is_waiting() ? most(run_state.base, next_due()) : run_state.base;
  status.now = (double)run_state.base;
  status.idle_until = (double)idle_until;  // before this, it does nothing
  status.instructions = (double)run_state.instructions;
  status.has_power = run_state.has_power;
  status.halted = run_state.halted;
  status.locked_up = run_state.locked_up;
  status.asleep = run_state.asleep;
  status.flash_busy = flash_busy();
  status.has_panicked = run_state.base - run_state.masked_since > cycles(PANIC_US);
  for (u32 line = 0; line < 2; line++) count_line(line, &status.in_count[line], &status.out_count[line]);
}

void *EXPORT(status_at)(void) { return &status; }
