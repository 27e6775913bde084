// TIMER counts, compares and captures; PPI lets an event of one peripheral start another's task.
//
// A timer costs nothing while nobody uses its matches: its count follows from the time, and compare
// events are computed when a register is read, and only if a match has come by then. The timeline
// only has the next match that interrupts, or that PPI uses. (CODAL's system timer matches 175,800
// times a second.)
//
// Modelled: timer mode, PRESCALER, BITMODE, the CLEAR shorts, captures. All counts, and compare
// registers, are cut to the timer's width. Not modelled: counter mode, the STOP shorts; a compare
// register with a CLEAR short that is set below the present count (which is then taken modulo it).
// PPI has the channels that software sets up, and the fork, but not the fixed channels (20 to 31:
// radio and timers), and no channel groups.
//
// Source: nRF51 Series Reference Manual 3.0, TIMER and PPI; nRF52833 Product Specification 1.3.
#include "core.h"

enum {
  TIMER_START = 0x000, TIMER_STOP = 0x004, TIMER_CLEAR = 0x00c, CAPTURE = 0x040,
  COMPARE = 0x140, MODE = 0x504, BITMODE = 0x508, PRESCALER = 0x510, CC = 0x540,
  CLEAR_SHORTS = 0xff, INTEN_COMPARE = 16,  // the bit of INTEN that is COMPARE[0]'s
  TIMER_HZ = 16000000, MAX_TIMERS = 5, MAX_CHANNELS = 6, LED_TIMER = 0x4001b000,
};

// A timer's count was `count` at cycle `origin`, and grows while it runs.
typedef struct {
  Page *page;
  u32 channels;
  bool running;
  i64 count, origin;
  u32 cc[MAX_CHANNELS];
  u32 mask;
  i64 wrap;        // it counts from 0 up to this
  u32 shorts;
  u32 base_shift, shift;  // a tick takes 1 << shift cycles
  i64 seen;        // the events include all matches up to this cycle
  i64 next_match;  // there is no match before this cycle
  u32 wanted;      // channels whose matches are used
  u32 tied;        // of these, those that PPI uses
  Device next_wanted;
} Timer;

static Timer timers[MAX_TIMERS];
static u32 timer_count;

static u32 read_timer(Page *page, u32 offset);

static Timer *timer_of(const Page *page) {
  return page && page->read == read_timer ? page->self : NULL;
}

// `a` modulo `wrap`, never negative.
static inline i64 modulo(i64 a, i64 wrap) {
  if (!(wrap & (wrap - 1))) return a & (wrap - 1);
  i64 rest = a % wrap;
  return rest < 0 ? rest + wrap : rest;
}

static i64 present_count(const Timer *timer) {
  if (!timer->running) return timer->count;
  return modulo(timer->count + ((now() - timer->origin) >> timer->shift), timer->wrap);
}

// Set the events of all matches since the last call, and find the next matches.
//
// Reading needs the next match of any channel. The timeline needs the next one that interrupts or
// that PPI uses.
APART static void catch_up(Timer *timer) {
  if (!timer->running) {
    timer->next_match = NEVER;
    schedule(&timer->next_wanted, NEVER);
    return;
  }
  i64 time = now(), origin = timer->origin, wrap = timer->wrap;
  u32 shift = timer->shift;
  i64 before = (timer->seen - origin) >> shift, ticks = (time - origin) >> shift;
  timer->seen = time;
  i64 first = before + timer->count + 1, passed = ticks - before;
  i64 nearest = wrap, nearest_wanted = wrap;
  u32 matched = 0;
  for (u32 channel = 0; channel < timer->channels; channel++) {
    i64 compare = timer->cc[channel];
    if (compare > wrap) continue;
    i64 distance = modulo(compare - first, wrap) - passed;
    if (distance < 0) {
      matched |= 1u << channel;
      distance = modulo(distance, wrap);
    }
    nearest = least(nearest, distance);
    if (timer->wanted >> channel & 1) nearest_wanted = least(nearest_wanted, distance);
  }
  // No later than a whole round from now, when what is captured until then matches.
  timer->next_match = origin + ((ticks + least(nearest, wrap - 1) + 1) << shift);
  schedule(&timer->next_wanted,
           nearest_wanted < wrap ? origin + ((ticks + nearest_wanted + 1) << shift) : NEVER);
  for (u32 channel = 0; matched; matched >>= 1, channel++)
    if (matched & 1) set_event(timer->page, COMPARE + 4 * channel);
}

