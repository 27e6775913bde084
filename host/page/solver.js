// Tic-tac-toe solved: what each position and each move is worth, and puzzles.
//
//   score     10 less the moves until the mover wins, 0 for a draw, or the moves until the loss
//             less 10
//   value     1 a win, 0 a draw, -1 a loss, for the player to move
//   hard      keeps the value; among such moves, wins most often against random play
//   puzzle    a position in which exactly one free cell keeps the value, a win or a draw
//   depth     of a puzzle: how many moves to look ahead

import { EMPTY, freeCells, isOver, other, place, turn, winner } from './rules.js';

const WIN = 10;

/** A function of a position and the player to move that computes each result once. */
function remembering(compute) {
  const results = new Map();
  return (marks, mover, ...rest) => {
    const key = marks + mover + rest;
    if (!results.has(key)) results.set(key, compute(marks, mover, ...rest));
    return results.get(key);
  };
}

export const score = remembering((marks, mover) => {
  if (winner(marks)) return -WIN; // the last move has won
  const cells = freeCells(marks);
  if (!cells.length) return 0;
  return Math.max(...cells.map((cell) => scoreOfMove(marks, mover, cell)));
});

/** The score of a move for the player who makes it. */
export function scoreOfMove(marks, mover, cell) {
  const result = -score(place(marks, cell, mover), other(mover));
  return result - Math.sign(result); // the end is one move further away
}

export function value(marks, mover) {
  return Math.sign(score(marks, mover));
}

export function valueOfMove(marks, mover, cell) {
  return Math.sign(scoreOfMove(marks, mover, cell));
}

/** How many moves until the end of a game that somebody wins. */
export function movesUntilEnd(ofMove) {
  return WIN - Math.abs(ofMove);
}

function valueKeepingMoves(marks, mover) {
  return freeCells(marks).filter((cell) => valueOfMove(marks, mover, cell) === value(marks, mover));
}

/** How many sequences of moves a random opponent has who is to move with so many cells free. */
function sequences(free) {
  return free > 1 ? free * sequences(free - 2) : 1;
}

/** Of these sequences, how many `hard` wins. Whole numbers: no rounding decides between moves. */
const wonSequences = remembering((marks, hard, hardMoves) => {
  const cells = freeCells(marks);
  const won = winner(marks);
  if (won || !cells.length) return won === hard ? sequences(cells.length) : 0;
  if (hardMoves) {
    const counts = valueKeepingMoves(marks, hard).map((cell) =>
      wonSequences(place(marks, cell, hard), hard, false),
    );
    return Math.max(...counts);
  }
  const counts = cells.map((cell) => wonSequences(place(marks, cell, other(hard)), hard, true));
  return counts.reduce((sum, count) => sum + count, 0);
});

/** How many of all random games the mover wins with this move and hard play: `[won, of]`. */
export function winsAfter(marks, mover, cell) {
  const position = place(marks, cell, mover);
  return [wonSequences(position, mover, false), sequences(freeCells(position).length)];
}

/** The moves that hard may play, in reading order. */
export function hardMoves(marks, mover) {
  const cells = valueKeepingMoves(marks, mover);
  const wins = cells.map((cell) => winsAfter(marks, mover, cell)[0]);
  return cells.filter((_, at) => wins[at] === Math.max(...wins));
}

/** Of hard's moves, those that win soonest or lose latest. */
export function bestMoves(marks, mover) {
  const cells = freeCells(marks);
  const key = (cell) => [scoreOfMove(marks, mover, cell), winsAfter(marks, mover, cell)[0]];
  const isBetter = ([score, wins], [otherScore, otherWins]) =>
    score > otherScore || (score === otherScore && wins > otherWins);
  return cells.filter((cell) => !cells.some((one) => isBetter(key(one), key(cell))));
}

/** The best moves of both sides, to the end. */
export function variation(marks, mover) {
  if (isOver(marks)) return [];
  const best = freeCells(marks).reduce((one, cell) =>
    scoreOfMove(marks, mover, cell) > scoreOfMove(marks, mover, one) ? cell : one,
  );
  return [best, ...variation(place(marks, best, mover), other(mover))];
}

/** The puzzle in a position in which X moved first, or null. */
export function puzzleOf(marks) {
  const [mover, free] = [turn(marks), freeCells(marks)];
  if (isOver(marks) || free.length < 2) return null;
  const right = valueKeepingMoves(marks, mover);
  if (right.length !== 1) return null;
  const wins = value(marks, mover) > 0;
  const looked = wins ? right : free.filter((cell) => cell !== right[0]);
  const depth = Math.max(...looked.map((cell) => movesUntilEnd(scoreOfMove(marks, mover, cell))));
  return { marks, mover, right: right[0], wins, depth };
}

/** All reachable positions in which X moved first, turned and mirrored ones too. */
export function reachable() {
  const positions = new Set([EMPTY]);
  for (const marks of positions) {
    if (isOver(marks)) continue;
    for (const cell of freeCells(marks)) positions.add(place(marks, cell, turn(marks)));
  }
  return [...positions];
}

/** All puzzles, turned and mirrored ones too. */
export function puzzles() {
  return reachable().map(puzzleOf).filter(Boolean);
}

/** A puzzle's level, 1 to 3. */
export function level({ depth }) {
  return 1 + (depth > 2) + (depth > 3);
}
