// The processor: ARMv6-M (Cortex-M0), and ARMv7E-M with single-precision floats (Cortex-M4F).
//
// One instruction takes one cycle. Skipped instructions of an IT block take none, and a slice does
// not end inside such a block. Exceptions are in exceptions.c. Not modelled: double precision,
// FPSCR's cumulative flags and rounding modes, exclusive access (STREX always succeeds), unaligned
// accesses (they work on both processors).
//
// Source: ARMv6-M and ARMv7-M Architecture Reference Manuals (DDI 0419, DDI 0403).
#include "core.h"

static Processor cpu;
static u32 why;  // the slice ended

enum { WIDE_FROM = 0xe800 };  // the first half of an instruction of 32 bits
enum { COUNT_DOWN = 0x3801, BNE_BACK = 0xd1fd };  // `subs r0, #1`, and `bne` to the one before it

enum {
  UNDEFINED_OP,
  LSL_IMMEDIATE, LSR_IMMEDIATE, ASR_IMMEDIATE, ADD_REGISTER, SUB_REGISTER, ADD_SHORT, SUB_SHORT,
  MOV_IMMEDIATE, CMP_IMMEDIATE, ADD_IMMEDIATE, SUB_IMMEDIATE,
  AND, EOR, LSL, LSR, ASR, ADC, SBC, ROR, TST, RSB, CMP, CMN, ORR, MUL, BIC, MVN,
  ADD_HIGH, CMP_HIGH, MOV_HIGH, BX, LDR_LITERAL,
  STR_REGISTER, STRH_REGISTER, STRB_REGISTER, LDRSB_REGISTER,
  LDR_REGISTER, LDRH_REGISTER, LDRB_REGISTER, LDRSH_REGISTER,
  STR, LDR, STRB, LDRB, STRH, LDRH, STR_STACK, LDR_STACK, ADR, ADD_TO_STACK,
  GROW_STACK, SHRINK_STACK, SXTH, SXTB, UXTH, UXTB, PUSH, POP, CPS, REV, REV16, REVSH,
  BKPT, HINT_OR_IT, COMPARE_BRANCH, STM, LDM,
  BEQ, BNE, BCS, BCC, BMI, BPL, BVS, BVC, BHI, BLS, BGE, BLT, BGT, BLE, SVC, B, BL,
  // of 32 bits: wide.c
  STREX, LDREX, STREX_SHORT, LDREX_SHORT_OR_TABLE, DUAL, STM_WIDE, LDM_WIDE, PROCESS_SHIFTED,
  FLOAT, PROCESS_IMMEDIATE, PLAIN_IMMEDIATE, SINGLE, SINGLE_FAR, BY_REGISTER, MULTIPLY,
  MULTIPLY_HALVES, MULTIPLY_PAIRS, MULTIPLY_HIGH, DIFFERENCES, MULTIPLY_LONG, MULTIPLY_LONG_PAIRS,
  SDIV, UDIV,
};

