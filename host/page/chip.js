// The chip: how the three levels choose a move. It is the rule of device/ai.py, with its table.
//
// A line's weight depends on its score, seen by the player to move (-2 to 2), and on whether it is
// straight (weights 0-4) or a diagonal (weights 5-9). A free cell is worth the sum of its lines'
// weights, and the best cell is played. Hard has a book of the positions that its weights get
// wrong.

import { freeCells, LINES, scores } from './rules.js';
import { BOOK, WEIGHTS } from './table.js';

export const LEVELS = ['E', 'M', 'H'];

const ANY_CELL = Array(10).fill(0);
const FINISH_AND_BLOCK = [9, 0, 0, 0, 99, 9, 0, 0, 0, 99];
const WEIGHTS_OF = { E: ANY_CELL, M: FINISH_AND_BLOCK, H: WEIGHTS };
const FIRST_DIAGONAL = 6;

/** The best cells for the player to move, one or more. `level`: E easy, M medium, H hard. */
export function best(marks, mover, level) {
  const lineWorths = scores(marks, mover).map(
    (score, line) => WEIGHTS_OF[level][score + 2 + (line < FIRST_DIAGONAL ? 0 : 5)],
  );
  const cells = freeCells(marks);
  const worths = cells.map((cell) =>
    LINES.reduce((sum, line, at) => sum + (line.includes(cell) ? lineWorths[at] : 0), 0),
  );
  const highest = Math.max(...worths);
  const chosen = level === 'H' ? (bookWorth(worths) ?? highest) : highest;
  return cells.filter((_, at) => worths[at] === chosen);
}

/** The worth of the cells to play instead, if the book has this position. */
function bookWorth(worths) {
  // The sum of the squares identifies a position among those that the book must tell apart.
  const squares = worths.reduce((sum, worth) => sum + worth * worth, 0);
  return worths.find((worth) => BOOK.includes(32 * squares + worth));
}

/** One of the best cells, at random. */
export function choose(marks, mover, level) {
  const cells = best(marks, mover, level);
  return cells[Math.floor(Math.random() * cells.length)];
}
