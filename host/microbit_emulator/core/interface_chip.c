// The V2's interface chip, as the micro:bit's own processor sees it over I2C.
//
// Modelled: reading and writing properties (version, power source, ...); the flash for data logging
// with its times, and its file on the drive. Not modelled: an encoding window in that file, a power
// cut during a write to this flash, sleep.
//
// Sources: micro:bit I2C Protocol Specification 2.03; DAPLink, `source/board/microbitv2`;
// codal-microbit-v2, MicroBitPowerManager and MicroBitUSBFlashManager; NXP KL27P64M48SF6, "Flash
// timing specifications - commands".
#include "core.h"

enum {
  READ_PROPERTY = 0x10, PROPERTY_VALUE = 0x11, WRITE_PROPERTY = 0x12, PROPERTY_WRITTEN = 0x13,
  ERROR_ANSWER = 0x20, UNKNOWN_PROPERTY = 0x34, BUSY = 0x39, MAX_ANSWER = 64,
};

typedef struct {
  bool has_answer;
  u8 answer[MAX_ANSWER];
  u32 size;
  u32 from, more;  // then so many bytes of the log flash, from there
} Answers;

// The size and the value of each property: the board's version, that of the protocol, DAPLink's in
// decimal (0257), power source (USB), power consumption, USB state, the chip's state, power LED.
static const u8 properties[9][9] = {
  {0}, {2, 0x04, 0x99}, {2, 2, 0}, {2, 1, 1}, {1, 1}, {8}, {1, 1}, {1, 6}, {1, 1},
};

static Answers interface_chip;

static void answer(Answers *answers, const u8 *data, u32 size) {
  answers->has_answer = true;
  answers->size = size < MAX_ANSWER ? size : MAX_ANSWER;
  answers->more = 0;
  copy(answers->answer, data, answers->size);
}

// A request `[READ_PROPERTY, property]` is answered `[PROPERTY_VALUE, property, size, ...]`.
// Shorter data are ignored.
static void write_interface_chip(void *self, const u8 *data, u32 size) {
  if (size < 2) return;
  if (data[0] == WRITE_PROPERTY) {
    answer(self, (const u8[]){PROPERTY_WRITTEN, data[1]}, 2);
  } else if (data[0] == READ_PROPERTY && data[1] && data[1] < COUNT(properties)) {
    u8 reply[11] = {PROPERTY_VALUE, data[1]};
    copy(reply + 2, properties[data[1]], 9);
    answer(self, reply, 3u + reply[2]);
  } else if (data[0] == READ_PROPERTY) {
    answer(self, (const u8[]){ERROR_ANSWER, UNKNOWN_PROPERTY}, 2);
  }
}

static bool may_answer(const Answers *answers);
static u8 log_memory[LOG_SIZE];

// The answer to the last request, padded with 0xFF; before a request, busy.
static void read_answer(void *self, u8 *data, u32 size) {
  Answers *answers = self;
  fill(data, 0xff, size);
  if (!may_answer(answers)) {
    if (size > 0) data[0] = ERROR_ANSWER;
    if (size > 1) data[1] = BUSY;
    return;
  }
  u32 first = answers->size < size ? answers->size : size;
  copy(data, answers->answer, first);
  for (u32 at = first; at < size && at - first < answers->more; at++)
    if (answers->from + at - first < LOG_SIZE) data[at] = log_memory[answers->from + at - first];
  answers->has_answer = false;
}

// The flash for data logging. Each answer begins with the byte of its command. While the chip
// writes or erases, it requests no transfer, and reading returns busy.

enum {
  FILENAME = 1, FILESIZE = 2, VISIBILITY = 3, WRITE_CONFIG = 4, ERASE_CONFIG = 5, DISK_SIZE = 6,
  SECTOR_SIZE = 7, REMOUNT = 8, READ = 10, WRITE = 11, ERASE = 12,
  HEADER = 8,  // a command byte and a 24-bit address, then a 32-bit length or end, big-endian
  CONFIG_WORDS = 8, SECTOR = 1024,
  // A KL27's, of a word and of a sector, typically. The most are 145 and 114,000. The V2.2's
  // interface chip, an nRF52820 or nRF52833, takes 41 per word, and 87,500 per sector of 4 KB
  // (codal-microbit-v2, issue 167).
  LOG_WRITE_US = 65, LOG_ERASE_US = 14000,
};

typedef struct { u8 size[4], value[4][32]; } Settings;  // by FILENAME, FILESIZE, VISIBILITY

static Answers log_flash;
static Settings stored, settings, mounted;
static i64 log_free_at;

static u32 big_endian(const u8 *data, u32 size) {
  u32 number = 0;
  for (u32 at = 0; at < size; at++) number = number << 8 | data[at];
  return number;
}

