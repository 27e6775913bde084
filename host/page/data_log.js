// The games in a V2's data log: `MY_DATA.HTM`, the same page as a browser has saved it, or the CSV
// that it offers. As in host/noughts/protocol/data_log.py, which explains the format.

import { parse } from './sentences.js';

const MAX_SIZE = 400_000; // bytes
const BYTE_ORDER_MARK = '\xef\xbb\xbf';
const SAVED_BY_BROWSERS = ['\xef\xbf\xbd', '\xc3\xbf']; // what becomes of a byte 0xFF
const SECTOR = 1024; // the smallest that interface chips have
const COLUMNS = ['boot', 'game', 'seats', 'first', 'moves', 'ms', 'end'];

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

/** The games in a data log, in the order in which they ended. Throws `LogError`. */
export function gamesInDataLog(text) {
  const content = withoutMark(text);
  const isPage = /UBIT_LOG_FS_V_\d{3}\n/.test(content);
  const isTable = content.split('\n').some((line) => isHeading(cellsOf(line)));
  if (content.length > MAX_SIZE || !(isPage || isTable)) throw new LogError('file.notDataLog');
  const lines = (isPage ? writtenData(content) : content).split('\n');
  const games = endedGames(lines);
  const hasOtherRows = lines.map(cellsOf).some((row) => row.some(Boolean) && !isHeading(row));
  if (!games.length && hasOtherRows) throw new LogError('file.otherProgram');
  return games;
}

const withoutMark = (text) => (text.startsWith(BYTE_ORDER_MARK) ? text.slice(3) : text);
const cellsOf = (line) => line.replace(/\r+$/, '').split(',');
const isHeading = (row) => COLUMNS.every((name) => row.includes(name));

/** The rows of a page, with heading rows. */
function writtenData(page) {
  const content = SAVED_BY_BROWSERS.reduce((text, saved) => text.replaceAll(saved, '\xff'), page);
  const head = /UBIT_LOG_FS_V_002\n0x([0-9A-Fa-f]{8})\x000x([0-9A-Fa-f]{8})\x00/.exec(content);
  const [, version = '002'] = /UBIT_LOG_FS_V_(\d{3})\n/.exec(content) ?? [];
  if (!head && version !== '002') throw new LogError('file.version');
  const [end, start] = head ? head.slice(1).map((digits) => parseInt(digits, 16)) : [0, 0];
  const data = written(content, start, end);
  const fits =
    head && head.index + head[0].length <= start && start <= end && end <= content.length;
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

/** The ended games among lines, which follow the last heading before them. */
function endedGames(lines) {
  let heading = COLUMNS;
  const games = [];
  for (const line of lines) {
    const row = cellsOf(line);
    // A hole in a row may have the bytes of two rows, so that the rest looks like another game.
    const isWhole = !line.includes('\xff') && row.length <= heading.length;
    if (isHeading(row)) heading = row;
    else if (isWhole) {
      const cells = Object.fromEntries(row.map((cell, at) => [heading[at], cell]));
      const game = parse(`NG,${COLUMNS.map((name) => cells[name] ?? '').join()}`);
      if (game?.kind === 'game' && game.end !== '-') games.push(game);
    }
  }
  return games;
}
