// Steps through a search: the position that is wanted, its boards as a tree, and the step at hand.

import { Board, boardPicture } from './board.js';
import { element, svg } from './elements.js';
import { get } from './server.js';

const EXAMPLES = [
  ['Lesson 1 and 2', '..XXOO.XO'],
  ['The same, turned', 'OX.OOXX..'],
  ['A fork', 'X...O...X'],
  ['Five free cells', 'XO..X...O'],
];
const PLAY_MS = 900;
const BEYOND = 100; // of any score: the window is open on that side

const byId = (id) => document.getElementById(id);
const position = byId('position');
const search = byId('search');
const slider = byId('at');
let found = null; // what the server answered
let at = 0;
let shown = []; // for each board of the tree, its elements
let timer = null;
let asked = 0;

/** A board on which any cell can be changed: a free one gets the mark whose turn it is. */
class Drawing extends Board {
  choose(cell) {
    this.play(cell);
  }
}

const drawing = new Drawing(byId('drawn'), (cell) => {
  const marks = [...padded()];
  const count = (mark) => marks.filter((each) => each === mark).length;
  if (marks[cell] !== '.') marks[cell] = '.';
  else marks[cell] = count('X') > count('O') ? 'O' : 'X';
  position.value = marks.join('');
  draw();
});

function padded() {
  const typed = position.value.toUpperCase().replace(/[^XO]/g, '.');
  return typed.padEnd(9, '.').slice(0, 9);
}

function draw() {
  const marks = padded();
  const names = [...marks].map((mark, cell) => `cell ${cell + 1}, ${mark === '.' ? 'free' : mark}`);
  drawing.show({ marks, names });
  drawing.cells.forEach((cell) => cell.setAttribute('aria-disabled', 'false'));
}

/** Asks for the search that is wanted, and shows it from a step on. */
async function follow(step = 0) {
  stop();
  const number = ++asked;
  const query = new URLSearchParams({ position: position.value, search: search.value });
  try {
    const answer = await get(`/api/search?${query}`);
    if (number !== asked) return; // another one is wanted meanwhile
    found = answer.large ? null : answer;
    position.value = answer.position;
    say(answer.large, answer.instead);
  } catch (error) {
    if (number !== asked) return;
    found = null;
    say(error.message);
  }
  draw();
  byId('stepper').hidden = !found;
  if (!found) {
    history.replaceState(null, '', `?${query}`);
    return;
  }
  slider.max = found.steps.length - 1;
  build();
  go(step);
}

/** Says why there is nothing to follow, and offers what there is. */
function say(text, instead = null) {
  const answer = byId('answer');
  answer.replaceChildren(text ?? '');
  answer.hidden = !text;
  if (!instead) return;
  const take = () => {
    position.value = instead.position;
    search.value = instead.search;
    follow();
  };
  const called = `Follow ${search.querySelector(`[value=${instead.search}]`).textContent} from ${instead.position}`;
  answer.append(element('button', { type: 'button', onclick: take }, called));
}

/** The tree, with all its boards; those that are not met yet are hidden. */
function build() {
  const items = [];
  const lists = []; // below each of them
  shown = found.boards.map((board, number) => {
    const move = board.mover ? `${board.mover} plays ${board.cell + 1}` : `${found.mover} to move`;
    const value = element('span');
    const mark = element('strong');
    const window = board.window && `window: ${board.window[0]} to ${board.window[1]}`;
    const one = element(
      'div',
      {},
      boardPicture({ marks: board.marks, last: board.cell, line: board.line }),
      element('div', {}, mark, move, value, window && element('small', {}, window)),
    );
    const item = element('li', {}, one);
    if (board.parent === null) {
      byId('tree').replaceChildren(element('ul', {}, item));
    } else {
      if (!lists[board.parent]) {
        lists[board.parent] = element('ul');
        items[board.parent].append(lists[board.parent]);
      }
      lists[board.parent].append(item);
    }
    items.push(item);
    return { item, one, value, mark };
  });
}

