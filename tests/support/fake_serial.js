// navigator.serial for tests: reading lets the board run (`serialRead`), as long as the page waits.
// `fakeSerial` has the options: `open`, `silent`, `nothing` (errors).
(() => {
  const options = window.fakeSerial;
  class Port extends EventTarget {
    readable = null;
    #isOpen = false;
    async open({ baudRate }) {
      if (this.#isOpen) throw new DOMException('The port is already open.', 'InvalidStateError');
      if (options.silent) throw new DOMException(options.silent, 'UnknownError');
      if (options.open) throw new DOMException(options.open, 'NetworkError');
      if (baudRate !== 115200) throw new RangeError('not the micro:bit’s speed');
      const pull = async (controller) => {
        const text = await window.serialRead();
        if (text === null) {
          this.#isOpen = false;
          controller.error(new DOMException('The device has been lost.', 'NetworkError'));
        } else if (this.readable) {
          controller.enqueue(Uint8Array.from(atob(text), (char) => char.charCodeAt(0)));
        }
      };
      const cancel = () => (this.readable = null);
      this.readable = new ReadableStream({ pull, cancel }, { highWaterMark: 0 });
      this.#isOpen = true;
    }
    async close() {
      if (this.readable?.locked) throw new TypeError('Cannot cancel a locked stream');
      this.readable = null;
      this.#isOpen = false;
    }
  }
  const port = new Port(); // the same each time
  async function requestPort({ filters: [{ usbVendorId, usbProductId }] }) {
    const isMicrobit = usbVendorId === 0x0d28 && usbProductId === 0x0204;
    if (options.nothing || !isMicrobit)
      throw new DOMException('No port selected by the user.', 'NotFoundError');
    return port;
  }
  Object.defineProperty(navigator, 'serial', { value: { requestPort }, configurable: true });
})();
