// The I2C bus, and the chips' serial masters, each a page of registers for I2C or SPI.
//
// Modelled: the nRF51's TWI, byte by byte, with SUSPEND and STOP; the nRF52's TWIM, with DMA, a
// whole transfer at a time; the times of SPI and SPIM, with nothing on their wires (they read
// zeros). Not modelled: lists, clock stretching, arbitration, a NACK to a data byte.
//
// Source: nRF51 Series Reference Manual 3.0, TWI and SPI; nRF52833 Product Specification 1.3, TWIM
// and SPIM.
#include "core.h"

enum {
  BUS_STARTRX = 0x000, BUS_STARTTX = 0x008, SPIM_START = 0x010, BUS_STOP = 0x014,
  BUS_SUSPEND = 0x01c, BUS_RESUME = 0x020,
  BUS_STOPPED = 0x104, RXDREADY = 0x108, TXDSENT = 0x11c, BUS_ERROR = 0x124, BB = 0x138,
  SUSPENDED = 0x148, BUS_RXSTARTED = 0x14c, BUS_TXSTARTED = 0x150, LASTRX = 0x15c, LASTTX = 0x160,
  SPI_READY = 0x108, SPIM_ENDRX = 0x110, SPIM_END = 0x118, SPIM_ENDTX = 0x120,
  SPIM_STARTED = 0x14c,
  BUS_ERRORSRC = 0x4c4, PSELSCL = 0x508, PSELSDA = 0x50c, BUS_RXD = 0x518, BUS_TXD = 0x51c,
  BUS_FREQUENCY = 0x524, BUS_ADDRESS = 0x588,
  BUS_RXD_PTR = 0x534, BUS_RXD_MAXCNT = 0x538, BUS_RXD_AMOUNT = 0x53c,
  BUS_TXD_PTR = 0x544, BUS_TXD_MAXCNT = 0x548, BUS_TXD_AMOUNT = 0x54c,
  BB_STOP = 1 << 1, LASTTX_STARTRX = 1 << 7, LASTTX_SUSPEND = 1 << 8, LASTTX_STOP = 1 << 9,
  LASTRX_STOP = 1 << 12, SPIM_END_START = 1 << 17, ANACK = 1 << 1, SPI_ENABLED = 1,
  BITS = 9,  // of a byte on the bus, with its acknowledge
  MAX_TRANSFER = 4096, MAX_MASTERS = 4,
};

static BusDevice bus_devices[4];
static u32 bus_device_count;

typedef struct {
  BusDevice *device;
  bool is_reading;
  bool is_sending;
  u32 sent_count;
  u8 sent[256];
} Master;

static Master masters[MAX_MASTERS];
static u32 master_count;
static u8 transfer[MAX_TRANSFER];

// The device that acknowledges the address on the chosen pins, if any. Other pins have no devices.
static BusDevice *find_device(Page *page) {
  if (*value(page, PSELSCL) != kind->scl || *value(page, PSELSDA) != kind->sda) return NULL;
  for (u32 at = 0; at < bus_device_count; at++)
    if (bus_devices[at].address == *value(page, BUS_ADDRESS)) return &bus_devices[at];
  return NULL;
}

static i64 byte_cycles(Page *page) {
  u32 hz = 100000;
  switch (*value(page, BUS_FREQUENCY)) {
    case 0x04000000: hz = 250000; break;
    case 0x06400000: case 0x06680000: hz = 400000; break;
  }
  return (i64)BITS * kind->hz / hz;
}

static i64 spi_cycles(Page *page, u32 size) {
  u32 frequency = *value(page, BUS_FREQUENCY);
  i64 hz = most(1, frequency / 0x02000000) * 125000;
  if (frequency == 0x0a000000) hz = 16000000;
  if (frequency == 0x14000000) hz = 32000000;
  return (i64)8 * size * kind->hz / hz;
}

static void nack(Page *page) {
  *value(page, BUS_ERRORSRC) |= ANACK;
  set_event(page, BUS_ERROR);
}

static void after_transfer(void) { ports[0].inputs_change = 0; }

// The nRF51's TWI, or SPI if ENABLE says so.

static void twi_stop(Page *page);

static void twi_boundary(Page *page, u32 event) {
  set_event(page, event);
  set_event(page, BB);
  if (*value(page, SHORTS) & BB_STOP) twi_stop(page);
}

static void twi_sent(Page *page) { twi_boundary(page, TXDSENT); }

static void twi_got(Page *page) {
  Master *master = page->self;
  if (master->device) {
    u8 byte = 0;
    master->device->read(master->device->self, &byte, 1);
    *value(page, BUS_RXD) = byte;
    after_transfer();
  }
  twi_boundary(page, RXDREADY);
}

// Give the device what was sent to it: a transfer is complete by a stop or a repeated start.
static void twi_deliver(Page *page) {
  Master *master = page->self;
  if (master->is_sending && master->sent_count && master->device) {
    master->device->write(master->device->self, master->sent, master->sent_count);
    after_transfer();
  }
  master->is_sending = false;
}

static void twi_start(Page *page, bool is_reading) {
  Master *master = page->self;
  twi_deliver(page);
  master->is_reading = is_reading;
  master->is_sending = !is_reading;
  master->sent_count = 0;
  master->device = find_device(page);
  if (!master->device) begin(page, byte_cycles(page), nack);
  else if (is_reading) begin(page, 2 * byte_cycles(page), twi_got);  // the address goes first
}

static void spi_done(Page *page) { set_event(page, SPI_READY); }

