// A page of registers, in Nordic's layout.
//
//     0x000  tasks: writing 1 starts something
//     0x100  events: read 1 when something has happened, until 0 is written
//     0x200  SHORTS: events that start tasks of the same peripheral
//     0x300  INTEN, INTENSET, INTENCLR: events that interrupt
//     0x400  everything else
//
// A register that is not modelled may be written, and then reads back the same. Reading one
// repeatedly means that the firmware waits for something that never happens, and stops the run.
//
// Source: nRF51 Series Reference Manual 3.0, nRF52833 Product Specification 1.3, "Peripheral
// interface".
#include "core.h"

enum {
  // Both are chosen: far more reads than firmware makes in passing, far fewer than a loop makes.
  MAX_POLLS = 500,  // so many reads of an unknown register within a second are polling
  LOOKS = 8,        // after so many reads of an event, the firmware is assumed to wait for it
  PERIPHERALS = 64, GPIO_BASE = 0x50000000, SYSTEM_BASE = 0xe000e000, ROM_TABLE = 0xf0000000,
};

static Page pages[PERIPHERALS + 2];  // from 0x40000000 on, then GPIO and the processor's own

static Page *page_at(u32 base) {
  u32 nth = (base - 0x40000000) >> 12;
  if (nth < kind->peripheral_pages) return &pages[nth];
  if (base == GPIO_BASE) return &pages[PERIPHERALS];
  return base == SYSTEM_BASE ? &pages[PERIPHERALS + 1] : NULL;
}

// Registers that are not modelled, which were read or are not whole words.
static struct { u32 address, value, count; i64 since; } unknowns[64];
static u32 next_unknown;

static u32 unknown_at(u32 address) {
  for (u32 at = 0; at < COUNT(unknowns); at++)
    if (unknowns[at].address == address) return at;
  u32 at = next_unknown++ % COUNT(unknowns);
  fill(&unknowns[at], 0, sizeof *unknowns);
  unknowns[at].address = address;
  return at;
}

static u32 read_unknown(Page *page, u32 offset) {
  u32 at = unknown_at(page->base + offset);
  if (now() - unknowns[at].since > kind->hz) {
    unknowns[at].since = now();
    unknowns[at].count = 0;
  }
  if (unknowns[at].count++ >= MAX_POLLS) stop_for(STOPPED, POLLS, page->base + offset);
  return offset & 3 ? unknowns[at].value : *value(page, offset);
}

static bool is_known(const Page *page, u32 offset) {
  return !(offset & 3) && page->known[offset >> 7] >> (offset >> 2 & 31) & 1;
}

// Model these registers, which hold what was written.
static void model(Page *page, u32 first, u32 last) {
  for (u32 offset = first; offset <= last; offset += 4)
    page->known[offset >> 7] |= 1u << (offset >> 2 & 31);
}

// Model SHORTS and what is read when a task starts.
static void model_settings(Page *page) {
  model(page, SHORTS, SHORTS);
  model(page, 0x500, 0x6fc);
}

// What happens.

static void update_line(Page *page) {
  if (page->happened & page->inten) raise_line(page->irq);
  else lower_line(page->irq);
}

// Set an event, raise its interrupt if enabled, and start the tasks that PPI connects.
static void set_event(Page *page, u32 offset) {
  u64 bit = 1ull << ((offset - EVENTS) >> 2);
  *value(page, offset) = 1;
  page->happened |= bit;
  if (page->happened & page->inten) raise_line(page->irq);
  if (page->tied & bit) start_ties(page->base + offset);
}

static void clear_event(Page *page, u32 offset) {
  *value(page, offset) = 0;
  page->happened &= ~(1ull << ((offset - EVENTS) >> 2));
  if (!(page->happened & page->inten)) lower_line(page->irq);
}

static void set_inten(Page *page, u32 inten) {
  page->inten = inten;
  *value(page, INTEN) = *value(page, INTENSET) = *value(page, INTENCLR) = inten;
  update_line(page);
}

