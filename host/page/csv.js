// Games as CSV, with the columns and the text of `noughts export`, which no spreadsheet misreads.

import { isByRadio } from './fold.js';
import { EMPTY, place, turn } from './rules.js';
import { parse } from './sentences.js';
import { value, valueOfMove } from './solver.js';

const RESULTS = { A: 'A', B: 'B', '=': 'draw', x: 'abandoned', '-': 'unfinished' };
const PLIES = [1, 2, 3, 4, 5, 6, 7, 8, 9];
const MOST_CHARACTERS = 10_000; // of a row

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
  const start = ply === 0 ? 0 : times[ply - 1];
  return times[ply] == null || start == null ? null : times[ply] - start;
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

/** Whether a text, which may begin with a byte order mark, is such a table. */
export function isCsvOfGames(text) {
  const [firstRow] = text.split(/\r?\n/, 1);
  const heading = firstRow.slice(0, MOST_CHARACTERS).replace(/^\W+/, '').split(',');
  return Object.keys(COLUMNS).every((name) => heading.includes(name));
}

/** The lines of `GameStore` from which a table's games follow. Other rows are left out. */
export function linesInCsv(text) {
  const [heading, ...rows] = text
    .replace(/^\W+/, '')
    .split(/\r?\n/)
    .filter((row) => row.length <= MOST_CHARACTERS)
    .map(cellsOf);
  const games = rows
    .map((cells) => Object.fromEntries(heading.map((name, at) => [name, cells[at] ?? ''])))
    .map(gameOf)
    .filter((game) => lineOf(game, endOf(game)).sentence.kind === 'game');
  // In a log of these lines, an end counts as live after a start of its run or a move in it. So
  // late ends come first, and a board's start comes last.
  const lines = games.flatMap(linesOfGame);
  const [late, live] = [lines.filter((line) => line.late), lines.filter((line) => !line.late)];
  return [...late, ...live, ...games.map(startOfBoard)].filter(isSentence);
}

/** It is none where the table does not say what it needs, such as a time or a release. */
const isSentence = ({ sentence }) => sentence.kind;

const cellsOf = (row) =>
  [...row.matchAll(/(?:^|,)("(?:[^"]|"")*"|[^,]*)/g)].map(([, cell]) =>
    cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell,
  );

function gameOf(row) {
  const board = row.board.replace(/^_/, '');
  return {
    ...row,
    board,
    radioId: isByRadio(board) ? board.slice(-8) : null,
    boot: row.boot.replace(/^_?0x/, ''),
    seats: `${row.seat_a}${row.seat_b}`,
    moves: PLIES.map((ply) => row[`move_${ply}`]).join(''),
    ms: Number(row.ms),
    end: Object.keys(RESULTS).find((key) => RESULTS[key] === row.result),
    started: timeOf(row.started_utc),
    playedBefore: timeOf(row.played_before_utc),
    heard: timeOf(row.heard_utc),
  };
}

/** A game that was received late has only its end; others have their start and moves before it. */
function linesOfGame(game) {
  const { moves, ms, end, started, playedBefore, heard } = game;
  const isLate = playedBefore !== null || (started !== null && heard - ms < started);
  const lastLine = lineOf(game, endOf(game), heard, isLate);
  if (playedBefore !== null) return [lastLine];
  const times = [0, ...timesOf(game)];
  if (end !== 'x' && moves) times.pop();
  const earlierLines = times.map((time, plies) => {
    const body = sentenceOf(game, moves.slice(0, plies), time, '-');
    return lineOf(game, body, started && started + time);
  });
  return [...earlierLines, lastLine];
}

function startOfBoard(game) {
  const { boot, hardware, release, table_id: tableId, started, playedBefore } = game;
  const words = ['NB', 1, boot, hardware, release.replace(/^_?v/, ''), tableId.replace(/^_?0x/, '')];
  return lineOf(game, words.join(), started ?? playedBefore);
}

const sentenceOf = ({ boot, number, seats, first }, moves, ms, end) =>
  ['NG', boot, number, seats, first, moves, ms, end].join();

const endOf = (game) => sentenceOf(game, game.moves, game.ms, game.end);

function lineOf({ board, radioId }, body, at, late = false) {
  return { board, radio: radioId !== null, late, at, sentence: { ...parse(body), radioId } };
}

/** A time as `utc` writes it; null if there is none. */
const timeOf = (text) =>
  /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}$/.test(text)
    ? Date.parse(`${text.replace(' ', 'T')}Z`) || null
    : null;

/** When each move was made, in ms from the start; null if the table does not say so. */
function timesOf(game) {
  const { moves, ms, end } = game;
  const count = moves.length;
  const numberOf = (text) => (text ? Number(text) : null);
  const thoughts = PLIES.slice(0, count).map((ply) => numberOf(game[`ms_${ply}`]));
  const times = Array(count).fill(null);
  for (let at = 0; at < count && thoughts[at] !== null; at++)
    times[at] = thoughts[at] + (at ? times[at - 1] : 0);
  if (end !== 'x' && count) times[count - 1] = ms;
  for (let at = count - 1; at > 0 && times[at] !== null && thoughts[at] !== null; at--)
    times[at - 1] = times[at] - thoughts[at];
  return times;
}
