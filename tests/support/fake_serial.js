// navigator.serial for tests: reading lets the board run (`serialRead`), as long as the page waits.
// `fakeSerial` has the options: `open`, `silent`, `nothing` (errors).
(() => {
  const options = window.fakeSerial;
  class Port extends EventTarget {
    readable = null;
    async open({ baudRate }) {
      if (this.readable) throw new DOMException('The port is already open.', 'InvalidStateError');
      if (options.silent) throw new DOMException(options.silent, 'UnknownError');
      if (options.open) throw new DOMException(options.open, 'NetworkError');
      if (baudRate !== 115200) throw new RangeError('not the micro:bit’s speed');
      const pull = async (controller) => {
        const text = await window.serialRead();
        if (text === null)
          controller.error(new DOMException('The device has been lost.', 'NetworkError'));
        else controller.enqueue(Uint8Array.from(atob(text), (char) => char.charCodeAt(0)));
      };
      this.readable = new ReadableStream({ pull }, { highWaterMark: 0 });
    }
    async close() {
      this.readable = null;
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
