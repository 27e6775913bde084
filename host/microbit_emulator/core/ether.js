// Radio between the micro:bits of one page: see ether.py, of which this is the part without chance.
//
// No listening board may run past a time at which a packet could end that has not begun. Times are
// in ticks of 1/64 microsecond. A packet that another one disturbs, or that its sender cuts short,
// arrives with a wrong CRC, or not at all if its address is disturbed.

const TICKS_PER_US = 64, LISTENS_AT = 1;
const LOOKAHEAD = (140 + 16 - 1) * TICKS_PER_US; // the shortest time from TXEN to a packet's end
const SENSITIVITY_DBM = [-93, -89, -96, -96, -92]; // by MODE, the weakest that is received
const REMEMBERED = 1000;
// `air` in radio.c: where its parts are, in bytes, and the parts of a packet there.
const ADDRESS_COUNT = 16, SINCE = 24, ADDRESSES = 32, SENT_COUNT = 128, SENT = 136, SENT_MAX = 16;
const SIZE = 344, TO_ADDRESS = 8, IS_CUT = 20, FREQUENCY = 24, DBM = 28, MODE = 32;
const ADDRESS_SIZE = 60, PAYLOAD_SIZE = 68, ADDRESS = 72, PAYLOAD = 84;
const DAMAGED = SENT + SENT_MAX * SIZE, DELIVERED = DAMAGED + 8;

// A board's place in the air, and its time there.
class Antenna {
  constructor(name, board, ether) {
    Object.assign(this, { name, board, ether });
    this.ticksPerCycle = TICKS_PER_US / board.cyclesPerUs;
    this.origin = board.times[0];
    this.at = board.core.air_at();
    this.view = new DataView(board.memory.buffer, this.at, DELIVERED + SIZE);
    this.#set(0, 1); // it is in an ether
    board.ether = ether;
    board.afterRun = () => this.#takeSent();
  }

  #get(at) { return this.view.getUint32(at, true); }
  #set(at, word) { this.view.setUint32(at, word, true); }
  get listens() { return this.#get(4 * LISTENS_AT) !== 0; }
  get now() { return (this.board.times[0] - this.origin) * this.ticksPerCycle; }
  get idleUntil() { return (this.board.times[1] - this.origin) * this.ticksPerCycle; }
  cycleAt(ticks) { return this.origin + Math.ceil(ticks / this.ticksPerCycle); }
  standAt(ticks) { this.origin += this.board.times[0] - this.cycleAt(ticks); }
  runTo(ticks) { if (this.now < ticks) this.board.runToCycle(this.cycleAt(ticks)); }

  runDeaf(ticks) {
    while (!this.listens && this.now < ticks && this.board.hasPower) this.runTo(ticks);
  }

  #takeSent() {
    const count = this.#get(SENT_COUNT);
    for (let nth = 0; nth < count; nth++) {
      const bytes = new Uint8Array(this.view.buffer, this.at + SENT + nth * SIZE, SIZE).slice();
      const view = new DataView(bytes.buffer), word = (at) => view.getUint32(at, true);
      const start = (Number(view.getBigInt64(0, true)) - this.origin) * this.ticksPerCycle;
      if (word(IS_CUT)) {
        this.ether.cut(this.name, start);
        continue;
      }
      const addressEnd = start + word(TO_ADDRESS);
      this.ether.begin({
        sender: this.name, start, addressEnd, bytes, view, isCut: false,
        end: addressEnd + word(TO_ADDRESS + 4) + word(TO_ADDRESS + 8),
        frequency: word(FREQUENCY), dbm: view.getInt32(DBM, true), mode: word(MODE),
        address: bytes.slice(ADDRESS, ADDRESS + word(ADDRESS_SIZE)).join(),
        payload: bytes.slice(PAYLOAD, PAYLOAD + word(PAYLOAD_SIZE)),
      });
    }
    this.#set(SENT_COUNT, 0);
  }

