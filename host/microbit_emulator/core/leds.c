// The LEDs: from the pins to 25 levels.
//
// An LED is lit while its row is high and its column low. The firmware shows one row at a time, and
// each LED for a part of that time, which gives its level. A program that drives the pins itself,
// and does not change them, lights LEDs fully, in any number of rows. One that shows rows in turn by
// itself, such as CODAL after a panic, gives each LED the level of its time within 50 ms.
//
// V1 adds up how long each LED is lit in the 6 ms in which its row is high. V2 shows a row of LEDs
// each time TIMER4 starts: a column is low until its compare register is reached, if GPIOTE's
// channel with the same number makes it start low.
//
// Sources: bbcmicrobit/micropython, `ticker.c` and `microbitdisplay.cpp`; codal-nrf52,
// `NRF52LedMatrix`. The levels are in chip.c.
#include "core.h"

enum {
  ROW_US = 6000,  // MICROSECONDS_PER_MACRO_TICK of `ticker.c`
  // Chosen: an interrupt may shorten a row, but rows that a program shows by itself are shorter.
  SHORTEST_ROW_US = 5000,
  // Chosen: more than two rounds of the rows, of 18 ms (V1), and 17 ms or somewhat more (V2).
  DARK_AFTER_US = 50000,
  MAX_COLUMNS = 9,
};

static struct {
  double shares[5][MAX_COLUMNS];  // of each row's time, as last shown
  i64 shown_at[5];
  i64 rows_since;                 // when the driven rows last changed, if known
  i64 since;                      // `lit` is added up until then
  u32 row;                        // the pins of rows that are high
  i64 lit[MAX_COLUMNS];
  i64 turns_since;                    // what a program shows by itself: since then,
  i64 turns[5][MAX_COLUMNS];          // how long each LED was lit,
  double turn_shares[5][MAX_COLUMNS]; // and its share before that
} leds;

static u32 row_bits(void) {
  u32 bits = 0;
  for (u32 row = 0; row < kind->leds.row_count; row++) bits |= 1u << (kind->leds.rows[row] & 31);
  return bits;
}

static void reset_leds(void) {
  fill(&leds, 0, sizeof leds);
  for (u32 row = 0; row < COUNT(leds.shown_at); row++) leds.shown_at[row] = -NEVER;
  leds.since = leds.turns_since = leds.rows_since = now();
}

// V1: note the row that was shown until the driven rows changed.
static void end_row(i64 changed) {
  for (u32 row = 0; row < kind->leds.row_count; row++) {
    bool is_long = changed - leds.rows_since > cycles(SHORTEST_ROW_US);
    if (leds.row != 1u << kind->leds.rows[row] || !is_long) continue;
    for (u32 column = 0; column < kind->leds.column_count; column++)
      leds.shares[row][column] = (double)leds.lit[column] / (double)cycles(ROW_US);
    leds.shown_at[row] = now();
  }
}

static bool is_low(u32 pin) { return !(ports[pin >> 5].out >> (pin & 31) & 1); }

// Add up how long the LEDs of these rows were lit, whoever shows them.
static void add_turn(u32 rows, i64 spent) {
  for (u32 row = 0; row < kind->leds.row_count; row++)
    for (u32 column = 0; rows >> kind->leds.rows[row] & 1 && column < kind->leds.column_count; column++)
      if (is_low(kind->leds.columns[column])) leds.turns[row][column] += spent;
  i64 elapsed = now() - leds.turns_since;
  if (elapsed < cycles(DARK_AFTER_US)) return;
  for (u32 row = 0; row < kind->leds.row_count; row++)
    for (u32 column = 0; column < kind->leds.column_count; column++)
      leds.turn_shares[row][column] =
          (double)(leds.turns[row][column] * kind->leds.row_count) / (double)elapsed;
  fill(leds.turns, 0, sizeof leds.turns);
  leds.turns_since = now();
}

// Add up what was lit until now, before the pins change.
static void before_pins_change(void) {
  i64 time = now(), spent = time - leds.since;
  u32 row = ports[0].out & row_bits();
  leds.since = time;
  if (row != leds.row) {
    if (!kind->is_v2) end_row(time - spent);
    leds.row = row;
    leds.rows_since = time - spent;
    fill(leds.lit, 0, sizeof leds.lit);
  }
  if (!row || !spent) return;
  add_turn(row, spent);
  if (kind->is_v2) return;
  for (u32 column = 0; column < kind->leds.column_count; column++)
    if (is_low(kind->leds.columns[column])) leds.lit[column] += spent;
}

// V2: a row of LEDs is shown, each until its compare register.
static void show_timed_row(const u32 *compares) {
  double period = compares[0] ? compares[0] : 1;
  for (u32 row = 0; row < kind->leds.row_count; row++) {
    if (!(ports[0].out >> kind->leds.rows[row] & 1)) continue;
    for (u32 column = 0; column < kind->leds.column_count; column++)
      leds.shares[row][column] = compares[column + 1] / period * drives_low_first(column + 1);
    leds.shown_at[row] = now();
  }
}

static bool pin_drives(u32 pin, bool high) {
  Port *port = &ports[pin >> 5];
  return port->direction >> (pin & 31) & 1 && (port->out >> (pin & 31) & 1) == high;
}

// The level whose share of time is nearest.
static u8 level_of(double share) {
  const double *shares = kind->leds.shares;
  u8 level = 0;
  while (level < 9 && share >= (shares[level] + shares[level + 1]) / 2) level++;
  return level;
}

static u8 levels[LED_COUNT];

// 25 levels from 0 to 9, in reading order; a row not shown for 50 ms is dark, unless the pins stand,
// or the program shows rows by itself.
const u8 *EXPORT(led_levels)(void) {
  const Matrix *matrix = &kind->leds;
  i64 oldest = now() - cycles(DARK_AFTER_US), shown = -NEVER;
  for (u32 row = 0; row < matrix->row_count; row++) shown = most(shown, leds.shown_at[row]);
  bool stands = most(shown, leds.rows_since) < oldest, takes_turns = !stands && shown < oldest;
  fill(levels, 0, sizeof levels);
  for (u32 row = 0; row < matrix->row_count; row++) {
    if (!stands && !takes_turns && leds.shown_at[row] < oldest) continue;
    bool is_high = pin_drives(matrix->rows[row], true);
    for (u32 column = 0; column < matrix->column_count; column++) {
      u8 place = matrix->places[row][column];
      if (place == NOWHERE) continue;
      double share = leds.shares[row][column];
      if (stands) share = is_high && pin_drives(matrix->columns[column], false);
      if (takes_turns) share = leds.turn_shares[row][column];
      levels[place] = level_of(share);
    }
  }
  return levels;
}
