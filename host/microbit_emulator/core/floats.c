// The Cortex-M4's arithmetic with floats of 32 bits, as its FPU computes it by default: rounding to
// nearest, a NaN of an operand is the result, quieted. Only registers; wide.c loads and stores.
//
// Source: ARMv7-M Architecture Reference Manual (DDI 0403), A2.5.
#include "core.h"

typedef union { u32 bits; float number; } Float;

enum { QUIET = 1 << 22, DEFAULT_NAN = 0x7fc00000, SIGN = 1u << 31 };

static bool is_nan(u32 bits) { return (bits & ~SIGN) > 0x7f800000; }
static bool is_signalling(u32 bits) { return is_nan(bits) && !(bits & QUIET); }

// What ARM makes of a result that is no number: the first operand that signals, else the first that
// is no number, else the default. The order of operands is that of the instruction.
static u32 settled(float result, u32 one, u32 other, u32 third) {
  if (result == result) return (Float){.number = result}.bits;
  const u32 operands[] = {one, other, third};
  for (u32 at = 0; at < 3; at++) if (is_signalling(operands[at])) return operands[at] | QUIET;
  for (u32 at = 0; at < 3; at++) if (is_nan(operands[at])) return operands[at];
  return DEFAULT_NAN;
}

static u32 add_floats(u32 a, u32 b) {
  return settled((Float){a}.number + (Float){b}.number, a, b, 0);
}

static u32 multiply_floats(u32 a, u32 b) {
  return settled((Float){a}.number * (Float){b}.number, a, b, 0);
}

static u32 negative(u32 bits) { return bits ^ SIGN; }

// a * b + addend, rounded once: the sum of doubles is rounded to odd, and then to a float.
static u32 fused(u32 addend, u32 a, u32 b) {
  typedef union { u64 bits; double number; } Double;
  double product = (double)(Float){a}.number * (double)(Float){b}.number;
  double term = (Float){addend}.number;
  Double sum = {.number = product + term};
  double back = sum.number - product;
  double error = (product - (sum.number - back)) + (term - back);
  bool is_finite = sum.number - sum.number == 0;
  if (is_finite && error != 0 && !(sum.bits & 1))
    sum.bits += (error > 0) == (sum.number > 0) ? 1 : (u64)-1;
  return settled((float)sum.number, addend, a, b);
}

static u32 compare_floats(u32 a, u32 b) {
  float one = (Float){a}.number, other = (Float){b}.number;
  return (one == other ? 6u : one < other ? 8u : one > other ? 2u : 3u) << 28;
}

// To an integer, saturated; a NaN gives 0.
static u32 to_unsigned(double number) {
  return number > 0 ? number >= 4294967295.0 ? ~0u : (u32)number : 0;
}

static u32 to_signed(double number) {
  if (number != number) return 0;
  return number <= -2147483648.0 ? SIGN : number >= 2147483647.0 ? ~SIGN : (u32)(i32)number;
}

static float rounded_float(u32 bits, bool to_zero) {
  float number = (Float){bits}.number;
  return to_zero ? number : __builtin_rintf(number);
}

static u32 of_number(float number) { return (Float){.number = number}.bits; }

// VCVT between a float and fixed point of 16 or 32 bits.
static u32 convert_fixed(u32 bits, u32 code, u32 b) {
  bool is_wide = b & 0x80, is_unsigned = code & 1, to_fixed = code & 4;
  u32 fraction = (is_wide ? 32 : 16) - ((b & 15) << 1 | (b >> 5 & 1));
  double scale = (double)(1ull << fraction), number;
  if (!to_fixed) {
    if (is_wide) number = is_unsigned ? (double)bits : (double)(i32)bits;
    else number = is_unsigned ? (double)(u16)bits : (double)(i16)bits;
    return of_number((float)(number / scale));
  }
  number = (Float){bits}.number * scale;
  if (is_wide) return is_unsigned ? to_unsigned(number) : to_signed(number);
  if (number != number) return 0;
  if (is_unsigned) return number <= 0 ? 0 : number >= 65535 ? 65535 : (u32)number;
  return number <= -32768 ? (u32)-32768 : number >= 32767 ? 32767 : (u32)(i32)number;
}

