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
  const lineWeights = scores(marks, mover).map(
    (score, line) => WEIGHTS_OF[level][score + 2 + (line < FIRST_DIAGONAL ? 0 : 5)],
  );
  const cells = freeCells(marks);
  const cellValues = cells.map((cell) =>
    LINES.reduce((sum, line, at) => sum + (line.includes(cell) ? lineWeights[at] : 0), 0),
  );
  const highest = Math.max(...cellValues);
  const playedValue = level === 'H' ? (bookValue(cellValues) ?? highest) : highest;
  return cells.filter((_, at) => cellValues[at] === playedValue);
}

/** The value of the cells to play instead, if the book has this position. */
function bookValue(cellValues) {
  // The sum of the squares identifies a position among those that the book must tell apart.
  const squares = cellValues.reduce((sum, value) => sum + value * value, 0);
  return cellValues.find((value) => BOOK.includes(32 * squares + value));
}

/** One of the best cells, at random. */
export function choose(marks, mover, level) {
  const cells = best(marks, mover, level);
  return cells[Math.floor(Math.random() * cells.length)];
}
