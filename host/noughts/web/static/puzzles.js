// Puzzles: one move is right. The first answer counts for the streak. All answers are in the page.

import { Board, boardPicture, playDigits } from './board.js';
import { element } from './elements.js';

const $ = (id) => document.getElementById(id);
const PLACE = 'noughts-puzzles';

const puzzle = JSON.parse($('view').textContent);
const kept = { streak: 0, best: 0, ...remembered() };
let counted = false;
const board = new Board($('board'), (cell) => tell(cell, puzzle.answers[cell].said));

function remembered() {
  try {
    return JSON.parse(localStorage.getItem(PLACE));
  } catch {
    return null;
  }
}

function count(right) {
  counted = true;
  kept.streak = right ? kept.streak + 1 : 0;
  kept.best = Math.max(kept.best, kept.streak);
  try {
    localStorage.setItem(PLACE, JSON.stringify(kept));
  } catch {
    // Then the streak lasts as long as the page.
  }
}

function pose() {
  $('said').textContent = puzzle.task;
  board.show({ ...puzzle, playable: true });
  draw(false, false);
}

function tell(cell, said) {
  const right = cell === puzzle.right;
  if (!counted) count(right);
  const { marks, name, why, end } = puzzle.answers[cell];
  const names = puzzle.names.map((each, at) => (at === cell ? name : each));
  board.show({ marks, names, last: cell, grounds: { [cell]: right ? 'win' : 'loss' } });
  $('said').textContent = said;
  $('why').textContent = why;
  const caption = element('figcaption', { class: 'quiet' }, end.title);
  $('end').replaceChildren(
    element('figure', {}, boardPicture(end), caption),
    element('a', { href: `/?position=${puzzle.marks}` }, 'Play this position'),
  );
  draw(true, right);
}

function draw(answered, right) {
  $('answer').hidden = !answered;
  $('again').hidden = !answered || right;
  $('show').hidden = right;
  $('streak').textContent = kept.streak;
  $('best').textContent = kept.best;
}

$('again').addEventListener('click', () => {
  pose();
  board.cells[board.at].focus();
});
$('show').addEventListener('click', () => {
  count(false);
  tell(puzzle.right, `The only move is ${puzzle.right + 1}.`);
});
$('level').addEventListener('change', () => $('another').requestSubmit());
playDigits(board);
pose();
if (new URLSearchParams(location.search).has('next')) board.cells[board.at].focus();