// Find the channels whose matches are used, and their next matches.
APART static void plan(Timer *timer) {
  u64 irq = 1ull << timer->page->irq;
  u32 wanted = timer->page->inten >> INTEN_COMPARE;
  if (wanted && !(nvic.enabled & irq)) {
    wanted = 0;
    nvic.muted |= irq;
  }
  timer->wanted = wanted | timer->tied;
  catch_up(timer);
}

static void plan_wanted(void *owner) { plan(owner); }

static void unmute_timers(u64 irqs) {
  for (u32 at = 0; at < timer_count; at++) {
    if (!(irqs >> timers[at].page->irq & 1)) continue;
    catch_up(&timers[at]);
    update_line(timers[at].page);
    plan(&timers[at]);
  }
}

// The present time, after adding the matches up to it to the events.
static i64 look_now(Timer *timer) {
  i64 time = now();
  if (time >= timer->next_match) catch_up(timer);
  timer->seen = time;
  return time;
}

APART static void freeze(Timer *timer) {
  i64 time = now(), tick = (i64)1 << timer->shift;
  timer->count = present_count(timer);
  timer->origin = timer->running ? time - ((time - timer->origin) & (tick - 1)) : time;
  timer->seen = time;
}

// Set the count at which it restarts: the lowest compare with a CLEAR short.
APART static void set_wrap(Timer *timer) {
  freeze(timer);
  i64 wrap = NEVER;
  for (u32 channel = 0; channel < timer->channels; channel++)
    if (timer->shorts >> channel & 1 && timer->cc[channel]) wrap = least(wrap, timer->cc[channel]);
  timer->wrap = wrap < NEVER ? wrap : (i64)timer->mask + 1;
  plan(timer);
}

// The cycles between two matches of a channel that restarts the count; else 0.
static i64 timer_period(const Timer *timer, u32 channel) {
  bool is_steady = timer->running && timer->shorts >> channel & 1;
  return is_steady && timer->cc[channel] == timer->wrap ? timer->wrap << timer->shift : 0;
}

// Tasks.

static void start_timer(Timer *timer) {
  if (!timer->running) {
    timer->origin = timer->seen = now();
    timer->running = true;
    plan(timer);
  }
  if (timer->page->base == LED_TIMER) show_timed_row(timer->cc);
}

static void stop_timer(Timer *timer) {
  catch_up(timer);
  freeze(timer);
  timer->running = false;
  catch_up(timer);
}

static void clear_timer(Timer *timer) {
  timer->origin = look_now(timer);
  timer->count = 0;
  catch_up(timer);
}

static void capture(Timer *timer, u32 channel) {
  look_now(timer);
  timer->cc[channel] = *value(timer->page, CC + 4 * channel) = (u32)present_count(timer);
}

static bool timer_task(Page *page, u32 offset) {
  Timer *timer = page->self;
  u32 channel = (offset - CAPTURE) >> 2;
  if (offset == TIMER_START) start_timer(timer);
  else if (offset == TIMER_STOP) stop_timer(timer);
  else if (offset == TIMER_CLEAR) clear_timer(timer);
  else if (channel < timer->channels) capture(timer, channel);
  else return false;
  return true;
}

// Registers.

static void set_compare(Timer *timer, u32 channel, u32 new) {
  u32 *register_value = value(timer->page, CC + 4 * channel);
  if (*register_value == new) return;
  i64 time = look_now(timer);
  *register_value = new;
  i64 compare = timer->cc[channel] = new & timer->mask;
  if (timer->shorts >> channel & 1) set_wrap(timer);
  else if (timer->wanted >> channel & 1) catch_up(timer);
  else if (timer->running && compare <= timer->wrap) {
    i64 ticks = (time - timer->origin) >> timer->shift;
    i64 distance = modulo(compare - timer->count - ticks - 1, timer->wrap);
    i64 match = timer->origin + ((ticks + distance + 1) << timer->shift);
    timer->next_match = least(timer->next_match, match);
  }
}