// The operations by the upper twelve bits of an instruction: up to `first`, exclusive, of the next.
static const struct { u16 first; u8 operation; } encodings[] = {
  {0x0000, LSL_IMMEDIATE}, {0x0800, LSR_IMMEDIATE}, {0x1000, ASR_IMMEDIATE},
  {0x1800, ADD_REGISTER}, {0x1a00, SUB_REGISTER}, {0x1c00, ADD_SHORT}, {0x1e00, SUB_SHORT},
  {0x2000, MOV_IMMEDIATE}, {0x2800, CMP_IMMEDIATE}, {0x3000, ADD_IMMEDIATE},
  {0x3800, SUB_IMMEDIATE}, {0x4000, AND}, {0x4040, EOR}, {0x4080, LSL}, {0x40c0, LSR},
  {0x4100, ASR}, {0x4140, ADC}, {0x4180, SBC}, {0x41c0, ROR}, {0x4200, TST}, {0x4240, RSB},
  {0x4280, CMP}, {0x42c0, CMN}, {0x4300, ORR}, {0x4340, MUL}, {0x4380, BIC}, {0x43c0, MVN},
  {0x4400, ADD_HIGH}, {0x4500, CMP_HIGH}, {0x4600, MOV_HIGH}, {0x4700, BX},
  {0x4800, LDR_LITERAL}, {0x5000, STR_REGISTER}, {0x5200, STRH_REGISTER},
  {0x5400, STRB_REGISTER}, {0x5600, LDRSB_REGISTER}, {0x5800, LDR_REGISTER},
  {0x5a00, LDRH_REGISTER}, {0x5c00, LDRB_REGISTER}, {0x5e00, LDRSH_REGISTER}, {0x6000, STR},
  {0x6800, LDR}, {0x7000, STRB}, {0x7800, LDRB}, {0x8000, STRH}, {0x8800, LDRH},
  {0x9000, STR_STACK}, {0x9800, LDR_STACK}, {0xa000, ADR}, {0xa800, ADD_TO_STACK},
  {0xb000, GROW_STACK}, {0xb080, SHRINK_STACK}, {0xb100, COMPARE_BRANCH}, {0xb200, SXTH},
  {0xb240, SXTB}, {0xb280, UXTH}, {0xb2c0, UXTB}, {0xb300, COMPARE_BRANCH}, {0xb400, PUSH},
  {0xb600, UNDEFINED_OP}, {0xb640, CPS}, {0xb680, UNDEFINED_OP}, {0xb900, COMPARE_BRANCH},
  {0xba00, REV}, {0xba40, REV16}, {0xba80, UNDEFINED_OP}, {0xbac0, REVSH},
  {0xbb00, COMPARE_BRANCH}, {0xbc00, POP}, {0xbe00, BKPT}, {0xbf00, HINT_OR_IT}, {0xc000, STM},
  {0xc800, LDM}, {0xd000, BEQ}, {0xd100, BNE}, {0xd200, BCS}, {0xd300, BCC}, {0xd400, BMI},
  {0xd500, BPL}, {0xd600, BVS}, {0xd700, BVC}, {0xd800, BHI}, {0xd900, BLS}, {0xda00, BGE},
  {0xdb00, BLT}, {0xdc00, BGT}, {0xdd00, BLE}, {0xde00, UNDEFINED_OP}, {0xdf00, SVC},
  {0xe000, B}, {0xe800, UNDEFINED_OP}, {0xe840, STREX}, {0xe850, LDREX}, {0xe860, DUAL},
  {0xe880, STM_WIDE}, {0xe890, LDM_WIDE}, {0xe8a0, STM_WIDE}, {0xe8b0, LDM_WIDE},
  {0xe8c0, STREX_SHORT}, {0xe8d0, LDREX_SHORT_OR_TABLE}, {0xe8e0, DUAL}, {0xe900, STM_WIDE},
  {0xe910, LDM_WIDE}, {0xe920, STM_WIDE}, {0xe930, LDM_WIDE}, {0xe940, DUAL},
  {0xe980, UNDEFINED_OP}, {0xe9c0, DUAL}, {0xea00, PROCESS_SHIFTED}, {0xec00, FLOAT},
  {0xf000, PROCESS_IMMEDIATE}, {0xf200, PLAIN_IMMEDIATE}, {0xf400, PROCESS_IMMEDIATE},
  {0xf600, PLAIN_IMMEDIATE}, {0xf800, SINGLE}, {0xf860, UNDEFINED_OP}, {0xf880, SINGLE_FAR},
  {0xf8e0, UNDEFINED_OP}, {0xf910, SINGLE}, {0xf920, UNDEFINED_OP}, {0xf930, SINGLE},
  {0xf940, UNDEFINED_OP}, {0xf990, SINGLE_FAR}, {0xf9a0, UNDEFINED_OP}, {0xf9b0, SINGLE_FAR},
  {0xf9c0, UNDEFINED_OP}, {0xfa00, BY_REGISTER}, {0xfb00, MULTIPLY}, {0xfb10, MULTIPLY_HALVES},
  {0xfb20, MULTIPLY_PAIRS}, {0xfb30, MULTIPLY_HALVES}, {0xfb40, MULTIPLY_PAIRS},
  {0xfb50, MULTIPLY_HIGH}, {0xfb70, DIFFERENCES}, {0xfb80, MULTIPLY_LONG}, {0xfb90, SDIV},
  {0xfba0, MULTIPLY_LONG}, {0xfbb0, UDIV}, {0xfbc0, MULTIPLY_LONG},
  {0xfbd0, MULTIPLY_LONG_PAIRS}, {0xfbe0, MULTIPLY_LONG}, {0xfbf0, UNDEFINED_OP},
};

static u8 operations[4096];