  // Whether the radio has been receiving, with this address, since before the packet began.
  hears(packet) {
    const since = (Number(this.view.getBigInt64(SINCE, true)) - this.origin) * this.ticksPerCycle;
    if (!this.listens || since > packet.start) return false;
    if (this.#get(8) !== packet.mode || this.#get(12) !== packet.frequency) return false;
    for (let nth = 0; nth < this.#get(ADDRESS_COUNT); nth++) {
      const at = this.at + ADDRESSES + 8 * nth;
      const [size, ...rest] = new Uint8Array(this.view.buffer, at, 8);
      if (rest.slice(0, size).join() === packet.address) return true;
    }
    return false;
  }

  deliver(packet, dbm, damaged) {
    new Uint8Array(this.view.buffer, this.at + DELIVERED, SIZE).set(packet.bytes);
    const start = this.origin + Math.floor(packet.start / this.ticksPerCycle);
    this.view.setBigInt64(DELIVERED, BigInt(start), true);
    this.view.setInt32(DELIVERED + DBM, dbm, true);
    this.#set(DAMAGED, damaged ? 1 : 0);
    this.board.core.deliver(Math.max(this.cycleAt(packet.end), this.board.times[0]));
  }
}

/** Micro:bits in radio contact, by name. Running one of them, or this, runs them all.
 *  `attenuation` is the loss on the way in decibels, or a function of sender and receiver. */
export class Ether {
  constructor(boards, { attenuation = 60, collisions = true } = {}) {
    Object.assign(this, { attenuation, collisions, reached: 0, flying: [], landed: [] });
    this.history = []; // the last packets that have ended, received or not
    this.antennas = Object.keys(boards).sort().map((name) => new Antenna(name, boards[name], this));
  }

  get clockUs() { return Math.floor(this.reached / TICKS_PER_US); }
  runFor(us) { this.#runTo(this.reached + Math.round(us * TICKS_PER_US)); }

  // Run all boards to a time of one of them, in its cycles.
  runWith(board, cycle) {
    const { origin, ticksPerCycle } = this.antennas.find((antenna) => antenna.board === board);
    this.#runTo((cycle - origin) * ticksPerCycle);
  }

  begin(packet) {
    this.flying.push(packet);
    this.flying.sort((a, b) => a.end - b.end || a.start - b.start || (a.sender < b.sender ? -1 : 1));
  }

  cut(sender, now) {
    for (const packet of this.flying)
      if (packet.sender === sender && packet.end > now) packet.isCut = true;
  }

  #runTo(ticks) {
    const powered = this.antennas.filter((antenna) => antenna.board.hasPower);
    for (const antenna of powered) antenna.runDeaf(ticks);
    this.#advance(powered, ticks);
    while (this.flying.length && this.flying[0].end <= ticks) {
      this.#land(this.flying[0].end);
      this.#advance(powered, ticks);
    }
    this.reached = Math.max(this.reached, ticks);
    for (const antenna of this.antennas) if (!antenna.board.hasPower) antenna.standAt(this.reached);
  }

  // Run all boards to a time, or to the next packet's end; the next to act goes first.
  #advance(powered, ticks) {
    let end = ticks;
    const acting = powered.filter((antenna) => antenna.now < ticks);
    while (acting.length) {
      if (this.flying.length) end = Math.min(ticks, this.flying[0].end);
      const [first, second] = acting.sort(
        (a, b) => a.idleUntil - b.idleUntil || (a.name < b.name ? -1 : 1));
      if (first.idleUntil >= end) break;
      first.runTo(second ? Math.min(end, second.idleUntil + LOOKAHEAD) : end);
      first.runDeaf(ticks);
      if (first.now >= ticks || !first.board.hasPower) acting.shift();
    }
    for (const antenna of acting) antenna.runTo(end);
  }

  // End the packets that have ended by now, which all boards have reached.
  #land(now) {
    while (this.flying.length && this.flying[0].end <= now) {
      const packet = this.flying.shift();
      const others = [...this.landed, ...this.flying].filter((other) => this.collisions &&
        other.frequency === packet.frequency && overlap(other, packet.start, packet.end));
      for (const antenna of this.antennas)
        if (antenna.board.hasPower && antenna.hears(packet)) this.#arrive(antenna, packet, others);
      this.landed.push(packet);
      this.history = [...this.history.slice(1 - REMEMBERED), packet];
      const starts = this.flying.map((other) => other.start);
      const first = Math.min(packet.end, ...(starts.length ? [Math.min(...starts)] : []));
      this.landed = this.landed.filter((other) => other.end > (starts.length ? first : packet.end));
    }
  }

  #arrive(antenna, packet, others) {
    const dbm = this.#dbm(packet, antenna.name);
    const disturbing = others.filter((other) => this.#dbm(other, antenna.name) !== null);
    if (dbm === null) return;
    if (disturbing.some((other) => overlap(other, packet.start, packet.addressEnd))) return;
    antenna.deliver(packet, dbm, disturbing.length > 0 || packet.isCut);
  }

  // The strength of a packet at a receiver; null if it is not received.
  #dbm(packet, receiver) {
    const { attenuation } = this;
    const lost = typeof attenuation === "function" ? attenuation(packet.sender, receiver) : attenuation;
    const dbm = Math.round(packet.dbm - lost);
    return dbm >= SENSITIVITY_DBM[packet.mode] ? dbm : null;
  }
}

const overlap = (packet, start, end) => packet.start < end && start < packet.end;