function go(step) {
  at = Math.min(Math.max(Math.trunc(step), 0), found.steps.length - 1);
  const now = found.steps[at];
  const path = new Set();
  for (let each = now.board; each !== null; each = found.boards[each].parent) path.add(each);
  found.boards.forEach((board, number) => {
    const { item, one, value, mark } = shown[number];
    item.hidden = at < board.entered;
    if (item.hidden) return;
    const cut = board.value === null;
    const valued = board.valued !== null && at >= board.valued;
    const best = board.best && at >= board.best[0] && (board.best[1] === null || at < board.best[1]);
    mark.textContent = cut ? '✂ ' : best ? '★ ' : '';
    value.textContent = cut ? ': cut' : valued ? `: ${board.value}` : ': …';
    const current = number === now.board || (now.kind === 'cut' && cut && board.entered === at);
    const classes = ['one', cut && 'cut', best && 'best', path.has(number) && 'path', current && 'now'];
    one.className = classes.filter(Boolean).join(' ');
    if (number === now.board) one.setAttribute('aria-current', 'step');
    else one.removeAttribute('aria-current');
  });
  slider.value = at;
  slider.setAttribute('aria-valuetext', `step ${at + 1} of ${found.steps.length}`);
  byId('of').textContent = `${at + 1} of ${found.steps.length}`;
  byId('said').textContent = now.text;
  // Not `disabled`: what has the focus keeps it.
  for (const id of ['first', 'back']) byId(id).setAttribute('aria-disabled', String(at === 0));
  const end = at === found.steps.length - 1;
  for (const id of ['forward', 'last']) byId(id).setAttribute('aria-disabled', String(end));
  if (end) stop();
  figures(now);
  bring(shown[now.board].one);
  const query = new URLSearchParams({ position: found.position, search: found.search, step: at + 1 });
  history.replaceState(null, '', `?${query}`);
}

function figures(now) {
  const counted = [
    ['Boards looked at', `${now.nodes} of ${found.nodes}`],
    ['Moves cut', `${now.cut} of ${found.cut}`],
  ].map(([term, text]) => element('div', {}, element('dt', {}, term), element('dd', {}, text)));
  if (found.search === 'alphabeta') {
    const chooser = found.boards[now.board].mover;
    const whose = chooser ? `Window of ${chooser}, from alpha to beta` : 'Window, from alpha to beta';
    const text = `${now.window[0]} to ${now.window[1]}`;
    const bounds = element('dd', {}, text, scale(now.alpha, now.beta));
    counted.push(element('div', { class: 'window' }, element('dt', {}, whose), bounds));
  }
  byId('figures').replaceChildren(...counted);
}

/** The window on a scale from the soonest loss to the soonest win. */
function scale(alpha, beta) {
  const x = (score) => 100 + Math.max(-BEYOND, Math.min(BEYOND, score * 9));
  const closed = alpha >= beta;
  return svg(
    'svg',
    { viewBox: '-4 0 208 22', 'aria-hidden': 'true' },
    svg('path', { d: 'M0 6H200M0 2V10M100 2V10M200 2V10', class: 'scale' }),
    svg('rect', { x: closed ? x(alpha) - 1 : x(alpha), y: 3, width: closed ? 2 : x(beta) - x(alpha), height: 6, class: 'open' }),
    ...[[14, 'loss'], [100, 'draw'], [186, 'win']].map(([at, text]) => svg('text', { x: at, y: 19 }, text)),
  );
}

/** Scrolls the tree, and not the page. */
function bring(one) {
  const tree = byId('tree');
  const [inside, outside] = [one.getBoundingClientRect(), tree.getBoundingClientRect()];
  tree.scrollTop += inside.top - outside.top - (tree.clientHeight - inside.height) / 2;
  tree.scrollLeft += inside.left - outside.left - 16;
}

function stop() {
  clearInterval(timer);
  timer = null;
  byId('run').setAttribute('aria-pressed', 'false');
  byId('run').textContent = 'Play';
}

byId('wanted').addEventListener('submit', (event) => {
  event.preventDefault();
  follow();
});
byId('clear').addEventListener('click', () => {
  position.value = '.'.repeat(9);
  draw();
});
position.addEventListener('input', draw);
byId('examples').append(
  'Examples:',
  ...EXAMPLES.map(([called, marks]) =>
    element('button', { type: 'button', onclick: () => { position.value = marks; follow(); } }, called),
  ),
);
const moves = { first: () => 0, back: () => at - 1, forward: () => at + 1, last: () => Infinity };
for (const [id, to] of Object.entries(moves)) {
  byId(id).addEventListener('click', () => {
    stop();
    go(to());
  });
}
slider.addEventListener('input', () => {
  stop();
  go(Number(slider.value));
});
byId('run').addEventListener('click', () => {
  if (timer) {
    stop();
    return;
  }
  if (at === found.steps.length - 1) go(0);
  byId('run').setAttribute('aria-pressed', 'true');
  byId('run').textContent = 'Stop';
  timer = setInterval(() => go(at + 1), PLAY_MS);
});
const KEYS = { ArrowLeft: 'back', ArrowRight: 'forward', Home: 'first', End: 'last' };
document.addEventListener('keydown', (event) => {
  if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
  if (!found || !(event.key in KEYS) || event.target.closest('#wanted, input')) return;
  event.preventDefault();
  byId(KEYS[event.key]).click();
});

const named = new URLSearchParams(location.search);
position.value = named.get('position') ?? EXAMPLES[0][1];
if (named.get('search') === 'minimax') search.value = 'minimax';
draw();
follow(Number(named.get('step')) - 1 || 0);
