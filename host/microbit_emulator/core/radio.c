// RADIO: sends packets to, and receives packets from, other micro:bits in the same ether.
//
// Modelled: its states and their times; packets from and to RAM, and their times on the air;
// logical addresses; CRCSTATUS and signal strength; shorts. FREQUENCY, MODE and the addresses count
// from the next START. A receiving radio shows nothing of a packet until its end: ADDRESS and
// PAYLOAD come only then, and RAM is written as a whole. A packet is
//
//     preamble | address (base, prefix) | S0 | LENGTH | S1 | payload | CRC
//
// S0, LENGTH, S1 and payload come from RAM; S0 and S1 are often left out. Times on the air are in
// ticks of 1/64 microsecond, of which the clocks of both chips and the bits of all modes take whole
// numbers.
//
// A packet is received if the radio, with the same address, was receiving before the packet began
// and until its end. Its CRC is wrong if the payload is longer than MAXLEN here, or has another
// layout. The host carries packets: it finds those that were sent in `air`, and delivers them.
//
// Not modelled: STOP, fast ramp-up, Bluetooth's long range, IEEE 802.15.4, the bit counter, the
// events of device addresses, TIFS, the strength of anything but packets (always the weakest).
//
// Source: nRF51 Series Reference Manual 3.0, RADIO; nRF52833 Product Specification 1.3.
#include "core.h"

enum {
  RADIO = 0x40001000,
  TXEN = 0x000, RXEN = 0x004, RADIO_START = 0x008, RADIO_DISABLE = 0x010, RSSISTART = 0x014,
  RSSISTOP = 0x018,
  RADIO_READY = 0x100, ADDRESS_EVENT = 0x104, PAYLOAD = 0x108, RADIO_END = 0x10c,
  DISABLED = 0x110, RSSIEND = 0x11c,
  CRCSTATUS = 0x400, RXMATCH = 0x408,
  PACKETPTR = 0x504, RADIO_FREQUENCY = 0x508, TXPOWER = 0x50c, RADIO_MODE = 0x510, PCNF0 = 0x514,
  PCNF1 = 0x518, BASE0 = 0x51c, BASE1 = 0x520, PREFIX0 = 0x524, PREFIX1 = 0x528,
  TXADDRESS = 0x52c, RXADDRESSES = 0x530, CRCCNF = 0x534, CRCPOLY = 0x538, CRCINIT = 0x53c,
  RSSISAMPLE = 0x548, RADIO_STATE = 0x550, DATAWHITEIV = 0x554, OVERRIDE_END = 0x738,
  READY_START = 1 << 0, END_DISABLE = 1 << 1, DISABLED_TXEN = 1 << 2, DISABLED_RXEN = 1 << 3,
  ADDRESS_RSSISTART = 1 << 4, END_START = 1 << 5,
  RAMP_UP_US = 140, DISABLE_US = 6,
  WEAKEST = 127,  // -127 dBm
  WHITENING = 1 << 25, TICK_HZ = 64000000, MAX_PAYLOAD = 256, MAX_ADDRESS = 5,
};
enum { OFF, RX_RAMP, RX_IDLE, RX, RX_DISABLE, TX_RAMP = 9, TX_IDLE, TX, TX_DISABLE };

// A packet, as its sender's or a receiver's registers describe it.
typedef struct {
  i64 time;                         // when it began, or ends here, in cycles
  u32 to_address, to_crc, to_end;   // the times of its parts, in ticks
  u32 is_cut;                       // not a packet: sending ended early at this time
  u32 frequency;
  i32 dbm;
  u32 mode, pcnf0, pcnf1, crccnf;   // its layout on the air and in RAM
  u32 code[3];                      // the settings of CRC and whitening
  u32 address_size, header_size, payload_size;
  u8 address[8], header[4], payload[MAX_PAYLOAD];
} Packet;

