// Draws a position, and steps through its search, of which all boards are in the page.

import { Board, boardPicture } from './board.js';
import { element, svg } from './elements.js';

const PLAY_MS = 900;
const BEYOND = 100; // of any score: the window is open on that side

const $ = (id) => document.getElementById(id);

/** A board on which any cell can be changed: a free one gets the mark whose turn it is. */
class Drawing extends Board {
  choose(cell) {
    this.play(cell);
  }
}

const drawing = new Drawing($('drawn'), (cell) => {
  const marks = [...padded()];
  const count = (mark) => marks.filter((each) => each === mark).length;
  if (marks[cell] !== '.') marks[cell] = '.';
  else marks[cell] = count('X') > count('O') ? 'O' : 'X';
  $('position').value = marks.join('');
  draw();
});

function padded() {
  const typed = $('position').value.toUpperCase().replace(/[^XO]/g, '.');
  return typed.padEnd(9, '.').slice(0, 9);
}

function draw() {
  const marks = padded();
  const names = [...marks].map((mark, cell) => `cell ${cell + 1}, ${mark === '.' ? 'free' : mark}`);
  drawing.show({ marks, names });
  drawing.cells.forEach((cell) => cell.setAttribute('aria-disabled', 'false'));
}

$('position').addEventListener('input', draw);
$('clear').addEventListener('click', () => {
  $('position').value = '.'.repeat(9);
  draw();
});
draw();
if ($('view')) follow(JSON.parse($('view').textContent));

function follow({ position, search, nodes, cut, boards, steps }) {
  const end = steps.length - 1;
  const shown = tree(boards);
  let at = 0;
  let timer = null;

  function go(step) {
    at = Math.min(Math.max(Math.trunc(step), 0), end);
    const now = steps[at];
    const path = new Set();
    for (let each = now.board; each !== null; each = boards[each].parent) path.add(each);
    boards.forEach((board, number) => {
      const { item, one, value, mark } = shown[number];
      item.hidden = at < board.entered;
      if (item.hidden) return;
      const isCut = board.value === null;
      const valued = board.valued !== null && at >= board.valued;
      const best = board.best && at >= board.best[0] && (board.best[1] === null || at < board.best[1]);
      mark.textContent = isCut ? '✂ ' : best ? '★ ' : '';
      value.textContent = isCut ? ': cut' : valued ? `: ${board.value}` : ': …';
      const current = number === now.board || (now.kind === 'cut' && isCut && board.entered === at);
      const classes = ['one', isCut && 'cut', best && 'best', path.has(number) && 'path', current && 'now'];
      one.className = classes.filter(Boolean).join(' ');
      one.setAttribute('aria-current', number === now.board ? 'step' : 'false');
    });
    $('at').value = at;
    $('of').textContent = `${at + 1} of ${steps.length}`;
    $('at').setAttribute('aria-valuetext', `step ${$('of').textContent}`);
    $('said').textContent = now.text;
    // Not `disabled`: what has the focus keeps it.
    for (const id of ['first', 'back']) $(id).setAttribute('aria-disabled', String(at === 0));
    for (const id of ['forward', 'last']) $(id).setAttribute('aria-disabled', String(at === end));
    if (at === end) stop();
    figures(now);
    bring(shown[now.board].one);
    history.replaceState(null, '', `?${new URLSearchParams({ position, search, step: at + 1 })}`);
  }

  function figures(now) {
    const figure = (name, ...text) => element('div', {}, element('dt', {}, name), element('dd', {}, ...text));
    $('figures').replaceChildren(
      figure('Boards looked at', `${now.nodes} of ${nodes}`),
      figure('Moves cut', `${now.cut} of ${cut}`),
    );
    if (search === 'minimax') return;
    $('figures').append(figure(boards[now.board].whose, now.window, scale(now.alpha, now.beta)));
  }

  function stop() {
    clearInterval(timer);
    timer = null;
    $('run').setAttribute('aria-pressed', 'false');
    $('run').textContent = 'Play';
  }

  function run() {
    if (at === end) go(0);
    $('run').setAttribute('aria-pressed', 'true');
    $('run').textContent = 'Stop';
    timer = setInterval(() => go(at + 1), PLAY_MS);
  }

  const buttons = { first: () => 0, back: () => at - 1, forward: () => at + 1, last: () => end };
  for (const [id, to] of Object.entries(buttons)) {
    $(id).addEventListener('click', () => {
      stop();
      go(to());
    });
  }
  $('run').addEventListener('click', () => (timer ? stop() : run()));
  $('at').addEventListener('input', () => {
    stop();
    go(Number($('at').value));
  });
  const keys = { ArrowLeft: 'back', ArrowRight: 'forward', Home: 'first', End: 'last' };
  document.addEventListener('keydown', (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    if (!(event.key in keys) || event.target.closest('#wanted, input')) return;
    event.preventDefault();
    $(keys[event.key]).click();
  });
  go(Number(new URLSearchParams(location.search).get('step')) - 1 || 0);
}

/** Draws all boards; gives the elements of each. */
function tree(boards) {
  const shown = boards.map((board) => {
    const [mark, value] = [element('strong'), element('span')];
    const words = element('div', {}, mark, board.text, value, board.window && element('small', {}, board.window));
    const one = element('div', {}, boardPicture(board), words);
    return { item: element('li', {}, one), one, value, mark };
  });
  boards.forEach(({ parent }, number) => {
    const above = parent === null ? $('tree') : shown[parent].item;
    if (above.lastChild?.tagName !== 'UL') above.append(element('ul'));
    above.lastChild.append(shown[number].item);
  });
  return shown;
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
  const tree = $('tree');
  const [inside, outside] = [one.getBoundingClientRect(), tree.getBoundingClientRect()];
  tree.scrollTop += inside.top - outside.top - (tree.clientHeight - inside.height) / 2;
  tree.scrollLeft += inside.left - outside.left - 16;
}