static void set_shorts(Timer *timer, u32 new) {
  if (new != timer->shorts) {
    catch_up(timer);
    timer->shorts = *value(timer->page, SHORTS) = new;
    set_wrap(timer);
  }
  if (new > CLEAR_SHORTS) stop_for(STOPPED, STOPS_BY_SHORT, timer->page->base + SHORTS);
}

static void set_bitmode(Timer *timer, u32 new) {
  static const u32 masks[] = {0xffff, 0xff, 0xffffff, 0xffffffff};
  catch_up(timer);
  *value(timer->page, BITMODE) = new;
  timer->mask = masks[new & 3];
  for (u32 channel = 0; channel < timer->channels; channel++)
    timer->cc[channel] = *value(timer->page, CC + 4 * channel) & timer->mask;
  set_wrap(timer);
}

static void set_prescaler(Timer *timer, u32 new) {
  catch_up(timer);
  freeze(timer);
  *value(timer->page, PRESCALER) = new;
  timer->shift = timer->base_shift + (new & 15);
  plan(timer);
}

static void set_timer_inten(Timer *timer, u32 new) {
  if (new == timer->page->inten) return;
  catch_up(timer);
  set_inten(timer->page, new);
  plan(timer);
}

static bool is_compare(const Timer *timer, u32 offset) {
  return offset >= COMPARE && offset < COMPARE + 4 * timer->channels;
}

static u32 read_timer(Page *page, u32 offset) {
  Timer *timer = page->self;
  if (is_compare(timer, offset) && !(offset & 3) && !*value(page, offset)) {
    if (now() >= timer->next_match) catch_up(timer);
    return *value(page, offset);
  }
  return read_register(page, offset);
}

static void write_timer(Page *page, u32 offset, u32 size, u32 new) {
  Timer *timer = page->self;
  u32 channel = (offset - CAPTURE) >> 2, compare_channel = (offset - CC) >> 2;
  if (offset & 3) write_register(page, offset, size, new);
  else if (channel < timer->channels && timer->running) capture(timer, channel);
  else if (is_compare(timer, offset) && !new) {
    if (now() >= timer->next_match) catch_up(timer);
    clear_event(page, offset);
  } else if (compare_channel < timer->channels) set_compare(timer, compare_channel, new);
  else switch (offset) {
    case SHORTS: set_shorts(timer, new); break;
    case INTEN: set_timer_inten(timer, new); break;
    case INTENSET: set_timer_inten(timer, page->inten | new); break;
    case INTENCLR: set_timer_inten(timer, page->inten & ~new); break;
    case MODE:
      if (new) stop_for(STOPPED, COUNTS_EVENTS, page->base + MODE);
      break;
    case BITMODE: set_bitmode(timer, new); break;
    case PRESCALER: set_prescaler(timer, new); break;
    default: write_register(page, offset, size, new);
  }
}

static void reset_timer(Page *page) {
  Timer *timer = page->self;
  timer->running = false;
  timer->count = timer->origin = timer->seen = 0;
  fill(timer->cc, 0, sizeof timer->cc);
  timer->shorts = timer->wanted = 0;
  timer->mask = 0xffff;
  timer->wrap = 0x10000;
  timer->base_shift = kind->hz > TIMER_HZ ? 2 : 0;
  timer->shift = timer->base_shift + 4;
  *value(page, PRESCALER) = 4;
  catch_up(timer);
}

static void attach_timer(u32 base, u32 channels) {
  Timer *timer = &timers[timer_count++];
  fill(timer, 0, sizeof *timer);
  Page *page = timer->page = attach(base);
  page->self = timer;
  page->read = read_timer;
  page->write = write_timer;
  page->task = timer_task;
  page->reset = reset_timer;
  timer->channels = channels;
  model(page, COMPARE, COMPARE + 4 * (channels - 1));
  model(page, CC, CC + 4 * (channels - 1));
  model(page, SHORTS, SHORTS);
  model(page, BITMODE, BITMODE);
  model(page, PRESCALER, PRESCALER);
  add_device(&timer->next_wanted, plan_wanted, timer);
  reset_timer(page);
}

// PPI.

enum { PPI = 0x4001f000, CHEN = 0x500, CHENSET = 0x504, CHENCLR = 0x508,
       CH_EEP = 0x510, CH_TEP = 0x514, FORK_TEP = 0x910, MAX_TIES = 40 };

static struct { u32 event, task; } ties[MAX_TIES];
static u32 tie_count, ppi_channels;

