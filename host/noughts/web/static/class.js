// The class: a tile for each board, to be read from afar.

import { boardPicture } from './board.js';
import { element } from './elements.js';
import { follow } from './live.js';

const tiles = document.getElementById('tiles');
const none = document.getElementById('none');
const count = document.getElementById('count');
const fullScreen = document.getElementById('full-screen');
const SMALLEST = 140; // pixels of a board: more of them than fit are scrolled
const known = new Map(); // by id: the tile's element and what it shows

follow((key, value) => {
  if (key.startsWith('board/')) show(value);
  else if (key === 'order') arrange(value);
});

function show(board) {
  const before = known.get(board.id);
  const root = before?.root ?? element('li', { class: 'tile' });
  known.set(board.id, { root, board });
  const [who, turn] = board.tile;
  root.classList.toggle('away', !board.running);
  root.replaceChildren(
    element('h2', {}, board.name),
    boardPicture(board.game),
    element('p', { class: 'who' }, who),
    element('p', { class: 'turn' }, turn || '\u00a0'),
    element('p', { class: 'quiet' }, board.score || '\u00a0'),
  );
}

function arrange(order) {
  const there = order.filter((id) => known.has(id));
  for (const id of known.keys()) if (!order.includes(id)) known.delete(id);
  tiles.replaceChildren(...there.map((id) => known.get(id).root));
  fit();
  none.hidden = there.length > 0;
  count.textContent = `${there.length} ${there.length === 1 ? 'board' : 'boards'}`;
}

/** As many columns as make the boards largest, with all of them on the screen where that is legible. */
function fit() {
  const count = tiles.children.length;
  const top = tiles.getBoundingClientRect().top + scrollY;
  let best = { columns: 1, board: 0 };
  for (let columns = 1; columns <= count; columns++) {
    const wide = tiles.clientWidth / columns - 50;
    const high = (innerHeight - top) / Math.ceil(count / columns) - 190; // less what a tile says
    const board = Math.min(wide, Math.max(high, SMALLEST));
    if (board >= best.board) best = { columns, board };
  }
  tiles.style.setProperty('--columns', best.columns);
  tiles.style.setProperty('--board', `${best.board}px`);
}

addEventListener('resize', fit);
fullScreen.hidden = !document.fullscreenEnabled;
fullScreen.addEventListener('click', () => {
  if (document.fullscreenElement) document.exitFullscreen();
  else document.documentElement.requestFullscreen();
});
document.addEventListener('fullscreenchange', () => {
  const full = Boolean(document.fullscreenElement);
  document.body.classList.toggle('full', full);
  fullScreen.textContent = full ? 'Leave full screen' : 'Full screen';
});