static void set_by_default(Settings *to) {
  fill(to, 0, sizeof *to);
  to->size[FILENAME] = 11;
  copy(to->value[FILENAME], "DATA    BIN", 11);
  to->size[FILESIZE] = 4;
  to->value[FILESIZE][1] = (u8)(LOG_SIZE >> 16);
  to->value[FILESIZE][2] = (u8)(LOG_SIZE >> 8);
  to->value[FILESIZE][3] = (u8)LOG_SIZE;
  to->size[VISIBILITY] = 1;
}

static bool may_answer(const Answers *answers) {
  return answers->has_answer && (answers != &log_flash || now() >= log_free_at);
}

static bool interface_chip_asserts(void) {
  return may_answer(&interface_chip) || may_answer(&log_flash);
}

static i64 next_answer(void) {
  return !log_flash.has_answer || may_answer(&log_flash) ? NEVER : log_free_at;
}

// Write the settings, if they have changed, or erase them. Returns microseconds.
static u32 store_settings(u32 command) {
  if (command == ERASE_CONFIG) set_by_default(&settings);
  else if (is_same(&stored, &settings, sizeof stored)) return 0;
  stored = settings;
  return LOG_ERASE_US + (command == WRITE_CONFIG ? CONFIG_WORDS * LOG_WRITE_US : 0);
}

// Read, write or erase. Returns how many microseconds that takes.
static u32 access_log(u32 command, const u8 *data, u32 size) {
  u32 at = big_endian(data + 1, 3), length_or_end = big_endian(data + 4, 4);
  answer(&log_flash, data, HEADER);
  if (command == READ) {
    log_flash.from = at;
    log_flash.more = length_or_end;
    return 0;
  }
  if (command == WRITE) {
    for (u32 place = HEADER; place < size && at < LOG_SIZE; place++) log_memory[at++] &= data[place];
    return (size - HEADER) / 4 * LOG_WRITE_US;
  }
  u32 end = (u32)least((i64)length_or_end + SECTOR, LOG_SIZE);  // it is the last sector's address
  if (at >= end) return 0;
  fill(log_memory + at, 0xff, end - at);
  return (end - at + SECTOR - 1) / SECTOR * LOG_ERASE_US;
}

// Take a request: read, write or erase flash, or get or set a property of its file.
static void write_log_flash(void *self, const u8 *data, u32 size) {
  (void)self;
  u32 command = size ? data[0] : 0, us = 0;
  bool is_setting = command >= FILENAME && command <= VISIBILITY;
  if (command >= READ && command <= ERASE && size >= HEADER) us = access_log(command, data, size);
  else {
    if (is_setting && size > 1) {
      u32 length = size - 1 < 32 ? size - 1 : 32;
      fill(settings.value[command], 0, 32);
      copy(settings.value[command], data + 1, length);
      settings.size[command] = (u8)length;
    } else if (command == WRITE_CONFIG || command == ERASE_CONFIG) us = store_settings(command);
    else if (command == REMOUNT) mounted = settings;
    u8 reply[33] = {(u8)command};
    u32 length = 0;
    if (is_setting) {
      length = settings.size[command];
      copy(reply + 1, settings.value[command], length);
    } else if (command == DISK_SIZE) reply[length++ + 1] = LOG_SIZE / SECTOR;
    else if (command == SECTOR_SIZE) {
      reply[1] = SECTOR >> 8;
      length = 2;
    }
    answer(&log_flash, reply, 1 + length);
  }
  log_free_at = most(now(), log_free_at) + cycles(us);
}

// A loss of power: what is not stored is lost. `forget` makes it a new chip.
static void reset_interface_chip(bool forget) {
  if (forget) {
    fill(log_memory, 0xff, sizeof log_memory);
    set_by_default(&stored);
  }
  interface_chip.has_answer = log_flash.has_answer = false;
  settings = mounted = stored;
  log_free_at = now();
}

static void connect_interface_chip(void) {
  bus_devices[bus_device_count++] =
      (BusDevice){0x70, write_interface_chip, read_answer, &interface_chip};
  bus_devices[bus_device_count++] = (BusDevice){0x72, write_log_flash, read_answer, &log_flash};
  reset_interface_chip(true);
}

void *EXPORT(log_at)(void) { return log_memory; }

// The size of the file of this flash on the drive; -1 if there is none.
i32 EXPORT(log_size)(void) {
  if (mounted.size[VISIBILITY] == 1 && mounted.value[VISIBILITY][0] == 0) return -1;
  u32 size = big_endian(mounted.value[FILESIZE], mounted.size[FILESIZE]);
  return (i32)least(size, LOG_SIZE);
}
