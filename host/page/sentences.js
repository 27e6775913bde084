// The sentences that boards send (docs/protocol.md has each field), found in what a serial line
// brings, in pieces of any size. Text of a line is "binary": one character for each byte.

import { EMPTY, isOver, place, turn, winner } from './rules.js';

const MAX_LENGTH = 120; // of a sentence of protocol 1, with `$` and checksum
const MAX_UNKNOWN = 100;
const FRAME = /\$([^$*\n]{0,116})\*([0-9A-F]{2})(?=[^0-9A-Fa-f])/g;
const PLAIN = /^[ -#%-)+-~]*$/;
const BOOT = /^NB,1,([0-9A-F]{8}),(V1|V2),([0-9A-Za-z.+-]{1,16}),([0-9A-F]{4})$/;
const GAME_FIELDS = [
  ...['NG', '([0-9A-F]{8})', '([1-9][0-9]{0,8})', '([A-Z]{2})', '([AB])'],
  ...['([0-8]{0,9})', '(0|[1-9][0-9]{0,9})', '([-AB=x])'],
];
const GAME = new RegExp(`^${GAME_FIELDS.join()}$`);
const LATER = /^NB,(?!1,)([1-9][0-9]{0,3}),/;
const MENU = /^NM,([0-9A-F]{8}),([A-Z][bt][0-9A-Za-z]{0,14})$/;
const RADIO = /^NR,([0-9A-F]{8}),(N[BMG],.*)$/;

/** Two hex digits: the XOR of the characters. */
export function checksum(body) {
  const sum = [...body].reduce((xor, char) => xor ^ char.charCodeAt(0), 0);
  return sum.toString(16).toUpperCase().padStart(2, '0');
}

/** A sentence as a board sends it, without a line end; `radioId`: the sender's, by radio. */
export function framed(body, radioId = null) {
  const text = radioId === null ? body : `NR,${radioId},${body}`;
  return `$${text}*${checksum(text)}`;
}

/**
 * What the part between `$` and `*` says: `{ kind: 'boot', 'menu' or 'game', body, radioId, … }`,
 * else `{ unknown }` if a later version may have sent it, else null.
 */
export function parse(text) {
  const [, radioId = null, body = text] = RADIO.exec(text) ?? [];
  const game = GAME.exec(body);
  if (game) return gameOf(body, radioId, game);
  const start = BOOT.exec(body);
  if (start) {
    const [, boot, hardware, release, tableId] = start;
    return { kind: 'boot', body, radioId, boot, hardware, release, tableId };
  }
  const menu = MENU.exec(body);
  if (menu) return { kind: 'menu', body, radioId, boot: menu[1], choice: menu[2] };
  return PLAIN.test(body) ? unknown(body) : null;
}

function unknown(body) {
  const later = LATER.exec(body);
  if (later) return { unknown: `protocol version ${later[1]}` };
  const [type] = body.split(',');
  return ['NB', 'NM', 'NG', 'NR'].includes(type)
    ? null
    : { unknown: `sentence type $${type.slice(0, 12)}` };
}

function gameOf(body, radioId, [, boot, number, seats, first, moves, ms, end]) {
  const result = outcome(moves, first);
  if (end !== result && !(end === 'x' && result === '-')) return null;
  return {
    kind: 'game',
    body,
    radioId,
    boot,
    number: Number(number),
    seats,
    first,
    moves,
    ms: Number(ms),
    end,
  };
}

/** The end that follows from the moves: `-`, `A`, `B`, `=`; null if they break the rules. */
export function outcome(moves, first) {
  const firstMark = first === 'A' ? 'X' : 'O';
  let marks = EMPTY;
  for (const cell of moves) {
    if (marks[cell] !== '.' || isOver(marks)) return null;
    marks = place(marks, Number(cell), turn(marks, firstMark));
  }
  const won = winner(marks);
  if (won) return won === 'X' ? 'A' : 'B';
  return marks.includes('.') ? '-' : '=';
}

/** Text in which backslashes, and characters that are not printable ASCII, are \xhh. */
export function escape(text) {
  return text.replace(
    /[^ -[\]-~]/g,
    (char) => `\\x${char.charCodeAt(0).toString(16).padStart(2, '0')}`,
  );
}

export function unescape(text) {
  return text.replace(/\\x([0-9a-f]{2})/g, (_, digits) =>
    String.fromCharCode(parseInt(digits, 16)),
  );
}

/** Finds sentences and noise. It never throws, and its memory is bounded. */
export class Stream {
  #rest = '';
  #reported = new Set();

  /** Adds text; returns what it completes: sentences, `{ unknown, again }` and `{ noise }`. */
  feed(text) {
    const data = this.#rest + text;
    const items = [];
    let begin = 0;
    for (const { 0: frame, 1: body, 2: digits, index } of data.matchAll(FRAME)) {
      if (checksum(body) !== digits) continue;
      const item = parse(body);
      if (item === null) continue;
      if (item.unknown) item.again = this.#isReported(item.unknown);
      const skipped = data.slice(begin, index);
      if (skipped !== '\r\n') addNoise(skipped, items);
      items.push(item);
      begin = index + frame.length;
    }
    const end = Math.max(begin, data.lastIndexOf('\n') + 1);
    addNoise(data.slice(begin, end), items);
    this.#rest = shortened(data.slice(end), items);
    return items;
  }

  #isReported(what) {
    if (this.#reported.has(what) || this.#reported.size >= MAX_UNKNOWN) return true;
    this.#reported.add(what);
    return false;
  }
}

/** The end of a line that is too long to wait for; what comes before it is noise. */
function shortened(rest, items) {
  const most = 2 * MAX_LENGTH;
  while (rest.length > most) {
    const start = rest.slice(0, most).lastIndexOf('$'); // it may begin a sentence
    const end = start >= MAX_LENGTH ? start : most;
    addNoise(rest.slice(0, end), items);
    rest = rest.slice(end);
  }
  return rest;
}

function addNoise(text, items) {
  for (const line of text.split('\n').map((line) => line.replace(/\r+$/, ''))) {
    if (!/[^\0 \r]/.test(line)) continue; // nothing, or the NUL of a board that starts
    for (const [piece] of line.matchAll(/[^]{1,240}/g)) items.push({ noise: escape(piece) });
  }
}
