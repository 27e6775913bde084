// navigator.usb for tests: packets go to the stand-in through `daplinkExchange`.
//
// What the page waits for is device time: short timers fire in their order, but at once, and the
// stand-in gets the waiting time with the next packet. `fakeUsb` has the options: `open`, `claim`,
// `nothing` (errors); `silent`: it never opens, and no timer waits; `bulk`, `old`, `serialNumber`;
// `packetMs`, which a packet takes; and `stopsAt`: while the page's status has this text, no packet
// is exchanged.
(() => {
  const options = window.fakeUsb;
  const LONGEST_WAIT_MS = 1000;
  const MOST_PACKETS = 200; // that go to the stand-in together
  const SERIAL_READ = 0x83;
  const later = window.setTimeout.bind(window);
  // After what the page does now; timers of 0 ms would wait for 4 ms.
  const actions = [];
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = () => actions.shift()();
  const soon = (action) => {
    actions.push(action);
    port2.postMessage(null);
  };
  let exchange = Promise.resolve(); // of packets; while it lasts, no short timer fires
  let [nowMs, waitedMs] = [0, 0]; // waitedMs: since the last exchange
  const timers = [];
  let isFiring = false;

  window.setTimeout = (action, ms = 0, ...rest) => {
    if (ms > LONGEST_WAIT_MS && !options.silent) return later(action, ms, ...rest);
    timers.push({ dueMs: nowMs + ms, action: () => action(...rest) });
    fireLater();
    return -1; // short timers are not cleared
  };

  function fireLater() {
    if (isFiring || !timers.length) return;
    isFiring = true;
    soon(async () => {
      await quiet();
      isFiring = false;
      fireNext();
      fireLater();
    });
  }

  /** Waits until no packet is on its way, and the page has done what it does with the last answer. */
  async function quiet() {
    let last;
    do {
      last = exchange;
      await last;
      await new Promise(soon);
    } while (last !== exchange);
  }

  function fireNext() {
    timers.sort((one, other) => one.dueMs - other.dueMs);
    const { dueMs, action } = timers.shift();
    waitedMs += dueMs - nowMs;
    nowMs = dueMs;
    action();
  }

  async function goesOn() {
    const status = document.getElementById('board-status');
    while (options.stopsAt && status.textContent.includes(options.stopsAt)) {
      await new Promise((resolve) => later(resolve, 10));
    }
  }

  const disconnected = () => new DOMException('The device was disconnected.', 'NetworkError');
  const toBytes = (text) => Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
  const toText = (bytes) => btoa(String.fromCharCode(...bytes));

  /** The answer to a packet that can wait for others: of the flash stream, or one that writes. */
  function foreseenAnswer(packet) {
    if (packet[0] === 0x8c) return [0x8c, 0];
    if (packet[0] === 5 && onlyWrites(packet)) return [5, packet[2], 1];
    return packet[0] === 6 && !(packet[4] & 2) ? [6, packet[2], packet[3], 1] : null;
  }

  /** Whether each of a packet's accesses is a request and the four bytes that it writes. */
  function onlyWrites([, , count, ...accesses]) {
    const requests = accesses.filter((_, at) => at % 5 === 0).slice(0, count);
    return requests.every((request) => !(request & 2));
  }

  class Device extends EventTarget {
    vendorId = 0x0d28;
    productId = 0x0204;
    opened = false;
    configuration = null;
    productName = 'BBC micro:bit CMSIS-DAP';
    manufacturerName = 'Arm';
    serialNumber = options.serialNumber;
    #answers = [];
    #packets = [];
    #silentUntilMs = 0; // until then, the stand-in knows, the board sends nothing
    #repeatCount = 0; // of packets that needed no exchange, as the answer is the same
    #last = { packet: '', answer: '', untilMs: 0 }; // until then, the answer is the same
    #isGone = false;

    async open() {
      if (options.silent) await new Promise(() => {});
      if (options.open) throw new DOMException(options.open, 'SecurityError');
      this.opened = true;
    }
    async close() {
      this.opened = false;
    }
    async selectConfiguration() {
      const endpoints = [
        { endpointNumber: 5, direction: 'in' },
        { endpointNumber: 4, direction: 'out' },
      ];
      const drive = { interfaceNumber: 0, alternates: [{ interfaceClass: 8, endpoints: [] }] };
      const debug = { interfaceClass: 0xff, endpoints: options.bulk ? endpoints : [] };
      const found = options.old ? [] : [{ interfaceNumber: 4, alternates: [debug] }];
      this.configuration = { interfaces: [drive, ...found] };
    }
    async claimInterface() {
      if (options.claim) throw new DOMException(options.claim, 'NetworkError');
    }
    async #send(packet) {
      if (this.#isGone) throw disconnected();
      if (packet[0] !== SERIAL_READ) this.#silentUntilMs = 0;
      if (nowMs < this.#silentUntilMs) {
        nowMs += options.packetMs;
        waitedMs += options.packetMs;
        this.#answers.push(Object.assign(new Uint8Array(64), [SERIAL_READ]));
        return;
      }
      const text = toText(packet);
      if (text === this.#last.packet && nowMs < this.#last.untilMs) {
        this.#repeatCount += 1;
        nowMs += options.packetMs;
        waitedMs += options.packetMs;
        this.#answers.push(toBytes(this.#last.answer));
        return;
      }
      this.#last.packet = '';
      this.#packets.push(text);
      const foreseen = foreseenAnswer(packet);
      if (foreseen && this.#packets.length < MOST_PACKETS) {
        this.#answers.push(Object.assign(new Uint8Array(64), foreseen));
        return;
      }
      const sent = [this.#packets, waitedMs, this.#repeatCount];
      [this.#packets, waitedMs, this.#repeatCount] = [[], 0, 0];
      exchange = goesOn().then(() => window.daplinkExchange(...sent));
      const answer = await exchange;
      if (answer === null) {
        this.unplug();
        throw disconnected();
      }
      const [answerText, silentMs, sameMs] = answer;
      this.#answers.push(toBytes(answerText));
      this.#silentUntilMs = nowMs + silentMs;
      this.#last = { packet: text, answer: answerText, untilMs: nowMs + sameMs };
    }
    unplug() {
      this.#isGone = true;
      this.opened = false;
      const event = Object.assign(new Event('disconnect'), { device: this });
      later(() => usb.dispatchEvent(event), 0);
    }
    async #receive() {
      if (this.#isGone) throw disconnected();
      return { status: 'ok', data: new DataView(this.#answers.shift().buffer) };
    }
    transferOut(_, packet) {
      return this.#send(packet);
    }
    transferIn() {
      return this.#receive();
    }
    controlTransferOut(_, packet) {
      return this.#send(packet);
    }
    controlTransferIn() {
      return this.#receive();
    }
  }

  class Usb extends EventTarget {
    async getDevices() {
      return [];
    }
    async requestDevice() {
      if (options.nothing) throw new DOMException('No device selected.', 'NotFoundError');
      options.device = new Device();
      return options.device;
    }
  }
  const usb = new Usb();
  Object.defineProperty(navigator, 'usb', { value: usb, configurable: true });
})();
