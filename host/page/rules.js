// The rules: nine cells, two players, eight lines.
//
//   0 1 2    A position is nine characters in reading order: X, O, and . for a free cell.
//   3 4 5    Where players A and B play, A is X and B is O, whoever began. Elsewhere X moves first.
//   6 7 8

export const EMPTY = '.........';

/** The cells of each line, in the order of the device's score array. */
export const LINES = [
  ...[
    [0, 3, 6],
    [1, 4, 7],
    [2, 5, 8],
  ], // columns
  ...[
    [0, 1, 2],
    [3, 4, 5],
    [6, 7, 8],
  ], // rows
  ...[
    [0, 4, 8],
    [2, 4, 6],
  ], // diagonals
];

export const other = (mark) => (mark === 'X' ? 'O' : 'X');
export const player = (mark) => (mark === 'X' ? 'A' : 'B');

/** The mark that is placed next, if `first` moved first. */
export function turn(marks, first = 'X') {
  const placed = 9 - freeCells(marks).length;
  return placed % 2 ? other(first) : first;
}

export function freeCells(marks) {
  return [...marks].flatMap((mark, cell) => (mark === '.' ? [cell] : []));
}

export function place(marks, cell, mark) {
  return marks.slice(0, cell) + mark + marks.slice(cell + 1);
}

/** The position after these cells, which both sides took in turn. */
export function after(moves, first) {
  return [...moves].reduce((marks, cell) => place(marks, Number(cell), turn(marks, first)), EMPTY);
}

/** The eight scores: a player's own marks count +1 on their lines, the opponent's −1. */
export function scores(marks, mark) {
  const signs = { [mark]: 1, [other(mark)]: -1, '.': 0 };
  return LINES.map((line) => line.reduce((sum, cell) => sum + signs[marks[cell]], 0));
}

/** X or O if one of them has a whole line, else null. */
export function winner(marks) {
  for (const [a, b, c] of LINES) {
    if (marks[a] !== '.' && marks[a] === marks[b] && marks[a] === marks[c]) return marks[a];
  }
  return null;
}

export function isOver(marks) {
  return winner(marks) !== null || !marks.includes('.');
}

/** The cells of the winner's lines. */
export function wonCells(marks) {
  const won = LINES.filter(
    ([a, b, c]) => marks[a] !== '.' && marks[a] === marks[b] && marks[a] === marks[c],
  );
  return [...new Set(won.flat())].sort();
}
