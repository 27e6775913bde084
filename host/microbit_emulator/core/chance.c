// Chance: the Mersenne Twister MT19937, as in Python's `random`, so that a seed means the same.
//
// Source: M. Matsumoto, T. Nishimura, "Mersenne Twister", ACM TOMACS 8 (1998); init_by_array of
// their mt19937ar.c.
#include "core.h"

enum { MT_SIZE = 624, MT_MIDDLE = 397 };

static u32 mt[MT_SIZE], mt_index;

static void seed_word(u32 seed) {
  mt[0] = seed;
  for (u32 at = 1; at < MT_SIZE; at++)
    mt[at] = 1812433253u * (mt[at - 1] ^ mt[at - 1] >> 30) + at;
}

// Begin anew with a seed of 64 bits.
void EXPORT(seed)(u32 low, u32 high) {
  u32 key[2] = {low, high}, length = high ? 2 : 1, at = 1, word = 0;
  seed_word(19650218);
  for (u32 turn = 0; turn < MT_SIZE; turn++) {
    mt[at] = (mt[at] ^ (mt[at - 1] ^ mt[at - 1] >> 30) * 1664525u) + key[word] + word;
    if (++at == MT_SIZE) { mt[0] = mt[MT_SIZE - 1]; at = 1; }
    if (++word == length) word = 0;
  }
  for (u32 turn = 1; turn < MT_SIZE; turn++) {
    mt[at] = (mt[at] ^ (mt[at - 1] ^ mt[at - 1] >> 30) * 1566083941u) - at;
    if (++at == MT_SIZE) { mt[0] = mt[MT_SIZE - 1]; at = 1; }
  }
  mt[0] = 0x80000000;
  mt_index = MT_SIZE;
}

static void turn(void) {
  for (u32 at = 0; at < MT_SIZE; at++) {
    u32 y = (mt[at] & 0x80000000) | (mt[(at + 1) % MT_SIZE] & 0x7fffffff);
    mt[at] = mt[(at + MT_MIDDLE) % MT_SIZE] ^ y >> 1 ^ (y & 1 ? 0x9908b0df : 0);
  }
  mt_index = 0;
}

static u32 random_word(void) {
  if (mt_index >= MT_SIZE) turn();
  u32 y = mt[mt_index++];
  y ^= y >> 11;
  y ^= y << 7 & 0x9d2c5680;
  y ^= y << 15 & 0xefc60000;
  return y ^ y >> 18;
}

// From 0 to just below 1, in steps of 2**-53.
static double random_share(void) {
  u32 high = random_word() >> 5, low = random_word() >> 6;
  return (high * 67108864.0 + low) / 9007199254740992.0;
}
