// Memory: flash, RAM, and the pages of factory and user information (FICR, UICR).
//
// The sizes are in chip.c, with their sources; how flash is written is in flash.c. Not modelled:
// protection, by the MPU or by the chip.
#include "core.h"

// A few bytes more, because a word may begin at the last byte.
_Alignas(16) static u8 flash[MAX_FLASH + 16], ram[MAX_RAM + 16], information[2 * PAGE + 16];

void *EXPORT(flash_at)(void) { return flash; }
void *EXPORT(ram_at)(void) { return ram; }
void *EXPORT(information_at)(void) { return information; }

static void fill(void *to, u8 byte, u32 size) { __builtin_memset(to, byte, size); }

static void copy(void *to, const void *from, u32 size) { __builtin_memcpy(to, from, size); }

static bool is_same(const void *one, const void *other, u32 size) {
  const u8 *a = one, *b = other;
  for (u32 at = 0; at < size; at++)
    if (a[at] != b[at]) return false;
  return true;
}

static u8 *memory_at(u32 address, u32 size) {
  if (address - RAM < kind->ram_size && size <= kind->ram_size - (address - RAM))
    return ram + (address - RAM);
  if (address < kind->flash_size && size <= kind->flash_size - address) return flash + address;
  u32 offset = address - FICR;
  if (offset < 2 * PAGE && size <= 2 * PAGE - offset) return information + offset;
  return NULL;
}

// What peripherals write to memory by themselves; only RAM takes it.
static void copy_in(u32 address, const u8 *data, u32 size) {
  u8 *to = address >= RAM ? memory_at(address, size) : NULL;
  if (to) copy(to, data, size);
}

static void copy_out(u32 address, u8 *data, u32 size) {
  const u8 *from = memory_at(address, size);
  if (from) copy(data, from, size);
  else fill(data, 0, size);
}
