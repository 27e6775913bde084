// The games in a V2's data log: `MY_DATA.HTM`, the same page as a browser has saved it, or the CSV
// that it offers. As in host/noughts/protocol/data_log.py, which explains the format.

import { parse } from './sentences.js';

const MAX_SIZE = 400_000; // bytes
const BYTE_ORDER_MARK = '\xef\xbb\xbf';
const SAVED_BY_BROWSERS = ['\xef\xbf\xbd', '\xc3\xbf']; // what becomes of a byte 0xFF
const SECTOR = 1024; // the smallest that interface chips have
const COLUMNS = ['boot', 'game', 'seats', 'first', 'moves', 'ms', 'end'];
const IDENTIFYING = COLUMNS.filter((name) => name !== 'ms'); // in no other programs' rows

/** What is wrong with a file, by the key of its text. */
export class LogError extends Error {
  constructor(key) {
    super(key);
    this.key = key;
  }
}

/** Whether a file is a data log, a web page or a table, and not what a board sent over serial. */
export function isDataLog(text, name) {
  const [firstLine] = withoutMark(text).split('\n', 1);
  const isTable = name.toLowerCase().endsWith('.csv') || isHeading(cellsOf(firstLine));
  return firstLine.startsWith('<') || (isTable && !firstLine.includes('$'));
}

/**
 * The games in a data log, in the order in which they ended; how many damaged rows were skipped,
 * and in which line of the data, from 1, the first of them is. Throws `LogError`.
 */
export function readDataLog(text) {
  const content = withoutMark(text);
  const isPage = /UBIT_LOG_FS_V_\d{3}\n/.test(content);
  const isTable = content.split('\n').some((line) => isHeading(cellsOf(line)));
  if (content.length > MAX_SIZE || !(isPage || isTable)) throw new LogError('file.notDataLog');
  const lines = (isPage ? writtenData(content) : content).split('\n');
  const log = parsed(lines);
  const hasOtherRows = lines.map(cellsOf).some((row) => row.some(Boolean) && !isHeading(row));
  if (!log.games.length && hasOtherRows) throw new LogError('file.otherProgram');
  return log;
}

const withoutMark = (text) => (text.startsWith(BYTE_ORDER_MARK) ? text.slice(3) : text);
const cellsOf = (line) => line.replace(/\r+$/, '').split(',');
const isHeading = (row) => COLUMNS.every((name) => row.includes(name));

/** The rows of a page, with heading rows. */
function writtenData(page) {
  const content = SAVED_BY_BROWSERS.reduce((text, saved) => text.replaceAll(saved, '\xff'), page);
  const head = /UBIT_LOG_FS_V_002\n0x([0-9A-Fa-f]{8})\x000x([0-9A-Fa-f]{8})\x00/.exec(content);
  if (!head) {
    // There is a version, or else it would not be a page.
    const [, version] = /UBIT_LOG_FS_V_(\d{3})\n/.exec(content);
    throw new LogError(version === '002' ? 'file.damaged' : 'file.version');
  }
  const [end, start] = head.slice(1).map((digits) => parseInt(digits, 16));
  const data = written(content, start, end);
  const fits = head.index + head[0].length <= start && start <= end && end <= content.length;
  if (!fits || data.includes('\0')) throw new LogError('file.damaged');
  return data;
}

/**
 * What the log has written between two addresses. Power cuts leave holes, with rows after them;
 * data ends in the sector that is unwritten up to its last byte.
 */
function written(content, start, end) {
  for (const { 0: hole, index } of content.slice(0, end).matchAll(/\xff+/g)) {
    const holeEnd = index + hole.length;
    if (holeEnd <= start) continue;
    if (holeEnd === end || holeEnd % SECTOR === 0)
      return content.slice(start, Math.max(start, index));
  }
  return content.slice(start, end);
}

/** What is in lines, which follow the last heading before them. */
function parsed(lines) {
  const [games, skipped] = [[], []];
  let heading = COLUMNS;
  let hasHeading = !lines.some((line) => isHeading(cellsOf(line)));
  lines.forEach((line, at) => {
    const row = cellsOf(line);
    const game = endedGame(line, heading);
    if (isHeading(row)) [heading, hasHeading] = [row, true];
    else if (game) games.push(game);
    else if (hasHeading && isOurs(row, heading)) skipped.push(at + 1);
  });
  return { games, skipped: skipped.length, firstSkipped: skipped[0] ?? null };
}

/** The game in a row; null for one of another program, and for a damaged one. */
function endedGame(line, heading) {
  const row = cellsOf(line);
  // A hole in a row may have the bytes of two rows, so that the rest looks like another game.
  if (line.includes('\xff') || row.length > heading.length) return null;
  const cells = Object.fromEntries(row.map((cell, at) => [heading[at], cell]));
  const game = parse(`NG,${COLUMNS.map((name) => cells[name] ?? '').join()}`);
  return game?.kind === 'game' && game.end !== '-' ? game : null;
}

/** Whether a row has cells that only our rows have, or more cells than the heading. */
const isOurs = (row, heading) =>
  row.length > heading.length ||
  row.some((cell, at) => cell && IDENTIFYING.includes(heading[at]));
