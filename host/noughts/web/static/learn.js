// Draws a position, and steps through its search, of which all boards are in the page.

import { Board, boardPicture } from './board.js';
import { $, classes, element, view } from './page.js';
import { Stepper } from './stepper.js';

const SHOWN_MS = 900;
const BEYOND = 100; // of any score: the window is open on that side

const drawing = new Board($('drawn'), (cell) => {
  const marks = [...padded()];
  const count = (mark) => marks.filter((other) => other === mark).length;
  if (marks[cell] !== '.') marks[cell] = '.';
  else marks[cell] = count('X') > count('O') ? 'O' : 'X';
  draw(marks.join(''));
});

function padded() {
  const typed = $('position').value.toUpperCase().replace(/[^XO]/g, '.');
  return typed.padEnd(9, '.').slice(0, 9);
}

/** Any cell can be changed: a free one gets the mark whose turn it is. */
function draw(position) {
  if (position) $('position').value = position;
  const marks = padded();
  const names = [...marks].map((mark, cell) => `cell ${cell + 1}, ${mark === '.' ? 'free' : mark}`);
  drawing.show({ marks, names });
  drawing.cells.forEach((cell) => cell.setAttribute('aria-disabled', 'false'));
}

$('position').addEventListener('input', () => draw());
$('clear').addEventListener('click', () => draw('.'.repeat(9)));
draw();
if (view) follow(view);

function follow({ position, search, boards, steps }) {
  const { nodes, cut } = steps.at(-1);
  const shown = tree(boards);
  const stepper = new Stepper(steps.length - 1, show, () => SHOWN_MS);

  function show(at) {
    const step = steps[at];
    const path = new Set();
    for (let number = step.board; number !== null; number = boards[number].parent) path.add(number);
    boards.forEach((board, number) => {
      const { item, one, value, mark } = shown[number];
      item.hidden = at < board.entered;
      const isCut = board.value === null;
      const valued = board.valued !== null && at >= board.valued;
      const best = board.best && at >= board.best[0] && (board.best[1] === null || at < board.best[1]);
      mark.textContent = isCut ? '✂ ' : best ? '★ ' : '';
      value.textContent = isCut ? ': cut' : valued ? `: ${board.value}` : ': …';
      const current = number === step.board || (isCut && board.entered === at);
      one.className = classes('one', isCut && 'cut', best && 'best', path.has(number) && 'path', current && 'now');
      one.setAttribute('aria-current', number === step.board ? 'step' : 'false');
    });
    $('of').textContent = `${at + 1} of ${steps.length}`;
    $('slider').setAttribute('aria-valuetext', `step ${$('of').textContent}`);
    $('explanation').textContent = step.text;
    $('nodes').textContent = `${step.nodes} of ${nodes}`;
    $('cut').textContent = `${step.cut} of ${cut}`;
    if (search !== 'minimax') showWindow(boards[step.board].whose, step);
    scrollToBoard(shown[step.board].one);
    history.replaceState(null, '', `?${new URLSearchParams({ position, search, step: at + 1 })}`);
  }

  stepper.go(Number(new URLSearchParams(location.search).get('step')) - 1 || 0);
}

/** Draws all boards; gives the elements of each. */
function tree(boards) {
  const shown = [];
  for (const board of boards) {
    const [mark, value] = [element('strong'), element('span')];
    const words = element('div', {}, mark, board.text, value, element('small', {}, board.window ?? ''));
    const one = element('div', {}, boardPicture(board), words);
    const item = element('li', {}, one);
    const above = board.parent === null ? $('tree') : shown[board.parent].item;
    if (above.lastElementChild?.tagName !== 'UL') above.append(element('ul'));
    above.lastElementChild.append(item);
    shown.push({ item, one, value, mark });
  }
  return shown;
}

/** The window in words, and on a scale from the soonest loss to the soonest win. */
function showWindow(whose, { window, alpha, beta }) {
  const [from, to] = [alpha, beta].map((score) => 100 + Math.max(-BEYOND, Math.min(BEYOND, score * 9)));
  const closed = alpha >= beta;
  $('whose').textContent = whose;
  $('window').textContent = window;
  $('open').setAttribute('x', closed ? from - 1 : from);
  $('open').setAttribute('width', closed ? 2 : to - from);
}

/** Scrolls the tree, and not the page. */
function scrollToBoard(one) {
  const tree = $('tree');
  const [inside, outside] = [one.getBoundingClientRect(), tree.getBoundingClientRect()];
  tree.scrollTop += inside.top - outside.top - (tree.clientHeight - inside.height) / 2;
  tree.scrollLeft += inside.left - outside.left - 16;
}