// The Cortex-M0's instructions of 32 bits are few: BL decodes them.
static void fill_operations(void) {
  for (u32 at = 0, nth = 0; at < COUNT(operations); at++) {
    if (nth + 1 < COUNT(encodings) && encodings[nth + 1].first == at << 4) nth++;
    bool is_bl = at >= WIDE_FROM >> 4 && !kind->is_v2;
    operations[at] = is_bl ? BL : encodings[nth].operation;
  }
}

static bool holds(u32 condition) {
  bool result;
  switch (condition >> 1) {
    case 0: result = cpu.nz == 0; break;
    case 1: result = cpu.c; break;
    case 2: result = cpu.nz < 0; break;
    case 3: result = cpu.v < 0; break;
    case 4: result = cpu.c && cpu.nz; break;
    case 5: result = (cpu.nz ^ cpu.v) >= 0; break;
    case 6: result = (cpu.nz ^ cpu.v) >= 0 && cpu.nz; break;
    default: return true;
  }
  return result ^ (condition & 1);
}

static inline u32 rotate(u32 value, u32 by) { return value >> (by & 31) | value << (-by & 31); }

static u32 reverse_bits(u32 value) {
  u32 result = 0;
  for (u32 bit = 0; bit < 32; bit++, value >>= 1) result = result << 1 | (value & 1);
  return result;
}

// The XPSR, and what of it MSR changes.
static u32 flags(void) {
  return ((u32)cpu.nz & 1u << 31) | (u32)!cpu.nz << 30 | cpu.c << 29 | (u32)(cpu.v < 0) << 28 |
         cpu.q << 27 | cpu.ge << 16;
}

static void set_flags(u32 xpsr) {
  cpu.nz = xpsr >> 30 & 1 ? 0 : (i32)xpsr < 0 ? -1 : 1;
  cpu.c = xpsr >> 29 & 1;
  cpu.v = (i32)(xpsr << 3);
}

static u32 read_special(u32 number, u32 present_flags) {
  switch (number) {
    case 0: case 1: case 2: case 3: return present_flags | (number & 1 ? cpu.ipsr : 0);
    case 5: case 7: return cpu.ipsr;
    case 8: return cpu.control & SPSEL ? cpu.other_sp : cpu.r[13];
    case 9: return cpu.control & SPSEL ? cpu.r[13] : cpu.other_sp;
    case 16: return cpu.primask;
    case 17: case 18: return cpu.basepri;
    case 19: return cpu.faultmask;
    case 20: return cpu.control;
    default: return 0;
  }
}

// Go on with the other stack: the main one, or that of the process.
static void swap_stacks(void) {
  u32 sp = cpu.r[13];
  cpu.r[13] = cpu.other_sp;
  cpu.other_sp = sp;
}

static void write_special(u32 number, u32 value) {
  switch (number) {
    case 8: if (cpu.control & SPSEL) cpu.other_sp = value & ~3u; else cpu.r[13] = value & ~3u; break;
    case 9: if (cpu.control & SPSEL) cpu.r[13] = value & ~3u; else cpu.other_sp = value & ~3u; break;
    case 16: cpu.primask = value & 1; break;
    case 17: cpu.basepri = value & 0xff; break;
    case 18:
      value &= 0xff;
      if (value && (!cpu.basepri || value < cpu.basepri)) cpu.basepri = value;
      break;
    case 19: cpu.faultmask = value & 1; break;
    case 20:
      if (((cpu.control ^ value) & SPSEL) && !cpu.ipsr) swap_stacks();
      cpu.control = cpu.ipsr ? (cpu.control & SPSEL) | (value & 5) : value & 7;
      break;
  }
}

// The address after a BL or B.W, whose second half is `b`.
static inline u32 branch_target(u32 pc, u32 h, u32 b) {
  u32 sign = (u32)((i32)(h << 21) >> 31);
  u32 j1 = ~(b >> 13 ^ sign) & 1, j2 = ~(b >> 11 ^ sign) & 1;
  return pc + (sign << 24 | j1 << 23 | j2 << 22 | (h & 0x3ff) << 12 | (b & 0x7ff) << 1);
}

// An IT block. Between its instructions, `execute` leaves its inner loop.
static struct {
  bool is_open;
  bool keeps_flags;  // its present instruction would change them outside of a block
  u32 c;
  i32 nz, v;         // the flags that are kept
} block;

static const u8 *code_at(u32 pc) {
  if (pc < kind->flash_size) return flash + pc;
  return pc - RAM < kind->ram_size ? ram + (pc - RAM) : NULL;
}

