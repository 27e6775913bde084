// A board's serial port, by Web Serial.

import { textOfBytes } from './log_files.js';

const MICROBIT = { usbVendorId: 0x0d28, usbProductId: 0x0204 };
const BAUD_RATE = 115_200;

/** Asks the person for a port. `read` gets text, one character for each byte; `lost` is the end. */
export async function openSerial({ read, lost }) {
  const port = await requestPort();
  try {
    await port.open({ baudRate: BAUD_RATE });
  } catch (error) {
    throw { key: error.name === 'NetworkError' ? 'error.serial-in-use' : 'error.timeout' };
  }
  const reader = port.readable.getReader();
  let closing = false;
  async function run() {
    try {
      for (let part; !(part = await reader.read()).done;) read(textOfBytes(part.value));
    } catch {
      // The board was unplugged.
    }
    if (!closing) lost();
  }
  async function close() {
    closing = true;
    await reader.cancel().catch(() => {});
    await port.close().catch(() => {});
  }
  return { start: run, close };
}

async function requestPort() {
  try {
    return await navigator.serial.requestPort({ filters: [MICROBIT] });
  } catch (error) {
    throw error.name === 'NotFoundError' ? { key: 'error.no-device-selected' } : error;
  }
}