enum { AIR_PACKETS = 16 };
static struct {
  u32 is_in_ether;
  u32 listens;           // whether the radio receives,
  u32 mode, frequency;   // how,
  u32 address_count;     // with which addresses,
  i64 listens_since;     // and since when
  u8 addresses[8][8];    // the size of each, then its bytes
  u32 logical[8];
  u32 sent_count;        // the host takes these after each run
  Packet sent[AIR_PACKETS];
  u32 damaged;           // what came of the packet that is delivered:
  Packet delivered;
} air;
static Device delivery;

void *EXPORT(air_at)(void) { return &air; }

static void set_state(Page *page, u32 state) {
  *value(page, RADIO_STATE) = state;
  air.listens = state == RX;
}

// The settings that must match the sender's, or else the CRC is wrong.
static void get_code(Page *page, u32 *code) {
  u32 crc_bytes = *value(page, CRCCNF) & 3, mask = crc_bytes ? (1u << 8 * crc_bytes) - 1 : 0;
  bool is_white = *value(page, PCNF1) & WHITENING;
  code[0] = *value(page, CRCPOLY) & mask;
  code[1] = *value(page, CRCINIT) & mask;
  code[2] = is_white ? *value(page, DATAWHITEIV) & 0x3f : DISCONNECTED;
}

// The bytes of a logical address: the most significant of the base, then the prefix.
static u32 get_address(Page *page, u32 logical, u8 *address) {
  u32 base = *value(page, logical ? BASE1 : BASE0), size = *value(page, PCNF1) >> 16 & 7;
  u32 prefixes = *value(page, logical < 4 ? PREFIX0 : PREFIX1);
  if (size > 4) size = 4;
  for (u32 at = 0; at < size; at++) address[at] = (u8)(base >> (24 - 8 * at));
  address[size] = (u8)(prefixes >> 8 * (logical & 3));
  return size + 1;
}

static u32 header_size(u32 pcnf0) {
  return (pcnf0 >> 8 & 1) + !!(pcnf0 & 15) + !!(pcnf0 >> 16 & 0x1f);
}

// Bytes of the payload, from the header in RAM; at most MAXLEN.
static u32 payload_size(u32 pcnf0, u32 pcnf1, const u8 *header) {
  u32 length_bits = pcnf0 & 15;
  u32 length = length_bits ? header[pcnf0 >> 8 & 1] & ((1u << length_bits) - 1) : 0;
  return (u32)least(length + (pcnf1 >> 8 & 0xff), pcnf1 & 0xff);
}

// Ticks of a bit, by MODE: 1 and 2 Mbit/s, 250 kbit/s, and Bluetooth's 1 and 2 Mbit/s; else 0.
static u32 bit_ticks(u32 mode) {
  static const u16 ticks[] = {64, 32, 256, 64, 32};
  return mode < COUNT(ticks) ? ticks[mode] : 0;
}

// The times of preamble and address, of the rest up to the CRC, and of the CRC.
static void set_times(Packet *packet) {
  u32 pcnf0 = packet->pcnf0, bit = bit_ticks(packet->mode), preamble = pcnf0 >> 24 & 3 ? 16 : 8;
  u32 header_bits = (pcnf0 & 15) + 8 * (pcnf0 >> 8 & 1) + (pcnf0 >> 16 & 15);
  packet->to_address = (preamble + 8 * ((packet->pcnf1 >> 16 & 7) + 1)) * bit;
  packet->to_crc = (header_bits + 8 * packet->payload_size) * bit;
  packet->to_end = 8 * (packet->crccnf & 3) * bit;
}

static void get_layout(Page *page, Packet *packet) {
  packet->mode = *value(page, RADIO_MODE);
  packet->pcnf0 = *value(page, PCNF0);
  packet->pcnf1 = *value(page, PCNF1);
  packet->crccnf = *value(page, CRCCNF);
}

// Tell the host what happens on the air.
static Packet *note_on_air(void) {
  Packet *packet = &air.sent[air.sent_count];
  if (air.sent_count < AIR_PACKETS - 1) air.sent_count++;
  if (air.sent_count >= AIR_PACKETS - 4) stop_for(OUTPUT_FULL, 0, 0);
  packet->time = now();
  packet->is_cut = 0;
  return packet;
}

