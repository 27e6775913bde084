// Puzzles: one move is right. The first answer counts for the streak. All answers are in the page.

import { Board, boardPicture } from './board.js';
import { $, element, remember, remembered, view as puzzle } from './page.js';

const STORAGE_KEY = 'noughts-puzzles';

const streak = { streak: 0, best: 0, ...remembered('localStorage', STORAGE_KEY) };
let counted = false;
const board = new Board($('board'), (cell) => answer(cell, puzzle.answers[cell].headline), { keys: document });

function count(right) {
  counted = true;
  streak.streak = right ? streak.streak + 1 : 0;
  streak.best = Math.max(streak.best, streak.streak);
  remember('localStorage', STORAGE_KEY, streak);
}

function pose() {
  $('headline').textContent = puzzle.task;
  board.show({ ...puzzle, playable: true });
  draw(false, false);
}

function answer(cell, headline) {
  const right = cell === puzzle.right;
  if (!counted) count(right);
  const { marks, name, why, end } = puzzle.answers[cell];
  const names = Object.assign([...puzzle.names], { [cell]: name });
  board.show({ marks, names, last: cell, grounds: { [cell]: right ? 'win' : 'loss' } });
  $('headline').textContent = headline;
  $('why').textContent = why;
  $('end').replaceChildren(boardPicture(end), element('figcaption', { class: 'quiet' }, end.title));
  draw(true, right);
}

function draw(answered, right) {
  $('answer').hidden = !answered;
  $('keys').classList.toggle('away', answered);
  $('again').hidden = !answered || right;
  $('show').hidden = right;
  $('streak').textContent = streak.streak;
  $('best').textContent = streak.best;
}

$('again').addEventListener('click', () => {
  pose();
  board.cells[board.at].focus();
});
$('show').addEventListener('click', () => {
  count(false);
  answer(puzzle.right, `The only move is ${puzzle.right + 1}.`);
});
$('level').addEventListener('change', () => $('another').requestSubmit());
pose();
if (new URLSearchParams(location.search).has('next')) board.cells[board.at].focus();
