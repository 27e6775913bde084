// Files with games: captured logs, which `noughts watch --from` reads too, and a V2's data log.
//
// A captured log has the time, the board and what it sent, where \xhh stands for another byte:
//     2026-11-21T07:03:43.123Z usb-9900000012345678 $NG,00000A83,1,PH,A,4,1312,-*5C
// Without a text, the board's port was opened. A data log has a game in each row of its CSV.

import { escape, framed, parse, Stream, unescape } from './sentences.js';

const RAW_LINE = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z) ([0-9A-Za-z/\\][!-~]{0,3999}) ([ -~]*)$/;
const BOARD_NAME = /^[0-9A-Za-z/\\][^\p{C}\p{Zl}\p{Zp}]{0,3999}$/u;
const MAX_SIZE = 1 << 18; // bytes of a data log; a real one has 129,024
const HEADING = 'boot,game,seats,first,moves,ms,end';

/** What is wrong with a file, by the key of its text. */
export class LogError extends Error {
  constructor(key) {
    super(key);
    this.key = key;
  }
}

/** The boards' runs, as far as their lines show them: which ends of games are late. */
export class Runs {
  #boots = new Map(); // by line: the boot of its run, null if unknown

  opened(line, boot = null) {
    this.#boots.set(line, boot);
  }

  /** Whether a game had ended some time before its sentence was received on this line. */
  isLate(line, sentence) {
    const byRadio = sentence.radioId !== null;
    if (sentence.kind === 'game' && sentence.end !== '-') {
      return byRadio || sentence.boot !== this.#boots.get(line);
    }
    if (!byRadio) this.opened(line, sentence.boot);
    return false;
  }
}

/** Turns what one serial line brings into the lines of `GameStore`, and `{ noise }`. */
export class Receiver {
  #stream = new Stream();

  constructor(board, runs = new Runs()) {
    Object.assign(this, { board, runs });
  }

  opened(at) {
    this.runs.opened(this.board);
    return { board: this.board, radio: false, late: false, at, sentence: null };
  }

  feed(text, at) {
    return this.#stream.feed(text).map((item) => (item.kind ? this.#line(item, at) : item));
  }

  #line(sentence, at) {
    const radio = sentence.radioId !== null;
    const board = radio ? this.board.replace(/[^/]*$/, `radio-${sentence.radioId}`) : this.board;
    return { board, radio, late: this.runs.isLate(this.board, sentence), at, sentence };
  }
}

/** The lines of `GameStore` in a file's text, one character for each byte. */
export function readLog(text, name) {
  if (text.startsWith('<')) return fromDataLog(text, name);
  if (text.includes(HEADING)) return fromRows(text.split('\n'), name);
  const lines = fromCapturedLog(text, `file-${name}`);
  if (!lines.some(({ sentence }) => sentence)) throw new LogError('file.nothing');
  return lines;
}

function fromCapturedLog(text, fileName) {
  const [receivers, runs, lines] = [new Map(), new Runs(), []];
  for (const row of text.split('\n')) {
    const [at, board, data] = rawLine(row) ?? [null, fileName, `${row}\n`];
    if (!receivers.has(board)) receivers.set(board, new Receiver(board, runs));
    const receiver = receivers.get(board);
    if (data === '') lines.push(receiver.opened(at));
    else lines.push(...receiver.feed(data, at).filter(({ sentence }) => sentence));
  }
  return lines;
}

function rawLine(row) {
  const match = RAW_LINE.exec(row.replace(/\r$/, ''));
  if (!match) return null;
  const at = Date.parse(match[1]);
  const board = fromUtf8(unescape(match[2]));
  if (Number.isNaN(at) || new Date(at).toISOString() !== match[1] || !BOARD_NAME.test(board)) return null;
  return [at, board, match[3] && `${unescape(match[3])}\n`];
}

/** The text of a captured log with these lines, in the order in which they were received. */
export function writeLog(lines) {
  return lines.map((line) => `${origin(line)}${lineText(line)}\n`).join('');
}

/** The time and the board; a line of an unknown time stands alone. */
function origin({ at, board }) {
  if (at === null) return '';
  return `${new Date(at).toISOString()} ${escape(toUtf8(board)).replaceAll(' ', '\\x20')} `;
}

const lineText = ({ board, radio, sentence }) =>
  sentence ? framed(sentence.body, radio ? board.slice(-8) : null) : '';

function fromDataLog(text, name) {
  const head = /UBIT_LOG_FS_V_002\n0x([0-9A-Fa-f]{8})\x000x([0-9A-Fa-f]{8})\x00/.exec(text);
  if (!head || text.length > MAX_SIZE) throw new LogError('file.notDataLog');
  const [end, start] = [parseInt(head[1], 16), parseInt(head[2], 16)];
  const [data] = text.slice(start, end).split('\xff', 1);
  const fits = head.index + head[0].length <= start && start <= end && end <= text.length;
  // A power cut leaves unwritten bits, which are ones.
  if (!fits || data.includes('\0')) throw new LogError('file.damaged');
  return fromRows(data.split('\n'), name);
}

/** Rows of other programs, and rows that a power cut has damaged, are skipped. */
function fromRows(rows, name) {
  // If other programs have used the same log, their columns are empty in our rows.
  const ours = rows.map((row) => row.replace(/^[,\r]+|[,\r]+$/g, ''));
  const games = ours.map((row) => parse(`NG,${row}`)).filter((game) => game?.kind && game.end !== '-');
  if (!games.length && ours.some((row) => row && row !== HEADING)) throw new LogError('file.otherProgram');
  const at = Date.now();
  return games.map((sentence) => ({ board: `file-${name}`, radio: false, late: true, at, sentence }));
}

const toUtf8 = (text) => String.fromCharCode(...new TextEncoder().encode(text));

/** Text with one character for each byte. */
export function textOfBytes(bytes) {
  const pieces = [];
  for (let at = 0; at < bytes.length; at += 8192) {
    pieces.push(String.fromCharCode(...bytes.subarray(at, at + 8192)));
  }
  return pieces.join('');
}

/** The text of UTF-8, given as one character for each byte. */
export function fromUtf8(text) {
  return new TextDecoder().decode(Uint8Array.from(text, (char) => char.charCodeAt(0)));
}