static void trigger(Page *page, u32 offset) {
  if (!page->task || !page->task(page, offset)) stop_for(STOPPED, STARTS_TASK, page->base + offset);
}

// What takes time.

static void end_under_way(void *owner) {
  Page *page = owner;
  page->action(page);
}

// Schedule the end of something, in cycles from now; it replaces an earlier one.
static void begin(Page *page, i64 cycles, void (*action)(Page *)) {
  abandon(page);
  page->action = action;
  page->looks = 0;
  schedule(&page->under_way, now() + cycles);
}

static void abandon(Page *page) { schedule(&page->under_way, NEVER); }

static bool is_under_way(const Page *page) { return page->under_way.due < NEVER; }

// While the firmware only polls an event, skip to the scheduled end.
static u32 look(Page *page, u32 offset) {
  u32 happened = *value(page, offset);
  if (!happened && is_under_way(page) && ++page->looks > LOOKS) {
    run_state.polling = true;
    halt_slice();
  }
  return happened;
}

// Access by the processor.

static u32 read_register(Page *page, u32 offset) {
  if (offset >= EVENTS && offset < SHORTS && !(offset & 3) &&
      page->polled >> ((offset - EVENTS) >> 2) & 1)
    return look(page, offset);
  return is_known(page, offset) ? *value(page, offset) : read_unknown(page, offset);
}

// Switch a peripheral off by POWER, which resets it. (V1's firmware does it to its TWI after a
// missing acknowledge.)
static void switch_off(Page *page) {
  abandon(page);
  fill(page->values, 0, sizeof page->values);
  page->happened = page->inten = 0;
  update_line(page);
  if (page->reset) page->reset(page);
}

static void write_register(Page *page, u32 offset, u32 size, u32 new) {
  (void)size;
  if (offset == POWER && !new) switch_off(page);
  switch (offset) {
    case INTEN: set_inten(page, new); return;
    case INTENSET: set_inten(page, page->inten | new); return;
    case INTENCLR: set_inten(page, page->inten & ~new); return;
  }
  if (offset < EVENTS) {
    if (new) trigger(page, offset);
  } else if (offset & 3) {
    unknowns[unknown_at(page->base + offset)].value = new;
  } else if (!is_known(page, offset) || offset >= SHORTS) {
    *value(page, offset) = new;
  } else if (new) set_event(page, offset);
  else clear_event(page, offset);
}

static u32 bus_read(u32 address, u32 size) {
  Page *page = page_at(address & ~(PAGE - 1u));
  if (page) return page->read(page, address % PAGE);
  if (address - FICR < 2 * PAGE) {
    u32 word = 0;
    copy_out(address, (u8 *)&word, size);
    return word;
  }
  if (address - ROM_TABLE >= PAGE) stop_for(STOPPED, NOTHING_THERE, address);
  return 0;
}

static void bus_write(u32 address, u32 size, u32 new) {
  Page *page = page_at(address & ~(PAGE - 1u));
  if (page) page->write(page, address % PAGE, size, new);
  else if (address < kind->flash_size || address - FICR < 2 * PAGE) store_to_flash(address, size, new);
  else stop_for(STOPPED, NOTHING_THERE, address);
}

// Begin with a page without a model; it names what firmware waits for there.
static Page *attach(u32 base) {
  Page *page = page_at(base);
  fill(page, 0, sizeof *page);
  page->base = base;
  page->irq = base >> 12 & 0x3f;
  page->read = read_register;
  page->write = write_register;
  model(page, INTEN, INTENCLR);
  page->under_way.due = NEVER;
  return page;
}

static void attach_all(void) {
  fill(unknowns, 0, sizeof unknowns);
  for (u32 nth = 0; nth < kind->peripheral_pages; nth++) attach(0x40000000 + nth * PAGE);
}

// Model a peripheral whose actions take time.
static Page *attach_slow(u32 base) {
  Page *page = attach(base);
  add_device(&page->under_way, end_under_way, page);
  return page;
}
