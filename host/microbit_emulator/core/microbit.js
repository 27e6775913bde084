// A micro:bit in a browser: core.wasm with the interface of a person, a computer and a debugger.
//
//     const core = await loadCore(await (await fetch("core.wasm")).arrayBuffer());
//     const board = new Microbit(core, "V1", { flash, uicr });
//     const stop = play(board, () => draw(board.leds()));
//     board.press("A");
//
// Device time passes only in `runFor`, `runUntil` and `play`; times are in microseconds. The same
// firmware, seed and inputs at the same device times give the same as in Python.

const EDGE_PINS = {
  V1: [3, 2, 1, 4, 5, 17, 12, 11, 18, 10, 6, 26, 20, 23, 22, 21, 16],
  V2: [2, 3, 4, 31, 28, 14, 0x25, 11, 10, 9, 30, 23, 12, 17, 1, 13, 0x22],
};
const CYCLES_PER_US = { V1: 16, V2: 64 }, FLASH = { V1: 0x40000, V2: 0x80000 };
const RAM = { V1: 0x4000, V2: 0x20000 }, UICR_SIZE = 0x400, LINE = 8192, LED_COUNT = 25;
const STOPPED = 1, LISTENS = 2;
const LATE_US = 100_000; // what a frame may run at most; a later one goes on from then
// The places of words in `status` (core.h), after three floats.
const [REASON, WHAT, ADDRESS, PC, POWER, HALTED, LOCKED_UP, , FLASH_BUSY, IN, , OUT, , MORE] =
  Array.from({ length: 14 }, (_, nth) => 6 + nth);
const FAULTS = [
  "", "polls the register", "starts the task", "writes to the register",
  "stops a timer by a short", "counts events", "accesses an address where there is nothing",
  "executes what is no instruction", "stops at a breakpoint",
];

export const loadCore = async (bytes) => WebAssembly.compile(await bytes);

/** The firmware cannot go on: it accessed `address`, and the instruction is near `pc`. */
export class FirmwareStopped extends Error {
  constructor(what, address, pc) {
    const hex = (word) => `0x${word.toString(16)}`;
    super(`the firmware ${FAULTS[what]} (${hex(address)}, pc ${hex(pc)})`);
    Object.assign(this, { name: "FirmwareStopped", address, pc });
  }
}

export class Microbit {
  constructor(core, kind, { flash, uicr, seed = 0, powerOn = true } = {}) {
    const { exports } = new WebAssembly.Instance(core);
    const { buffer } = exports.memory;
    const bytes = (at, size) => new Uint8Array(buffer, at, size);
    exports.make(kind === "V2" ? 2 : 1, seed, 0);
    this.kind = kind;
    this.cyclesPerUs = CYCLES_PER_US[kind];
    this.core = exports;
    this.memory = bytes(0);
    this.times = new Float64Array(buffer, exports.status_at(), 3);
    this.status = new Uint32Array(buffer, exports.status_at(), 26);
    this.flash = bytes(exports.flash_at(), FLASH[kind]);
    this.ram = bytes(exports.ram_at(), RAM[kind]);
    this.uicr = bytes(exports.information_at() + 0x1000, UICR_SIZE);
    this.debug = new Debugger(this);
    this.afterRun = () => {}; // an ether's
    this.ether = null;
    this.held = 0;
    this.backlog = new Uint8Array(0); // what the serial line has no room for yet
    this.received = [];
    this.reached = 0; // in cycles
    if (flash) this.flash.set(flash);
    if (uicr) this.uicr.set(uicr);
    if (powerOn) this.powerOn();
  }

  // Time.

  get clockUs() { return Math.floor(this.times[0] / this.cyclesPerUs); }
  get instructions() { return this.times[2]; }
  runFor(us) { this.runUntil(this.reached / this.cyclesPerUs + us); }

  runUntil(us) {
    const cycle = Math.round(us * this.cyclesPerUs);
    if (this.ether) this.ether.runWith(this, cycle);
    else this.runToCycle(cycle);
  }

  // Run up to this cycle, or until the radio begins to listen in an ether.
  runToCycle(cycle) {
    while (this.times[0] < cycle && this.status[POWER]) {
      const reason = this.core.run(cycle);
      this.#drain();
      this.#refill();
      this.afterRun();
      this.reached = Math.min(cycle, this.times[0]);
      const { status } = this;
      if (reason === STOPPED) throw new FirmwareStopped(status[WHAT], status[ADDRESS], status[PC]);
      if (reason === LISTENS) return;
    }
  }

  // What is on the outside.

