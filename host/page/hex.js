// Hex files of the game, made from the flash images in the page.
//
// An image is, for each segment of flash: its address and its size, 4 bytes each, and its bytes. A
// Universal Hex has a section for each board, which ends at a multiple of 512 characters
// (https://tech.microbit.org/software/spec-universal-hex/).

import { $ } from '../noughts/web/static/page.js';

const RECORD_BYTES = 16;
const BLOCK_CHARS = 512;
const [DATA, END_OF_FILE, HIGH_ADDRESS] = [0x00, 0x01, 0x04];
const [SECTION_START, SECTION_END, PADDING, V2_DATA] = [0x0a, 0x0b, 0x0c, 0x0d];
const [UICR, UICR_BYTES] = [0x10001000, 0x400];
const FLASH_BYTES = { V1: 0x40000, V2: 0x80000 };
const BOARD_IDS = { V1: 0x9900, V2: 0x9903 };
const DATA_TYPES = { V1: DATA, V2: V2_DATA };
const DIGITS = // of base 85, as tools/build_page.py writes them
  '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;,=>?@^_`{|}~';
const VALUES = Object.fromEntries([...DIGITS].map((digit, value) => [digit, value]));

const inTwoBytes = (number) => [number >> 8, number & 0xff];

function record(type, offset, bytes) {
  const content = [bytes.length, ...inTwoBytes(offset), type, ...bytes];
  const checksum = -content.reduce((sum, byte) => sum + byte, 0) & 0xff;
  const digits = [...content, checksum].map((byte) => byte.toString(16).padStart(2, '0'));
  return `:${digits.join('').toUpperCase()}`;
}

/** The bytes that an element of the page holds as gzip in base 85, after their number. */
export async function unpacked(part) {
  const [size, digits] = part.textContent.split(' ');
  const packed = new DataView(new ArrayBuffer((digits.length / 5) * 4));
  for (let group = 0; group < digits.length / 5; group++) {
    let word = 0;
    for (let at = 5 * group; at < 5 * group + 5; at++) word = word * 85 + VALUES[digits[at]];
    packed.setUint32(4 * group, word);
  }
  const bytes = new Uint8Array(packed.buffer, 0, Number(size));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
  return new Response(stream).arrayBuffer();
}

/** A board's segments: `[address, bytes]`. */
async function segments(board) {
  const image = new DataView(await unpacked($(`image-${board}`)));
  const imageSegments = [];
  for (let at = 0; at < image.byteLength;) {
    const [address, size] = [image.getUint32(at, true), image.getUint32(at + 4, true)];
    imageSegments.push([address, new Uint8Array(image.buffer, at + 8, size)]);
    at += 8 + size;
  }
  return imageSegments;
}

/**
 * Clears the word in a V2's image by which the firmware knows that it is new on the board. It does
 * so itself when it first starts, and empties the board's data log then.
 */
function markAsStarted(board, imageSegments) {
  const address = Number($(`image-${board}`).dataset.newProgram);
  for (const [start, bytes] of imageSegments) {
    if (start <= address && address < start + bytes.length)
      bytes.fill(0, address - start, address - start + 4);
  }
}

/** The records of a board's segments, without the end of the file. */
function records(imageSegments, dataType = DATA) {
  const lines = [];
  let high = null;
  for (const [start, bytes] of imageSegments) {
    for (let at = 0; at < bytes.length;) {
      const address = start + at;
      if (address >>> 16 !== high) {
        high = address >>> 16;
        lines.push(record(HIGH_ADDRESS, 0, inTwoBytes(high)));
      }
      const size = Math.min(RECORD_BYTES, bytes.length - at, 0x10000 - (address & 0xffff));
      lines.push(record(dataType, address & 0xffff, bytes.subarray(at, at + size)));
      at += size;
    }
  }
  return lines;
}

/** A board's flash, and the words in its user information registers. */
export async function flashImage(board) {
  const flash = new Uint8Array(FLASH_BYTES[board]).fill(0xff);
  const uicr = new Uint8Array(UICR_BYTES).fill(0xff);
  for (const [address, bytes] of await segments(board)) {
    if (address < UICR) flash.set(bytes, address);
    else uicr.set(bytes, address - UICR);
  }
  return { flash, uicr };
}

const asFile = (lines) => lines.map((line) => `${line}\n`).join('');

/** The Intel Hex for one kind of board, `V1` or `V2`. `keepsLog`: a V2's data log stays as it is. */
export async function intelHex(board, keepsLog = false) {
  const imageSegments = await segments(board);
  if (keepsLog) markAsStarted(board, imageSegments);
  return asFile([...records(imageSegments), record(END_OF_FILE, 0, [])]);
}

/** The Universal Hex for all boards, as `noughts hex` makes it. */
export async function universalHex() {
  const sections = await Promise.all(Object.keys(BOARD_IDS).map(section));
  return asFile([...sections.flat(), record(END_OF_FILE, 0, [])]);
}

async function section(board) {
  const [first, ...rest] = records(await segments(board), DATA_TYPES[board]);
  const start = record(SECTION_START, 0, [...inTwoBytes(BOARD_IDS[board]), 0xc0, 0xde]);
  const lines = [first, start, ...rest];
  const emptyChars = record(PADDING, 0, []).length + 1;
  const padding = (bytes) => Array(bytes).fill(0xff);
  const length = asFile(lines).length + emptyChars; // the end of the section is as long
  let missing = (BLOCK_CHARS - (length % BLOCK_CHARS)) % BLOCK_CHARS;
  while (missing > 2 * RECORD_BYTES) {
    const bytes = Math.min((missing - emptyChars) >> 1, RECORD_BYTES);
    lines.push(record(PADDING, 0, padding(bytes)));
    missing -= emptyChars + 2 * bytes;
  }
  return [...lines, record(SECTION_END, 0, padding(missing >> 1))];
}
