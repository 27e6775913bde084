// The Cortex-M4's instructions on several small numbers in a register at once: lanes of 8 or 16
// bits. Only registers; wide.c decodes them. V2's bootloader compares texts with UADD8 and SEL.
//
// Source: ARMv7-M Architecture Reference Manual (DDI 0403), A4.4.
#include "core.h"

static u32 lane(u32 value, u32 at, u32 width) { return value >> at & ((1u << width) - 1); }

static i32 number_in_lane(u32 value, u32 at, u32 width, bool is_unsigned) {
  u32 bits = lane(value, at, width);
  return is_unsigned ? (i32)bits : (i32)(bits << (32 - width)) >> (32 - width);
}

// Addition and subtraction. `code`: ADD8, ADD16, ASX, -, SUB8, SUB16, SAX. `how`: plain (which sets
// GE), saturating, halving; and from 4 on, without sign.
static APART u32 compute_parallel(u32 code, u32 how, u32 n, u32 m) {
  const u32 width = code & 3 ? 16 : 8, all = (1u << width) - 1;
  const bool is_unsigned = how & 4, crosses = (code & 3) == 2;
  const i64 high = is_unsigned ? all : all >> 1, low = is_unsigned ? 0 : -high - 1;
  u32 result = 0, ge = 0;
  for (u32 at = 0; at < 32; at += width) {
    bool subtracts = crosses ? (at == 0) == (code == 2) : code & 4;
    i32 one = number_in_lane(n, at, width, is_unsigned);
    i32 other = number_in_lane(m, crosses ? 16 - at : at, width, is_unsigned);
    i32 sum = subtracts ? one - other : one + other;
    bool is_ge = is_unsigned && !subtracts ? sum > (i32)all : sum >= 0;
    if (is_ge) ge |= (width == 8 ? 1u : 3u) << (at >> 3);
    if ((how & 3) == 1) sum = (i32)most(low, least(high, sum));
    if ((how & 3) == 2) sum >>= 1;
    result |= ((u32)sum & all) << at;
  }
  if (!(how & 3)) cpu.ge = ge;
  return result;
}

// SEL: each byte from the first operand where GE is set, else from the second.
static u32 select_bytes(u32 n, u32 m) {
  u32 result = 0;
  for (u32 at = 0; at < 4; at++) result |= (cpu.ge >> at & 1 ? n : m) & 0xffu << 8 * at;
  return result;
}

// USAD8.
static u32 sum_of_differences(u32 n, u32 m) {
  u32 sum = 0;
  for (u32 at = 0; at < 32; at += 8) {
    u32 one = lane(n, at, 8), other = lane(m, at, 8);
    sum += one > other ? one - other : other - one;
  }
  return sum;
}

// SSAT16 and USAT16.
static u32 saturate_halves(u32 n, i64 low, i64 high) {
  u32 result = 0;
  for (u32 at = 0; at < 32; at += 16) {
    i64 number = number_in_lane(n, at, 16, false), saturated = most(low, least(high, number));
    if (saturated != number) cpu.q = 1;
    result |= ((u32)saturated & 0xffff) << at;
  }
  return result;
}