// VCVTB, VCVTT: half precision.
static u32 from_half(u32 half) {
  u32 sign = (half & 0x8000) << 16, exponent = half >> 10 & 31, fraction = half & 0x3ff;
  if (exponent == 31) return sign | 0x7f800000 | fraction << 13 | (fraction ? QUIET : 0);
  if (exponent) return sign | (exponent + 112) << 23 | fraction << 13;
  return sign | of_number((float)fraction / 16777216.0f);
}

static u32 to_half(u32 bits) {
  u32 sign = bits >> 16 & 0x8000, magnitude = bits & ~SIGN;
  if (is_nan(bits)) return sign | 0x7e00 | (magnitude >> 13 & 0x1ff);
  if (magnitude >= 0x47800000) return sign | 0x7c00;  // too large
  if (magnitude < 0x38800000)                         // below the least normal number
    return sign | (u32)__builtin_rint((double)(Float){magnitude}.number * 16777216.0);
  u32 rounded = magnitude + 0xfff + (magnitude >> 13 & 1);
  return sign | (rounded - (112u << 23)) >> 13;
}

// Instructions with one operand, and comparisons.
static bool compute_unary(u32 code, u32 b, u32 vd, u32 vm) {
  u32 *const s = cpu.s, m = s[vm];
  bool is_other = b & 0x80;
  switch (code) {
    case 0: s[vd] = is_other ? m & ~SIGN : m; return true;                     // VABS, VMOV
    case 1:                                                                    // VSQRT, VNEG
      s[vd] = is_other ? settled(__builtin_sqrtf((Float){m}.number), m, 0, 0) : negative(m);
      return true;
    case 2:                                                                    // from half
      s[vd] = from_half(is_other ? m >> 16 : m & 0xffff);
      return true;
    case 3:                                                                    // to half
      s[vd] = is_other ? (s[vd] & 0xffff) | to_half(m) << 16 : (s[vd] & 0xffff0000) | to_half(m);
      return true;
    case 4: case 5:                                                            // VCMP
      cpu.fpscr = (cpu.fpscr & 0x0fffffff) | compare_floats(s[vd], code == 5 ? 0 : m);
      return true;
    case 8: s[vd] = of_number(is_other ? (float)(i32)m : (float)m); return true;
    case 12: s[vd] = to_unsigned(rounded_float(m, is_other)); return true;
    case 13: s[vd] = to_signed(rounded_float(m, is_other)); return true;
    case 10: case 11: case 14: case 15: s[vd] = convert_fixed(s[vd], code, b); return true;
    default: return false;
  }
}

// Execute an instruction on floats; false if there is none like this.
static __attribute__((noinline)) bool compute_float(u32 h, u32 b, u32 vd, u32 vn, u32 vm) {
  u32 *const s = cpu.s, n = s[vn], m = s[vm];
  bool is_other = b & 0x40;
  if (b & 0x100) return false;  // double precision
  switch (h >> 4 & 11) {
    case 0: s[vd] = add_floats(s[vd], is_other ? negative(multiply_floats(n, m)) : multiply_floats(n, m)); return true;
    case 1: s[vd] = add_floats(negative(s[vd]), is_other ? negative(multiply_floats(n, m)) : multiply_floats(n, m)); return true;
    case 2: s[vd] = is_other ? negative(multiply_floats(n, m)) : multiply_floats(n, m); return true;
    case 3: s[vd] = is_other ? settled((Float){n}.number - (Float){m}.number, n, m, 0) : add_floats(n, m); return true;
    case 8: s[vd] = settled((Float){n}.number / (Float){m}.number, n, m, 0); return true;
    case 9: s[vd] = fused(negative(s[vd]), is_other ? negative(n) : n, m); return true;
    case 10: s[vd] = fused(s[vd], is_other ? negative(n) : n, m); return true;
    default:
      if (is_other) return compute_unary(h & 15, b, vd, vm);
      u32 code = (h & 15) << 4 | (b & 15);
      s[vd] = (code & 128) << 24 | (code & 64 ? 0x3e000000 : 0x40000000) | (code & 63) << 19;
      return true;
  }
}