  press(button) { this.#hold(this.held | (button === "A" ? 1 : 2)); }
  release(button) { this.#hold(this.held & ~(button === "A" ? 1 : 2)); }
  #hold(buttons) { this.core.hold((this.held = buttons)); }
  tilt(x, y, z = -1000) { this.core.set_tilt(x, y, z); }
  touchLogo(touched) { this.core.touch_logo(touched ? 1 : 0); }
  setTemperature(celsius) { this.core.set_temperature(celsius); }
  setLight(level) { this.core.set_light(level); }
  setSound(level) { this.core.set_sound(level); }
  setMagneticField(x, y, z) { this.core.set_field(x, y, z); }
  setVoltage(pin, volts) { this.core.set_voltage(EDGE_PINS[this.kind][pin], volts); }

  /** 25 levels from 0 to 9, in reading order. */
  leds() {
    if (!this.hasPower) return new Uint8Array(LED_COUNT);
    const at = this.core.led_levels();
    return this.memory.slice(at, at + LED_COUNT);
  }

  /** The tone that is played, and since when; null for silence. */
  tone() {
    const [period, since] = this.#floats(this.core.tone(), 2);
    const { cyclesPerUs } = this;
    return period ? { frequencyHz: (cyclesPerUs * 1e6) / period,
      sinceUs: Math.floor(since / cyclesPerUs) } : null;
  }

  pin(number) {
    const at = this.core.pin_state(EDGE_PINS[this.kind][number]);
    const [isOutput, isHigh, frequencyHz, duty] = this.#floats(at, 4);
    return { isOutput: !!isOutput, isHigh: !!isHigh, frequencyHz, duty };
  }

  #floats(at, count) { return new Float64Array(this.memory.buffer, at, count); }

  // The serial line to the computer.

  send(data) {
    const bytes = typeof data === "string" ? new TextEncoder().encode(data) : data;
    this.backlog = joined([this.backlog, bytes]);
    this.#refill();
  }

  /** The bytes that it has sent since the last call. */
  receive() {
    const bytes = joined(this.received);
    this.received = [];
    return bytes;
  }

  get waiting() { return this.backlog.length + this.status[IN]; }

  #refill() {
    while (this.backlog.length) {
      const part = this.backlog.subarray(0, LINE);
      this.memory.set(part, this.core.input_at());
      const sent = this.core.send(0, part.length);
      this.backlog = this.backlog.slice(sent);
      if (sent < part.length) break;
    }
    this.status[MORE] = this.backlog.length ? 1 : 0;
  }

  #drain() {
    for (let line = 0; line < 2; line++) {
      const count = this.status[OUT + line], at = this.core.output_at(line);
      if (count && line === 0) this.received.push(this.memory.slice(at, at + count));
      if (count) this.core.take_output(line);
    }
  }

  // Reset, power, flash.

  reset() { this.core.reset(); this.afterRun(); }
  powerOn() { this.core.power_on(); }
  powerCut() {
    this.core.power_cut();
    this.backlog = new Uint8Array(0);
    this.status[MORE] = 0;
    this.afterRun();
  }
  get hasPower() { return !!this.status[POWER]; }
  get hasPanicked() { return !!this.status[25]; }
  get flashBusy() { return ["", "write", "erase"][this.status[FLASH_BUSY]]; }

  /** A V2's data log, as its drive shows it in MY_DATA.HTM; null if there is none. */
  myData() {
    const at = this.core.log_at(), size = this.core.log_size();
    return this.kind === "V2" && size >= 0 ? this.memory.slice(at, at + size) : null;
  }

  snapshot() {
    const { backlog, received, reached, held } = this;
    return { memory: this.memory.slice(), rest: { backlog, received: [...received], reached, held } };
  }

  restore({ memory, rest }) {
    this.memory.set(memory);
    Object.assign(this, rest, { received: [...rest.received] });
  }
}

/** The chip through its debug port: see `debug.c`. A halted core executes nothing. */
class Debugger {
  #board;
  constructor(board) { this.#board = board; }
  #control(bits) { this.writeWord(0xe000edf0, 0xa05f0000 | bits); } // DHCSR
  halt() { this.#control(3); }
  resume() { this.#control(1); }
  step() { this.#control(5); }
  detach() { this.catchReset(false); this.#control(0); }
  catchReset(halts) { this.writeWord(0xe000edfc, halts ? 1 : 0); } // DEMCR
  lockUpAtFaults(locksUp) { this.#board.core.lock_up_at_faults(locksUp ? 1 : 0); }
  get halted() { return !!this.#board.status[HALTED]; }
  get lockedUp() { return !!this.#board.status[LOCKED_UP]; }
  readWord(address) { return this.#board.core.debug_read(address) >>> 0; }
  writeWord(address, word) { this.#board.core.debug_write(address, word); }
  coreRegister(number) { return this.#board.core.core_register(number) >>> 0; }
  setCoreRegister(number, word) { this.#board.core.set_core_register(number, word); }

  readMemory(address, size) {
    const words = new Uint32Array(Math.ceil(size / 4));
    for (let at = 0; at < words.length; at++) words[at] = this.readWord(address + 4 * at);
    return new Uint8Array(words.buffer, 0, size);
  }

  writeMemory(address, bytes) {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    for (let at = 0; at < bytes.length; at += 4) this.writeWord(address + at, view.getUint32(at, true));
  }

  /** Set bytes of flash or UICR as they are, at once, as a programmer leaves them. */
  program(address, bytes) {
    const { flash, uicr } = this.#board;
    if (address >= 0x10001000) uicr.set(bytes, address - 0x10001000);
    else flash.set(bytes, address);
  }
}

/** Run a board or an ether in real time, by animation frames; returns a function that ends it.
 *  `afterFrame` is called after each frame. A page that was hidden goes on from where it was. */
export function play(board, afterFrame = () => {}, onError = (error) => { throw error; }) {
  let last = performance.now(), frame = requestAnimationFrame(step);
  function step(time) {
    const us = Math.max(0, (time - last) * 1000);
    last = time;
    frame = requestAnimationFrame(step);
    try {
      board.runFor(Math.min(us, LATE_US));
    } catch (error) {
      cancelAnimationFrame(frame);
      onError(error);
    }
    afterFrame();
  }
  return () => cancelAnimationFrame(frame);
}

function joined(parts) {
  const whole = new Uint8Array(parts.reduce((size, part) => size + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

export { Ether } from "./ether.js";