APART static void tie(u32 event, u32 task) {
  Page *page = page_at(task & ~(PAGE - 1u)), *source = page_at(event & ~(PAGE - 1u));
  if (!page || (page->ignores && page->ignores(page, task % PAGE, event))) return;
  ties[tie_count].event = event;
  ties[tie_count++].task = task;
  u32 nth = (event % PAGE - EVENTS) >> 2;
  if (!source || nth >= 64) return;
  source->tied |= 1ull << nth;
  Timer *timer = timer_of(source);
  if (timer) timer->tied |= 1u << ((event % PAGE - COMPARE) >> 2);
}

// Find anew what PPI connects, without the tasks that would have no effect.
static void update_ties(void) {
  Page *ppi = page_at(PPI);
  for (u32 at = 0; at < timer_count; at++) catch_up(&timers[at]);  // has had its effects
  for (u32 at = 0; at < tie_count; at++) {
    Page *source = page_at(ties[at].event & ~(PAGE - 1u));
    if (source) source->tied = 0;
  }
  for (u32 at = 0; at < timer_count; at++) timers[at].tied = 0;
  tie_count = 0;
  for (u32 channel = 0; channel < ppi_channels; channel++) {
    u32 event = *value(ppi, CH_EEP + 8 * channel);
    if (!(*value(ppi, CHEN) >> channel & 1) || !event) continue;
    tie(event, *value(ppi, CH_TEP + 8 * channel));
    tie(event, *value(ppi, FORK_TEP + 4 * channel));
  }
  for (u32 at = 0; at < timer_count; at++) plan(&timers[at]);
}

// Start the tasks that PPI connects with an event.
static void start_ties(u32 event) {
  u32 tasks[MAX_TIES], count = 0;
  for (u32 at = 0; at < tie_count; at++)
    if (ties[at].event == event) tasks[count++] = ties[at].task;
  for (u32 at = 0; at < count; at++)
    trigger(page_at(tasks[at] & ~(PAGE - 1u)), tasks[at] % PAGE);
}

// The period, in cycles, at which a timer starts a task by PPI; 0 if it is not steady.
static i64 period_of(u32 task) {
  Page *ppi = page_at(PPI);
  for (u32 channel = 0; channel < ppi_channels; channel++) {
    bool starts = *value(ppi, CH_TEP + 8 * channel) == task ||
                  *value(ppi, FORK_TEP + 4 * channel) == task;
    if (!(*value(ppi, CHEN) >> channel & 1) || !starts) continue;
    u32 event = *value(ppi, CH_EEP + 8 * channel);
    Timer *timer = timer_of(page_at(event & ~(PAGE - 1u)));
    if (timer) return timer_period(timer, (event % PAGE - COMPARE) >> 2);
  }
  return 0;
}

static void enable_channels(Page *page, u32 channels) {
  *value(page, CHEN) = *value(page, CHENSET) = *value(page, CHENCLR) = channels;
  if (channels >> ppi_channels) stop_for(STOPPED, WRITES_REGISTER, page->base + CHEN);
  update_ties();
}

static void write_ppi(Page *page, u32 offset, u32 size, u32 new) {
  bool is_end = (offset >= CH_EEP && offset < CH_EEP + 8 * ppi_channels) ||
                (offset >= FORK_TEP && offset < FORK_TEP + 4 * ppi_channels);
  if (offset == CHEN) enable_channels(page, new);
  else if (offset == CHENSET) enable_channels(page, *value(page, CHEN) | new);
  else if (offset == CHENCLR) enable_channels(page, *value(page, CHEN) & ~new);
  else if (!is_end || offset & 3) write_register(page, offset, size, new);
  else if (*value(page, offset) != new) {
    *value(page, offset) = new;
    update_ties();
  }
}

static void attach_ppi(u32 channels) {
  Page *page = attach(PPI);
  page->write = write_ppi;
  ppi_channels = channels;
  tie_count = 0;
  model(page, CHEN, CHENCLR);
  model(page, CH_EEP, CH_EEP + 8 * channels - 4);
  model(page, FORK_TEP, FORK_TEP + 4 * channels - 4);
}

// The timer that times the LEDs of a V2.
static const Timer *led_timer(void) { return timer_of(page_at(LED_TIMER)); }
