// Games as CSV, with the columns and the text of `noughts export`, which no spreadsheet misreads.

import { EMPTY, place, turn } from './rules.js';
import { value, valueOfMove } from './solver.js';

const RESULTS = { A: 'A', B: 'B', '=': 'draw', x: 'abandoned', '-': 'unfinished' };
const PLIES = [1, 2, 3, 4, 5, 6, 7, 8, 9];

const ID = /^0x[0-9A-F]+$/i;
const WORD = /^[A-Za-z/\\]/;
const MONTH = /^(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*[^0-9A-Za-z]*(\d.*)?$/i;
const VALUE = /^(true|false|na|n\/a|nan|null|none|inf|infinity)$/i;

const COLUMNS = {
  game: (game, number) => number,
  board: ({ board }) => plain(board),
  board_name: () => null,
  boot: ({ boot }) => plain(`0x${boot}`),
  number: ({ number }) => number,
  seat_a: ({ seats }) => seats[0],
  seat_b: ({ seats }) => seats[1],
  first: ({ first }) => first,
  result: ({ end }) => RESULTS[end],
  started_utc: ({ started }) => utc(started),
  played_before_utc: ({ playedBefore }) => utc(playedBefore),
  heard_utc: ({ heard }) => utc(heard),
  by_radio: ({ byRadio }) => Number(byRadio),
  ms: ({ ms }) => ms,
  hardware: ({ start }) => start?.hardware,
  release: ({ start }) => start && plain(`v${start.release}`),
  table_id: ({ start }) => start && plain(`0x${start.tableId}`),
  plies: ({ moves }) => moves.length,
  mistakes_a: (game) => mistakes(game).filter((mark) => mark === 'X').length,
  mistakes_b: (game) => mistakes(game).filter((mark) => mark === 'O').length,
  ...Object.fromEntries(PLIES.map((ply) => [`move_${ply}`, ({ moves }) => moves[ply - 1]])),
  ...Object.fromEntries(PLIES.map((ply) => [`ms_${ply}`, ({ times }) => thought(times, ply - 1)])),
};

export function gamesAsCsv(games) {
  const rows = games.map((game, at) =>
    Object.values(COLUMNS).map((column) => column(game, at + 1)),
  );
  return [Object.keys(COLUMNS), ...rows].map((row) => `${row.map(quoted).join()}\r\n`).join('');
}

/** Who made each move that gave away a win or a draw. */
export function mistakes({ moves, first }) {
  const firstMark = first === 'A' ? 'X' : 'O';
  let marks = EMPTY;
  return [...moves].flatMap((cell) => {
    const mover = turn(marks, firstMark);
    const isMistake = valueOfMove(marks, mover, Number(cell)) < value(marks, mover);
    marks = place(marks, Number(cell), mover);
    return isMistake ? [mover] : [];
  });
}

/** Milliseconds from the move before, or the start, to a move; null if one was not received. */
function thought(times, ply) {
  const before = ply === 0 ? 0 : times[ply - 1];
  return times[ply] == null || before == null ? null : times[ply] - before;
}

/** Text that no program takes for a formula, number, date, boolean or missing value. */
function plain(text) {
  const printable = text.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, ' ');
  const isPlain = WORD.test(printable) && !MONTH.test(printable) && !VALUE.test(printable);
  return isPlain || ID.test(printable) ? printable : `_${printable}`;
}

const utc = (ms) =>
  ms === null ? null : new Date(ms).toISOString().replace('T', ' ').replace('Z', '');

function quoted(cell) {
  const text = String(cell ?? '');
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
