// Puzzles: one move is right. The first answer counts for the streak.

import { Board, boardPicture, playDigits } from './board.js';
import { element } from './elements.js';
import { Latest } from './latest.js';

const $ = (id) => document.getElementById(id);
const PLACE = 'noughts-puzzles';

const kept = { streak: 0, best: 0, last: null, ...remembered() };
let puzzle = null;
let counted = false;
let answered = null; // the cell that was chosen, until it is tried again

const server = new Latest();
const board = new Board($('board'), answer);

function remembered() {
  try {
    return JSON.parse(localStorage.getItem(PLACE));
  } catch {
    return null;
  }
}

function remember() {
  try {
    localStorage.setItem(PLACE, JSON.stringify(kept));
  } catch {
    // Then the streak lasts as long as the page.
  }
}

/** What the server answers; what it refuses is said where the puzzle's task stands. */
async function ask(path, words) {
  try {
    return await server.ask(`${path}?${new URLSearchParams(words)}`);
  } catch (error) {
    $('said').textContent = error.message;
    return null;
  }
}

async function pose(words) {
  const found = await ask('/api/puzzle', words);
  if (!found) return;
  puzzle = found;
  counted = false;
  kept.last = puzzle.position;
  remember();
  history.replaceState(null, '', `?position=${puzzle.position}`);
  $('about').textContent = `${'★'.repeat(puzzle.level)} ${puzzle.people}`.trim();
  tryAgain();
}

const next = () =>
  pose({
    ...($('level').value && { level: $('level').value }),
    ...(kept.last && { after: kept.last }),
  });

function tryAgain() {
  answered = null;
  $('said').textContent = puzzle.task;
  board.show({ marks: puzzle.position, names: puzzle.names, playable: true });
  draw();
}

async function answer(cell) {
  const found = await ask('/api/puzzle/answer', { position: puzzle.position, cell });
  if (!found) return;
  if (!counted) count(found.right);
  tell(found, found.right ? 'Right!' : `Wrong: ${found.cell + 1} is not the move.`);
}

async function show() {
  const found = await ask('/api/puzzle/answer', { position: puzzle.position });
  if (!found) return;
  count(false);
  tell(found, `The only move is ${found.cell + 1}.`);
}

function count(right) {
  counted = true;
  kept.streak = right ? kept.streak + 1 : 0;
  kept.best = Math.max(kept.best, kept.streak);
  remember();
}

function tell({ right, cell, words, end }, said) {
  answered = cell;
  const marks = [...puzzle.position];
  marks[cell] = puzzle.turn;
  const names = puzzle.names.map((name, each) =>
    each === cell ? `${name.replace('free', puzzle.turn)}, ${right ? 'right' : 'wrong'}` : name,
  );
  board.show({ marks, names, last: cell, grounds: { [cell]: right ? 'win' : 'loss' } });
  $('said').textContent = said;
  $('why').textContent = words;
  $('end').replaceChildren(
    element(
      'figure',
      {},
      boardPicture(end),
      element('figcaption', { class: 'quiet' }, end.title),
    ),
    element('a', { href: `/?position=${puzzle.position}` }, 'Play this position'),
  );
  draw(right);
}

function draw(right = false) {
  $('answer').hidden = answered === null;
  $('again').hidden = answered === null || right;
  $('show').hidden = !puzzle || (answered !== null && right);
  $('streak').textContent = String(kept.streak);
  $('best').textContent = String(kept.best);
}

$('next').addEventListener('click', async () => {
  await next();
  board.cells[board.at].focus();
});
$('again').addEventListener('click', () => {
  tryAgain();
  board.cells[board.at].focus();
});
$('show').addEventListener('click', show);
$('level').addEventListener('change', next);
playDigits(board);
draw();

const wanted = new URLSearchParams(location.search).get('position');
if (wanted) pose({ position: wanted });
else next();