// Instructions of 16 bits that set flags, except those that only compare, keep them in a block.
static bool keeps_flags(u32 h) {
  u32 operation = operations[h >> 4];
  return operation < ADD_HIGH && operation != CMP_IMMEDIATE && operation != TST &&
         operation != CMP && operation != CMN;
}

// The address of the next instruction in an IT block whose condition holds, which then runs alone;
// or of the first after the block, from which the slice goes on to its limit.
static __attribute__((noinline)) u32 next_in_block(u32 pc, u32 n) {
  if (block.keeps_flags) {
    cpu.nz = block.nz; cpu.c = block.c; cpu.v = block.v;
  }
  block.keeps_flags = false;
  while (cpu.it) {
    const u8 *code = code_at(pc);
    if (!code) break;  // `execute` will stop for it
    u32 h = *(const Half *)code, condition = cpu.it >> 4;
    cpu.it = cpu.it & 7 ? (cpu.it & 0xe0) | (cpu.it << 1 & 0x1f) : 0;
    if (holds(condition)) {
      block.keeps_flags = keeps_flags(h);
      block.nz = cpu.nz; block.c = cpu.c; block.v = cpu.v;
      cpu.stop = n + 1;
      return pc;
    }
    cpu.at = pc;
    pc += h >= WIDE_FROM ? 4 : 2;
  }
  block.is_open = cpu.it;
  cpu.stop = block.is_open ? n + 1 : cpu.limit;
  return pc;
}

// In `execute`: what it keeps in local variables is in `cpu` during an action outside of it.
#define OUTSIDE(action) do { \
  cpu.counter = n; r[15] = pc; action; \
  cpu.stop = is_m4 && block.is_open ? n : cpu.limit; } while (0)
#define LOAD(to, type, size) do { \
  if (a - RAM < ram_size) to = *(type *)(ram + (a - RAM)); \
  else if (a < flash_size) to = *(type *)(flash + a); \
  else OUTSIDE(to = (type)bus_read(a, size)); } while (0)
#define STORE(type, value, size) do { \
  if (a - RAM < ram_size) *(type *)(ram + (a - RAM)) = (type)(value); \
  else OUTSIDE(bus_write(a, size, (type)(value))); } while (0)
typedef i8 SignedByte;
typedef i16 SignedHalf __attribute__((aligned(1), may_alias));

#define ADD(carry) do { \
  u64 sum = (u64)a + b + (carry); \
  result = (u32)sum; cpu.c = (u32)(sum >> 32); cpu.v = (i32)((a ^ result) & (b ^ result)); \
  cpu.nz = (i32)result; } while (0)
#define SHIFT(by, shifted, carry) do { if (by) { cpu.c = (carry); d = (shifted); } } while (0)
#define SECOND_HALF do { \
  const u8 *half = pc < flash_size ? flash + pc : memory_at(pc, 2); \
  if (!half) goto undefined; \
  b = *(const Half *)half; pc += 2; \
  rd = b >> 8 & 15; rt = b >> 12; rm = b & 15; rn = h & 15; } while (0)
#define WIDE if (!is_m4) goto undefined; SECOND_HALF
#define BRANCH(h) pc += (u32)((i32)((h) << 24) >> 23) + 2
#define BRANCH_IF(condition) if (condition) BRANCH(h); break
// The switch costs more than most instructions do. So BEQ or BNE after a comparison goes with it,
// unless the slice ends between them.
#define THEN_BRANCH do { \
  if (n < cpu.stop && pc < flash_size) { \
    u32 next = *(Half *)(flash + pc); \
    if ((next & 0xfe00) == 0xd000) { \
      n++; pc += 2; \
      if ((cpu.nz == 0) == !(next & 0x100)) BRANCH(next); } } } while (0)
// A loop of `subs rN, #1` and `bne` only waits. Of its turns, the last is left to do, or one before
// the slice ends: its SUBS sets the flags.
#define SKIP_TURNS do { \
  const u8 *code = code_at(pc); \
  u32 first = code ? *(const Half *)code : 0; \
  if ((first & 0xf8ff) == COUNT_DOWN && n + 1 < cpu.stop) { \
    u32 *count = &r[first >> 8 & 7], turns = (u32)least((cpu.stop - n - 1) / 2, *count - 1); \
    *count -= turns; n += 2 * turns; } } while (0)