static void twi_send(Page *page, u32 new) {
  Master *master = page->self;
  *value(page, BUS_TXD) = new;
  if (*value(page, ENABLE) == SPI_ENABLED) begin(page, spi_cycles(page, 1), spi_done);
  else if (!master->device || !master->is_sending) begin(page, byte_cycles(page), nack);
  else {
    u32 bytes_before = master->sent_count ? 0 : 1;  // the address
    if (master->sent_count < sizeof master->sent) master->sent[master->sent_count++] = (u8)new;
    begin(page, (1 + bytes_before) * byte_cycles(page), twi_sent);
  }
}

static void bus_stopped(Page *page) { set_event(page, BUS_STOPPED); }

static void nack_and_stop(Page *page) {
  nack(page);
  bus_stopped(page);
}

static void twi_stop(Page *page) {
  Master *master = page->self;
  twi_deliver(page);
  master->is_reading = false;
  if (!master->device && is_under_way(page))  // the address goes out first
    begin(page, byte_cycles(page), nack_and_stop);
  else begin(page, byte_cycles(page) / BITS, bus_stopped);
}

static bool twi_task(Page *page, u32 offset) {
  Master *master = page->self;
  switch (offset) {
    case BUS_STARTRX: twi_start(page, true); return true;
    case BUS_STARTTX: twi_start(page, false); return true;
    case BUS_STOP: twi_stop(page); return true;
    case BUS_RESUME:
      if (master->is_reading && master->device) begin(page, byte_cycles(page), twi_got);
      return true;
    default: return offset == BUS_SUSPEND;
  }
}

// The nRF52's TWIM, or SPIM, which has its own start task.

static void twim_start(Page *page, bool is_reading);

static void twim_done(Page *page) {
  Master *master = page->self;
  u32 shorts = *value(page, SHORTS), reading = master->is_reading;
  u32 size = master->sent_count < MAX_TRANSFER ? master->sent_count : MAX_TRANSFER;
  if (reading) {
    master->device->read(master->device->self, transfer, size);
    copy_in(*value(page, BUS_RXD_PTR), transfer, size);
  } else {
    copy_out(*value(page, BUS_TXD_PTR), transfer, size);
    master->device->write(master->device->self, transfer, size);
  }
  after_transfer();
  *value(page, reading ? BUS_RXD_AMOUNT : BUS_TXD_AMOUNT) = master->sent_count;
  set_event(page, reading ? LASTRX : LASTTX);
  if (!reading && shorts & LASTTX_STARTRX) twim_start(page, true);
  if (!reading && shorts & LASTTX_SUSPEND) set_event(page, SUSPENDED);
  if (shorts & (reading ? LASTRX_STOP : LASTTX_STOP)) set_event(page, BUS_STOPPED);
}

static void twim_start(Page *page, bool is_reading) {
  Master *master = page->self;
  BusDevice *device = find_device(page);
  u32 size = *value(page, is_reading ? BUS_RXD_MAXCNT : BUS_TXD_MAXCNT);
  set_event(page, is_reading ? BUS_RXSTARTED : BUS_TXSTARTED);
  abandon(page);
  if (!device) begin(page, byte_cycles(page), nack);
  else if (size) {  // the address goes first
    master->device = device;
    master->is_reading = is_reading;
    master->sent_count = size;
    begin(page, (1 + (i64)size) * byte_cycles(page), twim_done);
  }
}

static void spim_start(Page *page);

static void spim_done(Page *page) {
  u32 size = *value(page, BUS_RXD_MAXCNT);
  u8 *to = memory_at(*value(page, BUS_RXD_PTR), size);
  if (to && *value(page, BUS_RXD_PTR) >= RAM) fill(to, 0, size);
  *value(page, BUS_RXD_AMOUNT) = size;
  *value(page, BUS_TXD_AMOUNT) = *value(page, BUS_TXD_MAXCNT);
  set_event(page, SPIM_ENDRX);
  set_event(page, SPIM_ENDTX);
  set_event(page, SPIM_END);
  if (*value(page, SHORTS) & SPIM_END_START) spim_start(page);
}

static void spim_start(Page *page) {
  u32 size = (u32)most(*value(page, BUS_RXD_MAXCNT), *value(page, BUS_TXD_MAXCNT));
  set_event(page, SPIM_STARTED);
  begin(page, spi_cycles(page, size), spim_done);
}

static bool twim_task(Page *page, u32 offset) {
  switch (offset) {
    case BUS_STARTRX: twim_start(page, true); return true;
    case BUS_STARTTX: twim_start(page, false); return true;
    case SPIM_START: spim_start(page); return true;
    case BUS_STOP: abandon(page); set_event(page, BUS_STOPPED); return true;
    case BUS_SUSPEND: set_event(page, SUSPENDED); return true;
    default: return offset == BUS_RESUME;
  }
}

static void write_master(Page *page, u32 offset, u32 size, u32 new) {
  if (offset == BUS_ERRORSRC) *value(page, offset) &= ~new;  // writing ones clears them
  else if (offset == BUS_TXD && !kind->is_v2) twi_send(page, new);
  else write_register(page, offset, size, new);
}

static void reset_master(Page *page) { fill(page->self, 0, sizeof(Master)); }

static void attach_bus_master(u32 base) {
  Page *page = attach_slow(base);
  page->self = &masters[master_count++];
  page->reset = reset_master;
  reset_master(page);
  page->write = write_master;
  page->task = kind->is_v2 ? twim_task : twi_task;
  model(page, BUS_STOPPED, LASTTX);
  model_settings(page);
  model(page, BUS_ERRORSRC, BUS_ERRORSRC);
  page->polled = ((1ull << ((LASTTX - BUS_STOPPED) / 4 + 1)) - 1) << ((BUS_STOPPED - EVENTS) / 4);
}