// States.

static void reach(Page *page, u32 state, u32 event) {
  set_state(page, state);
  set_event(page, event);
}

static void become_ready(Page *page) {
  reach(page, *value(page, RADIO_STATE) == TX_RAMP ? TX_IDLE : RX_IDLE, RADIO_READY);
  if (*value(page, SHORTS) & READY_START) trigger(page, RADIO_START);
}

static void ramp_up(Page *page, u32 state) {
  set_state(page, state);
  begin(page, cycles(RAMP_UP_US), become_ready);
}

static void end_packet(Page *page, u32 idle) {
  reach(page, idle, RADIO_END);
  if (*value(page, SHORTS) & END_DISABLE) trigger(page, RADIO_DISABLE);
  else if (*value(page, SHORTS) & END_START) trigger(page, RADIO_START);
}

static void become_disabled(Page *page) {
  reach(page, OFF, DISABLED);
  if (*value(page, SHORTS) & DISABLED_TXEN) trigger(page, TXEN);
  else if (*value(page, SHORTS) & DISABLED_RXEN) trigger(page, RXEN);
}

static void disable(Page *page) {
  u32 state = *value(page, RADIO_STATE);
  if (state == TX) fall_silent();
  if (state != OFF) set_state(page, state < TX_RAMP ? RX_DISABLE : TX_DISABLE);
  begin(page, cycles(DISABLE_US), become_disabled);
}

// Stop sending; a packet on the air is cut short.
static void fall_silent(void) {
  if (air.is_in_ether) note_on_air()->is_cut = 1;
}

// Packets.

static Packet sending;
static i64 ticks_to_cycles(u32 ticks) { return ticks / (TICK_HZ / kind->hz); }

static void all_sent(Page *page) { end_packet(page, TX_IDLE); }

static void payload_sent(Page *page) {
  set_event(page, PAYLOAD);
  begin(page, ticks_to_cycles(sending.to_end), all_sent);
}

static void address_sent(Page *page) {
  set_event(page, ADDRESS_EVENT);
  begin(page, ticks_to_cycles(sending.to_crc), payload_sent);
}

static void send_packet(Page *page) {
  u32 from = *value(page, PACKETPTR);
  get_layout(page, &sending);
  set_state(page, TX);
  sending.header_size = header_size(sending.pcnf0);
  copy_out(from, sending.header, sending.header_size);
  sending.payload_size = payload_size(sending.pcnf0, sending.pcnf1, sending.header);
  set_times(&sending);
  if (air.is_in_ether) {
    sending.frequency = *value(page, RADIO_FREQUENCY) & 0x17f;
    sending.dbm = (i8)*value(page, TXPOWER);
    sending.address_size = get_address(page, *value(page, TXADDRESS) & 7, sending.address);
    get_code(page, sending.code);
    copy_out(from + sending.header_size, sending.payload, sending.payload_size);
    sending.time = now();
    sending.is_cut = 0;
    copy(note_on_air(), &sending, sizeof sending);
  }
  begin(page, ticks_to_cycles(sending.to_address), address_sent);
}

static void listen(Page *page) {
  set_state(page, RX);
  air.frequency = *value(page, RADIO_FREQUENCY) & 0x17f;
  air.mode = *value(page, RADIO_MODE);
  air.address_count = 0;
  for (u32 logical = 0; logical < 8; logical++)
    if (*value(page, RXADDRESSES) >> logical & 1) {
      u8 *address = air.addresses[air.address_count];
      address[0] = (u8)get_address(page, logical, address + 1);
      air.logical[air.address_count++] = logical;
    }
  if (!air.is_in_ether) return;
  air.listens_since = now();
  stop_for(LISTENS, 0, 0);  // other boards may have to catch up first
}