#define RD r[h & 7]
#define RM r[h >> 3 & 7]
#define RN r[h >> 8 & 7]

// Run a slice. Returns why it ended. `is_m4` is known when this is compiled, twice.
//
// Each value that lives through the inner loop costs time with each instruction, because compilers
// of wasm move it between memory and a register. So only `pc` and `n` are local; the flags are in
// `cpu`, and what happens between the instructions of an IT block is outside of the inner loop. One
// switch decides about instructions of 16 and of 32 bits, because each is predicted badly.
static inline __attribute__((always_inline)) u32 execute(const bool is_m4) {
  const u32 flash_size = is_m4 ? 0x80000 : 0x40000, ram_size = is_m4 ? 0x20000 : 0x4000;
  u32 *const r = cpu.r;
  u32 pc = r[15], n = 0;
  why = AT_LIMIT;
  block.is_open = is_m4 && cpu.it;
  block.keeps_flags = false;
  cpu.stop = block.is_open ? 0 : cpu.limit;
inner_loop:
  while (n < cpu.stop) {
    u32 h, a, b, d, result, x, y, u, rd, rt, rm, rn;
    cpu.at = pc;
    if (__builtin_expect(pc < flash_size, 1)) h = *(Half *)(flash + pc);
    else if (pc - RAM < ram_size) h = *(Half *)(ram + (pc - RAM));
    else { OUTSIDE(stop_for(STOPPED, NOTHING_THERE, pc)); goto out; }
    n++;
    pc += 2;
    switch (operations[h >> 4]) {
      case LSL_IMMEDIATE:
        b = h >> 6 & 31; d = RM; SHIFT(b, d << b, d >> (32 - b) & 1); cpu.nz = (i32)(RD = d); break;
      case LSR_IMMEDIATE:
        b = h >> 6 & 31; d = RM;
        if (b) { cpu.c = d >> (b - 1) & 1; d >>= b; } else { cpu.c = d >> 31; d = 0; }
        cpu.nz = (i32)(RD = d); break;
      case ASR_IMMEDIATE:
        b = h >> 6 & 31; d = RM;
        if (b) { cpu.c = d >> (b - 1) & 1; d = (u32)((i32)d >> b); }
        else { cpu.c = d >> 31; d = (u32)((i32)d >> 31); }
        cpu.nz = (i32)(RD = d); break;
      case ADD_REGISTER: a = RM; b = r[h >> 6 & 7]; ADD(0); RD = result; break;
      case SUB_REGISTER: a = RM; b = ~r[h >> 6 & 7]; ADD(1); RD = result; break;
      case ADD_SHORT: a = RM; b = h >> 6 & 7; ADD(0); RD = result; break;
      case SUB_SHORT: a = RM; b = ~(h >> 6 & 7); ADD(1); RD = result; break;
      case MOV_IMMEDIATE: cpu.nz = (i32)(RN = h & 255); break;
      case CMP_IMMEDIATE: a = RN; b = ~(h & 255); ADD(1); THEN_BRANCH; break;
      case ADD_IMMEDIATE: a = RN; b = h & 255; ADD(0); RN = result; break;
      case SUB_IMMEDIATE: a = RN; b = ~(h & 255); ADD(1); RN = result; break;
      case AND: cpu.nz = (i32)(RD &= RM); break;
      case EOR: cpu.nz = (i32)(RD ^= RM); break;
      case LSL:
        b = RM & 255; d = RD;
        SHIFT(b, b > 31 ? 0 : d << b, b > 32 ? 0 : d >> (32 - b & 31) & 1);
        cpu.nz = (i32)(RD = d); break;
      case LSR:
        b = RM & 255; d = RD;
        SHIFT(b, b > 31 ? 0 : d >> b, b > 32 ? 0 : d >> (b - 1 & 31) & 1);
        cpu.nz = (i32)(RD = d); break;
      case ASR:
        b = RM & 255; d = RD;
        SHIFT(b, (u32)((i32)d >> (b > 31 ? 31 : b)), b > 31 ? d >> 31 : d >> (b - 1) & 1);
        cpu.nz = (i32)(RD = d); break;
      case ADC: a = RD; b = RM; d = cpu.c; ADD(d); RD = result; break;
      case SBC: a = RD; b = ~RM; d = cpu.c; ADD(d); RD = result; break;
      case ROR:
        b = RM & 255; d = RD;
        if (b) { d = rotate(d, b); cpu.c = d >> 31; }
        cpu.nz = (i32)(RD = d); break;
      case TST: cpu.nz = (i32)(RD & RM); break;
      case RSB: a = 0; b = ~RM; ADD(1); RD = result; break;
      case CMP: a = RD; b = ~RM; ADD(1); THEN_BRANCH; break;
      case CMN: a = RD; b = RM; ADD(0); break;
      case ORR: cpu.nz = (i32)(RD |= RM); break;
      case MUL: cpu.nz = (i32)(RD *= RM); break;
      case BIC: cpu.nz = (i32)(RD &= ~RM); break;
      case MVN: cpu.nz = (i32)(RD = ~RM); break;
      case ADD_HIGH:
        r[15] = pc + 2; d = (h & 7) | (h >> 4 & 8); result = r[d] + r[h >> 3 & 15];
        if (d == 15) pc = result & ~1u; else r[d] = result;
        break;
      case CMP_HIGH:
        r[15] = pc + 2; a = r[(h & 7) | (h >> 4 & 8)]; b = ~r[h >> 3 & 15]; ADD(1); break;
      case MOV_HIGH:
        r[15] = pc + 2; d = (h & 7) | (h >> 4 & 8); result = r[h >> 3 & 15];
        if (d == 15) pc = result & ~1u; else r[d] = result;
        break;
      case BX:  // and BLX
        r[15] = pc + 2; result = r[h >> 3 & 15];
        if (h & 0x80) r[14] = pc | 1;
        goto jump;
      case POP:
        a = r[13];
        for (b = h & 255, d = 0; b; b >>= 1, d++)
          if (b & 1) { LOAD(r[d], Word, 4); a += 4; }
        if (h & 0x100) { LOAD(result, Word, 4); r[13] = a + 4; goto jump; }
        r[13] = a;
        break;
      jump:
        if (result >= 0xffffff00 && cpu.ipsr) {
          cpu.link = result;
          OUTSIDE(leave_exception());
          pc = r[15];
        } else pc = result & ~1u;
        break;
      case LDR_LITERAL: a = (pc + 2 & ~3u) + ((h & 255) << 2); LOAD(RN, Word, 4); break;
      case STR_REGISTER: a = RM + r[h >> 6 & 7]; STORE(Word, RD, 4); break;
      case STRH_REGISTER: a = RM + r[h >> 6 & 7]; STORE(Half, RD, 2); break;
      case STRB_REGISTER: a = RM + r[h >> 6 & 7]; STORE(u8, RD, 1); break;
      case LDRSB_REGISTER: a = RM + r[h >> 6 & 7]; LOAD(RD, SignedByte, 1); break;
      case LDR_REGISTER: a = RM + r[h >> 6 & 7]; LOAD(RD, Word, 4); break;
      case LDRH_REGISTER: a = RM + r[h >> 6 & 7]; LOAD(RD, Half, 2); break;
      case LDRB_REGISTER: a = RM + r[h >> 6 & 7]; LOAD(RD, u8, 1); break;
      case LDRSH_REGISTER: a = RM + r[h >> 6 & 7]; LOAD(RD, SignedHalf, 2); break;
      case STR: a = RM + (h >> 4 & 124); STORE(Word, RD, 4); break;
      case LDR: a = RM + (h >> 4 & 124); LOAD(RD, Word, 4); break;
      case STRB: a = RM + (h >> 6 & 31); STORE(u8, RD, 1); break;
      case LDRB: a = RM + (h >> 6 & 31); LOAD(RD, u8, 1); break;
      case STRH: a = RM + (h >> 5 & 62); STORE(Half, RD, 2); break;
      case LDRH: a = RM + (h >> 5 & 62); LOAD(RD, Half, 2); break;
      case STR_STACK: a = r[13] + ((h & 255) << 2); STORE(Word, RN, 4); break;
      case LDR_STACK: a = r[13] + ((h & 255) << 2); LOAD(RN, Word, 4); break;
      case ADR: RN = (pc + 2 & ~3u) + ((h & 255) << 2); break;
      case ADD_TO_STACK: RN = r[13] + ((h & 255) << 2); break;
      case GROW_STACK: r[13] += (h & 127) << 2; break;
      case SHRINK_STACK: r[13] -= (h & 127) << 2; break;
      case SXTH: RD = (u32)(i16)RM; break;
      case SXTB: RD = (u32)(i8)RM; break;
      case UXTH: RD = (u16)RM; break;
      case UXTB: RD = (u8)RM; break;
      case PUSH:
        d = (u32)__builtin_popcount(h & 0x1ff);
        a = r[13] - 4 * d;
        r[13] = a;
        for (b = h & 255, d = 0; b; b >>= 1, d++)
          if (b & 1) { STORE(Word, r[d], 4); a += 4; }
        if (h & 0x100) STORE(Word, r[14], 4);
        break;
      case CPS:
        if (h & 2) cpu.primask = h >> 4 & 1;
        if (is_m4 && (h & 1)) cpu.faultmask = h >> 4 & 1;
        break;
      case REV: RD = __builtin_bswap32(RM); break;
      case REV16: b = RM; RD = (b & 0xff00ff) << 8 | (b >> 8 & 0xff00ff); break;
      case REVSH: RD = (u32)(i16)__builtin_bswap16((u16)RM); break;
      case BKPT: why = AT_BKPT; pc -= 2; goto out;
      case HINT_OR_IT:
        if (is_m4 && (h & 15)) { cpu.it = h & 255; block.is_open = true; cpu.stop = n; break; }
        if ((h >> 4 & 15) == 3) { why = AT_WFI; goto out; }
        if ((h >> 4 & 15) == 2) { why = AT_WFE; goto out; }
        break;
      case STM:
        d = h >> 8 & 7; a = r[d];
        for (b = 0; b < 8; b++) if (h >> b & 1) { STORE(Word, r[b], 4); a += 4; }
        r[d] = a; break;
      case LDM:
        d = h >> 8 & 7; a = r[d];
        for (b = 0; b < 8; b++) if (h >> b & 1) { LOAD(r[b], Word, 4); a += 4; }
        if (!(h >> d & 1)) r[d] = a;
        break;
      case BEQ: BRANCH_IF(cpu.nz == 0);
      case BNE:
        if (cpu.nz == 0) break;
        BRANCH(h);
        if (h == BNE_BACK) SKIP_TURNS;
        break;
      case BCS: BRANCH_IF(cpu.c);
      case BCC: BRANCH_IF(!cpu.c);
      case BMI: BRANCH_IF(cpu.nz < 0);
      case BPL: BRANCH_IF(cpu.nz >= 0);
      case BVS: BRANCH_IF(cpu.v < 0);
      case BVC: BRANCH_IF(cpu.v >= 0);
      case BHI: BRANCH_IF(cpu.c && cpu.nz);
      case BLS: BRANCH_IF(!cpu.c || !cpu.nz);
      case BGE: BRANCH_IF((cpu.nz ^ cpu.v) >= 0);
      case BLT: BRANCH_IF((cpu.nz ^ cpu.v) < 0);
      case BGT: BRANCH_IF((cpu.nz ^ cpu.v) >= 0 && cpu.nz);
      case BLE: BRANCH_IF((cpu.nz ^ cpu.v) < 0 || !cpu.nz);
      case SVC: why = AT_SVC; goto out;
      case B: pc += (u32)((i32)(h << 21) >> 20) + 2; break;
      case COMPARE_BRANCH:
        if (!is_m4) goto undefined;
        if ((RD == 0) == !(h & 0x800)) pc += 2 + (h >> 2 & 62) + (h & 0x200 ? 64 : 0);
        break;
      case BL:
        if (is_m4) goto undefined;
        SECOND_HALF;
        if (h >= 0xf000 && (b & 0xd000) == 0xd000) {
          r[14] = pc | 1;
          pc = branch_target(pc, h, b);
        } else if (h == 0xf3ef) {
          r[rd] = read_special(b & 255, flags());
        } else if ((h & 0xfff0) == 0xf380) {
          result = r[rn];
          if ((b & 255) < 4) set_flags(result); else write_special(b & 255, result);
        } else if (h != 0xf3bf) goto undefined_wide;
        break;
#include "wide.c"
      undefined_wide:
        pc -= 2;
      undefined:
      default: why = AT_UNDEFINED; pc -= 2; goto out;
    }
  }
  if (is_m4 && block.is_open) {
    pc = next_in_block(pc, n);
    goto inner_loop;
  }
out:
  r[15] = pc; cpu.counter = n;
  return why;
}

static __attribute__((noinline)) u32 execute_m0(void) { return execute(false); }
static __attribute__((noinline)) u32 execute_m4(void) { return execute(true); }
