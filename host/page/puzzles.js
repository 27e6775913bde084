// Puzzles: one move is right. The first answer counts for the streak.

import { Board, boardPicture } from '../noughts/web/static/board.js';
import { $, element, remember, remembered } from '../noughts/web/static/page.js';
import { inEachLanguage, t } from './language.js';
import { cellNames, listenEverywhere, valueText } from './play.js';
import { other, place, winner, wonCells } from './rules.js';
import { level, puzzles, scoreOfMove, value, valueOfMove, variation } from './solver.js';

const STORAGE_KEY = 'noughts-puzzles';
const VALUE_TEXTS = { 1: 'worth.aWin', 0: 'worth.aDraw', '-1': 'worth.aLoss' };

const streak = { streak: 0, best: 0, ...remembered('localStorage', STORAGE_KEY) };
const state = { puzzle: null, answer: null, counted: false };
let all = null; // the puzzles, once they are needed

export function start() {
  const board = new Board($('puzzle-board'), (cell) => answer(cell));
  listenEverywhere(board, $('puzzles'));
  state.draw = () => draw(board);
  $('next-puzzle').addEventListener('click', pose);
  $('puzzle-level').addEventListener('change', pose);
  $('show-move').addEventListener('click', () => {
    count(false);
    answer(state.puzzle.right);
  });
  $('try-again').addEventListener('click', () => {
    state.answer = null;
    state.draw();
    board.cells[board.at].focus();
  });
  const part = $('puzzles');
  const showing = new MutationObserver(() => {
    if (!part.hidden && !state.puzzle) pose();
  });
  showing.observe(part, { attributeFilter: ['hidden'] }); // `hidden = true` again is a change too
  inEachLanguage(() => state.puzzle && state.draw());
}

/** Another puzzle of the chosen level. */
function pose() {
  all ??= puzzles();
  const chosenLevel = $('puzzle-level').value;
  const fitting = all.filter(
    (puzzle) =>
      puzzle.marks !== state.puzzle?.marks &&
      (!chosenLevel || level(puzzle) === Number(chosenLevel)),
  );
  const puzzle = fitting[Math.floor(Math.random() * fitting.length)];
  Object.assign(state, { puzzle, answer: null, counted: false });
  state.draw();
}

function answer(cell) {
  state.answer = cell;
  count(cell === state.puzzle.right);
  state.draw();
}

function count(isRight) {
  if (state.counted) return;
  state.counted = true;
  streak.streak = isRight ? streak.streak + 1 : 0;
  streak.best = Math.max(streak.best, streak.streak);
  remember('localStorage', STORAGE_KEY, streak);
}

function draw(board) {
  const { puzzle, answer } = state;
  const answered = answer !== null;
  const isRight = answer === puzzle.right;
  const marks = answered ? place(puzzle.marks, answer, puzzle.mover) : puzzle.marks;
  const grounds = answered ? { [answer]: isRight ? 'win' : 'loss' } : {};
  board.show({ marks, names: cellNames(marks), playable: !answered, last: answer, grounds });
  $('puzzle-headline').textContent = headline(puzzle, answer, isRight);
  $('show-move').hidden = isRight;
  $('try-again').hidden = !answered || isRight;
  $('puzzle-why').hidden = !answered;
  $('streak').textContent = t('puzzles.streak', streak);
  if (answered) explain(puzzle, answer, isRight);
}

function headline({ mover, wins }, answer, isRight) {
  if (answer === null) return t(wins ? 'puzzles.findWin' : 'puzzles.findDraw', { who: mover });
  return isRight ? t('puzzles.right') : t('puzzles.wrong', { number: answer + 1 });
}

function explain({ marks, mover, wins }, cell, isRight) {
  const opponent = other(mover);
  const line = variation(place(marks, cell, mover), opponent);
  const turns = line
    .map((reply, ply) => `${ply % 2 ? mover : opponent} ${reply + 1}`)
    .join(t('join.items'));
  const values = { who: mover, number: cell + 1, where: t(`cell.${cell}`) };
  const effect = isRight
    ? t(wins ? 'puzzles.wins' : 'puzzles.holds', {
        ...values,
        worth: valueText(scoreOfMove(marks, mover, cell)),
      })
    : t('puzzles.loses', {
        ...values,
        before: t(VALUE_TEXTS[value(marks, mover)]),
        after: t(VALUE_TEXTS[valueOfMove(marks, mover, cell)]),
      });
  const continuation = turns && t(isRight ? 'puzzles.goesOn' : 'puzzles.allows', { turns });
  $('puzzle-reason').textContent = [effect, continuation]
    .filter(Boolean)
    .join(t('join.sentences'));
  const end = [cell, ...line].reduce(
    (board, move, ply) => place(board, move, ply % 2 ? opponent : mover),
    marks,
  );
  const title = winner(end) ? t('play.won', { who: winner(end) }) : t('play.draw');
  $('puzzle-end').replaceChildren(
    boardPicture({ marks: end, line: wonCells(end), title }),
    element('figcaption', { class: 'quiet' }, t('puzzles.end', { result: title })),
  );
}