// The place of a packet's address among those that are received; -1 if it is none of them, or if
// the radio has not been receiving, with this address, since before the packet began.
static i32 heard_as(const Packet *packet) {
  if (!air.listens || air.listens_since > packet->time || air.frequency != packet->frequency ||
      *value(page_at(RADIO), RADIO_MODE) != packet->mode)
    return -1;
  for (u32 at = 0; at < air.address_count; at++)
    if (air.addresses[at][0] == packet->address_size &&
        is_same(air.addresses[at] + 1, packet->address, packet->address_size))
      return (i32)air.logical[at];
  return -1;
}

static bool has_same_fields(Page *page, const Packet *packet) {
  const u32 length_field = 0xffffff, all_but_maximum = 0xffffff00;
  return *value(page, RADIO_MODE) == packet->mode && *value(page, CRCCNF) == packet->crccnf &&
         !((*value(page, PCNF0) ^ packet->pcnf0) & length_field) &&
         !((*value(page, PCNF1) ^ packet->pcnf1) & all_but_maximum);
}

// The delivered packet ends here.
static void receive(void *owner) {
  Page *page = page_at(RADIO);
  const Packet *packet = &air.delivered;
  i32 logical = heard_as(packet);
  (void)owner;
  if (logical < 0) return;
  u32 code[3], size = packet->payload_size, to = *value(page, PACKETPTR);
  get_code(page, code);
  bool is_right = !air.damaged && is_same(code, packet->code, sizeof code) &&
                  has_same_fields(page, packet) &&
                  payload_size(*value(page, PCNF0), *value(page, PCNF1), packet->header) == size;
  copy_in(to, packet->header, packet->header_size);
  copy_in(to + packet->header_size, packet->payload, (u32)least(size, *value(page, PCNF1) & 0xff));
  *value(page, RXMATCH) = (u32)logical;
  *value(page, CRCSTATUS) = is_right;
  set_event(page, ADDRESS_EVENT);
  if (*value(page, SHORTS) & ADDRESS_RSSISTART) {
    *value(page, RSSISAMPLE) = (u32)most(0, least(-packet->dbm, WEAKEST));
    set_event(page, RSSIEND);
  }
  set_event(page, PAYLOAD);
  end_packet(page, RX_IDLE);
}

// Deliver the packet that the host has put into `air`, whose end is at this time, in cycles.
void EXPORT(deliver)(double end) {
  schedule(&delivery, NEVER);
  schedule(&delivery, most((i64)end, now()));
  update_status();
}

// Registers.

static bool radio_task(Page *page, u32 offset) {
  u32 state = *value(page, RADIO_STATE);
  switch (offset) {
    case TXEN: ramp_up(page, TX_RAMP); return true;
    case RXEN: ramp_up(page, RX_RAMP); return true;
    case RADIO_START:
      if (!bit_ticks(*value(page, RADIO_MODE))) return false;
      if (state == TX_IDLE) send_packet(page);
      else if (state == RX_IDLE) listen(page);
      return true;
    case RADIO_DISABLE: disable(page); return true;
    case RSSISTART:
      *value(page, RSSISAMPLE) = WEAKEST;
      set_event(page, RSSIEND);
      return true;
    default: return offset == RSSISTOP;
  }
}

static void reset_radio(Page *page) {
  fall_silent();
  *value(page, RSSISAMPLE) = WEAKEST;
  *value(page, POWER) = 1;
  air.listens = 0;
  air.address_count = 0;
}

static void attach_radio(void) {
  Page *page = attach_slow(RADIO);
  page->task = radio_task;
  page->polled = 1ull << 0 | 1ull << 3 | 1ull << 4;  // READY, END, DISABLED
  model(page, RADIO_READY, DISABLED);
  model(page, RSSIEND, RSSIEND);
  model(page, SHORTS, SHORTS);
  model(page, CRCSTATUS, OVERRIDE_END - 4);
  model(page, POWER, POWER);
  page->reset = reset_radio;
  reset_radio(page);
  add_device(&delivery, receive, NULL);
}
