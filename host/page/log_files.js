// Files with games: captured logs, which `noughts watch --from` reads too, a V2's data log, and the
// table that this page saves.
//
// A captured log has the time, the board and what it sent, where \xhh stands for another byte:
//     2026-11-21T07:03:43.123Z usb-9900000012345678 $NG,00000A83,1,PH,A,4,1312,-*5C
// Without a text, the board's port was opened. data_log.js reads a data log, csv.js a table.

import { isCsvOfGames, linesInCsv } from './csv.js';
import { isDataLog, LogError, readDataLog } from './data_log.js';
import { escape, framed, Stream, unescape } from './sentences.js';

const RAW_LINE =
  /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z) ([0-9A-Za-z/\\][!-~]{0,3999}) ([ -~]*)$/;
const BOARD_NAME = /^[0-9A-Za-z/\\][^\p{C}\p{Zl}\p{Zp}]{0,3999}$/u;
const UNKNOWN_TIME = '0000-00-00T00:00:00.000Z';

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

/**
 * What is in a file's text, one character for each byte: `lines` of `GameStore`, and of a data log
 * how many damaged rows were `skipped`, the first in line `firstSkipped`. Throws `LogError`.
 */
export function readLog(text, name) {
  if (!isCsvOfGames(text) && isDataLog(text, name)) return fromDataLog(text, name);
  const lines = isCsvOfGames(text) ? fromCsv(text) : fromCapturedLog(text, nameOfCopy(name));
  if (!lines.some(({ sentence }) => sentence)) throw new LogError('file.nothing');
  return { lines, skipped: 0, firstSkipped: null };
}

const nameOfCopy = (file) => `file-${file}`;

/**
 * The lines of a file of this name, as the store gets them. A file does not name its board. If the
 * store has another board's games from a file of the same name, this board's name gets a number.
 * A later copy of a board's log has all of an earlier one. Both boards of a match have its games.
 */
export function withNameOfCopy(lines, file, storedLines) {
  const bodies = bodiesByBoard(lines).get(nameOfCopy(file));
  if (!bodies) return lines;
  const stored = bodiesByBoard(storedLines);
  const isSameBoard = (name) =>
    stored.has(name) && (hasAll(bodies, stored.get(name)) || hasAll(stored.get(name), bodies));
  const names = [nameOfCopy(file)];
  while (stored.has(names.at(-1))) names.push(`${nameOfCopy(file)} (${names.length + 1})`);
  const board = names.find(isSameBoard) ?? names.at(-1);
  return lines.map((line) => (line.board === nameOfCopy(file) ? { ...line, board } : line));
}

const hasAll = (bodies, others) => [...others].every((body) => bodies.has(body));

function bodiesByBoard(lines) {
  const bodies = new Map();
  for (const { board, sentence } of lines) {
    if (!sentence) continue;
    if (!bodies.has(board)) bodies.set(board, new Set());
    bodies.get(board).add(sentence.body);
  }
  return bodies;
}

const fromCsv = (text) =>
  linesInCsv(fromUtf8(text)).filter(({ board }) => BOARD_NAME.test(board));

function fromDataLog(text, name) {
  const at = Date.now();
  const line = { board: nameOfCopy(name), radio: false, late: true, at };
  const { games, ...rows } = readDataLog(text);
  if (!games.length) throw new LogError('file.nothing');
  return { lines: games.map((sentence) => ({ ...line, sentence })), ...rows };
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
  const at = match[1] === UNKNOWN_TIME ? null : Date.parse(match[1]);
  const board = fromUtf8(unescape(match[2]));
  if (timeText(at) !== match[1] || !BOARD_NAME.test(board)) return null;
  return [at, board, match[3] && `${unescape(match[3])}\n`];
}

/** The text of a captured log with these lines, in the order in which they were received. */
export function writeLog(lines) {
  return lines.map((line) => `${origin(line)}${lineText(line)}\n`).join('');
}

function origin({ at, board }) {
  return `${timeText(at)} ${escape(toUtf8(board)).replaceAll(' ', '\\x20')} `;
}

/** A time as files have it; empty if there is no such time. */
function timeText(at) {
  if (at === null) return UNKNOWN_TIME;
  return Number.isNaN(at) ? '' : new Date(at).toISOString();
}

const lineText = ({ board, radio, sentence }) =>
  sentence ? framed(sentence.body, radio ? board.slice(-8) : null) : '';

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
function fromUtf8(text) {
  return new TextDecoder().decode(Uint8Array.from(text, (char) => char.charCodeAt(0)));
}
