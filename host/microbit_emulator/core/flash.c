// Flash memory's controller, NVMC: writing and erasing take time, and can be cut off.
//
// While flash is written or erased, the CPU waits, and the rest of the chip goes on. If the power
// is cut in the middle, some bits have changed and others have not: a random choice, in proportion
// to the time that has passed.
//
// Not modelled: writing or erasing while the CPU runs from RAM (it waits here too), partial erases,
// the limit of writes to a word, wear, access protection.
//
// Source: nRF51822 Product Specification 3.3, nRF52833 Product Specification 1.3, NVMC.
#include "core.h"

enum {
  NVMC = 0x4001e000, NVMC_READY = 0x400, NVMC_CONFIG = 0x504, ERASEPAGE = 0x508, ERASEALL = 0x50c,
  ERASEUICR = 0x514, WRITE_ENABLED = 1, ERASE_ENABLED = 2, MAX_STORES = 16,
};
enum { IDLE, WRITING, ERASING };

// The write or erase that is under way.
static struct {
  u32 kind, at, size;
  i64 start, end;
  u8 written[8 * MAX_STORES];
} change;
static Device change_end;
static struct { u32 at, size, value; } stores[MAX_STORES];
static u32 store_count;

static u32 flash_busy(void) { return change.kind; }

static u8 changed_byte(u32 place) { return change.kind == ERASING ? 0xff : change.written[place]; }

static void finish_change(void *owner) {
  (void)owner;
  u8 *memory = memory_at(change.at, change.size);
  for (u32 place = 0; memory && place < change.size; place++) memory[place] = changed_byte(place);
  change.kind = IDLE;
  run_state.stalled = false;
}

static void begin_change(u32 what, u32 at, u32 size, i64 duration) {
  change.kind = what;
  change.at = at;
  change.size = size;
  change.start = now();
  change.end = now() + duration;
  run_state.stalled = true;
  schedule(&change_end, NEVER);
  schedule(&change_end, change.end);
  if (!status.watches_flash) return;
  status.change_at = at;
  status.change_size = size;
  status.change_cycles = (u32)duration;
  stop_for(FLASH_BEGINS, what, at);
}

// Begin to erase, if NVMC is set to erase.
static void erase(u32 at, u32 size) {
  if (*value(page_at(NVMC), NVMC_CONFIG) != ERASE_ENABLED || !memory_at(at, size)) return;
  begin_change(ERASING, at, size, cycles(kind->erase_us));
  halt_slice();
}

// A store to flash; the end of the slice handles it, with others of the same instruction.
static void store_to_flash(u32 at, u32 size, u32 new) {
  if (store_count < MAX_STORES) {
    stores[store_count].at = at;
    stores[store_count].size = size;
    stores[store_count++].value = new;
  }
  halt_slice();
}

static bool has_stores(void) { return store_count > 0; }

// Begin to write the zeros of these stores, if NVMC allows it.
static void take_stores(void) {
  u32 count = store_count, first = stores[0].at, end = 0;
  store_count = 0;
  if (*value(page_at(NVMC), NVMC_CONFIG) != WRITE_ENABLED) return;
  for (u32 nth = 0; nth < count; nth++) {
    first = (u32)least(first, stores[nth].at);
    end = (u32)most(end, stores[nth].at + stores[nth].size);
  }
  if (end - first > sizeof change.written) return;
  copy_out(first, change.written, end - first);
  for (u32 nth = 0; nth < count; nth++)
    for (u32 byte = 0; byte < stores[nth].size; byte++)
      change.written[stores[nth].at - first + byte] &= (u8)(stores[nth].value >> 8 * byte);
  begin_change(WRITING, first, end - first, cycles(kind->write_us) * count);
}

// Cut the power: a write or erase in progress has changed some of its bits, at random.
static void cut_change(void) {
  u8 *memory = memory_at(change.at, change.size);
  double share = (double)(now() - change.start) / (double)(change.end - change.start);
  if (change.kind != IDLE && memory)
    for (u32 place = 0; place < change.size; place++) {
      u8 differing = memory[place] ^ changed_byte(place);
      for (u32 bit = 0; bit < 8; bit++)
        if (differing >> bit & 1 && random_share() < share) memory[place] ^= (u8)(1 << bit);
    }
  change.kind = IDLE;
}

static void write_nvmc(Page *page, u32 offset, u32 size, u32 new) {
  switch (offset) {
    case ERASEPAGE: {
      u32 at = new & ~(kind->page_size - 1);
      if (at < kind->flash_size || at - FICR < 2 * PAGE) erase(at, kind->page_size);
      break;
    }
    case ERASEALL: if (new) erase(0, kind->flash_size); break;
    case ERASEUICR: if (new) erase(UICR, UICR_SIZE); break;
    default: write_register(page, offset, size, new);
  }
}

// It always reads as ready: the CPU does not run while it is busy.
static void attach_nvmc(void) {
  Page *page = attach(NVMC);
  page->write = write_nvmc;
  model(page, NVMC_READY, NVMC_READY);
  model(page, NVMC_CONFIG, NVMC_CONFIG);
  *value(page, NVMC_READY) = 1;
  store_count = 0;
  add_device(&change_end, finish_change, NULL);
}
