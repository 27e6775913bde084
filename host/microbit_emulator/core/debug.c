// The chip as a debugger sees it through the debug port: memory, registers, the core's own.
//
// Modelled: halt, resume, a single step, core registers, vector catch at reset, BKPT, lock-up,
// writes to flash as NVMC allows. Not modelled: breakpoints, watchpoints, access while NVMC is
// busy (a write to flash takes effect at once).
//
// Source: ARMv7-M Architecture Reference Manual (DDI 0403), C1.
#include "core.h"

enum {
  DFSR = 0xe000ed30, DHCSR = 0xe000edf0, DCRSR = 0xe000edf4, DCRDR = 0xe000edf8,
  DEMCR = 0xe000edfc, AIRCR_ADDRESS = 0xe000ed0c,
  DBGKEY = 0xa05f, C_DEBUGEN = 1 << 0, C_HALT = 1 << 1, C_STEP = 1 << 2, S_REGRDY = 1 << 16,
  S_HALT = 1 << 17, S_SLEEP = 1 << 18, S_LOCKUP = 1 << 19, S_RESET_ST = 1 << 25,
  VC_CORERESET = 1 << 0, REG_WRITE = 1 << 16,
};

static u32 dcrdr, demcr;

// A core register by its number in DCRSR: R0 to R15, XPSR, MSP, PSP, then the masks in one.
u32 EXPORT(core_register)(u32 number) {
  if (number < 16) return cpu.r[number];
  if (number == 16) return flags() | XPSR_THUMB | cpu.ipsr;
  if (number == 17 || number == 18) return read_special(number - 9, 0);
  if (number == 20)
    return cpu.control << 24 | cpu.faultmask << 16 | cpu.basepri << 8 | cpu.primask;
  return number == 33 ? cpu.fpscr : number >= 64 && number < 96 ? cpu.s[number - 64] : 0;
}

void EXPORT(set_core_register)(u32 number, u32 new) {
  if (number < 16) cpu.r[number] = number == 15 ? new & ~1u : new;
  else if (number == 16) {
    set_flags(new);
    cpu.q = new >> 27 & 1;
    cpu.ge = new >> 16 & 15;
    cpu.ipsr = new & 0x1ff;
  } else if (number == 17 || number == 18) write_special(number - 9, new);
  else if (number == 20) {
    cpu.primask = new & 1;
    cpu.basepri = new >> 8 & 0xff;
    cpu.faultmask = new >> 16 & 1;
  } else if (number == 33) cpu.fpscr = new;
  else if (number >= 64 && number < 96) cpu.s[number - 64] = new;
}

static u32 halting_status(void) {
  u32 status = S_REGRDY;
  if (run_state.debugged) status |= C_DEBUGEN;
  if (run_state.halted) status |= S_HALT | C_HALT;
  if (run_state.asleep) status |= S_SLEEP;
  if (run_state.locked_up) status |= S_LOCKUP;
  if (run_state.was_reset) status |= S_RESET_ST;
  run_state.was_reset = false;
  return status;
}

static void control_halting(u32 new) {
  if (new >> 16 != DBGKEY) return;
  run_state.debugged = new & C_DEBUGEN;
  run_state.halted = run_state.debugged && new & C_HALT;
  if (run_state.halted) run_state.locked_up = false;
  if (run_state.debugged && new & C_STEP && !run_state.halted) run_state.steps = true;
}

static void write_flash_word(u32 address, u32 new) {
  u8 *to = memory_at(address, 4);
  u32 word;
  copy(&word, to, 4);
  word &= new;
  if (*value(page_at(NVMC), NVMC_CONFIG) == WRITE_ENABLED) copy(to, &word, 4);
}

// Read a word as a debugger does.
u32 EXPORT(debug_read)(u32 address) {
  u32 word = 0;
  switch (address) {
    case DHCSR: return halting_status();
    case DCRDR: return dcrdr;
    case DEMCR: return demcr;
    case DFSR: return 0;
  }
  if (!memory_at(address, 4)) return bus_read(address, 4);
  copy_out(address, (u8 *)&word, 4);
  return word;
}

// Write a word as a debugger does.
void EXPORT(debug_write)(u32 address, u32 new) {
  switch (address) {
    case DHCSR: control_halting(new); break;
    case DCRDR: dcrdr = new; break;
    case DCRSR:
      if (new & REG_WRITE) set_core_register(new & 0x7f, dcrdr);
      else dcrdr = core_register(new & 0x7f);
      break;
    case DEMCR:
      demcr = new;
      run_state.halt_at_reset = new & VC_CORERESET;
      break;
    case DFSR: break;
    case AIRCR_ADDRESS:
      if (new >> 16 == VECTKEY && new & SYSRESETREQ) start_chip(4, true);
      break;
    default:
      if (address >= RAM && memory_at(address, 4)) copy_in(address, (const u8 *)&new, 4);
      else if (memory_at(address, 4)) write_flash_word(address, new);
      else bus_write(address, 4, new);
  }
  update_status();
}

// Let faults lock the core up, as on a board, instead of ending the run.
void EXPORT(lock_up_at_faults)(u32 locks_up) { run_state.locks_up = locks_up; }
