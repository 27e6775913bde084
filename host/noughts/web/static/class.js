// The class: a tile for each board, to be read from afar.

import { boardPicture } from './board.js';
import { element } from './elements.js';
import { follow, marksWords, showSite } from './live.js';

const tiles = document.getElementById('tiles');
const none = document.getElementById('none');
const count = document.getElementById('count');
const fullScreen = document.getElementById('full-screen');
const known = new Map(); // by id: the tile's element and what it shows

follow((message) => {
  for (const [key, value] of Object.entries(message)) {
    if (key === 'site') showSite(document.getElementById('site'), value);
    if (key.startsWith('board/')) show(value);
  }
  if (message.order) arrange(message.order);
});

function show(board) {
  const before = known.get(board.id);
  const root = before?.root ?? element('li', { class: 'tile' });
  known.set(board.id, { root, board });
  const [who, turn] = board.tile;
  root.classList.toggle('away', !board.running);
  const game = board.game ?? { marks: '.........', line: [], opponents: 'no game yet' };
  root.replaceChildren(
    element('h2', {}, board.name),
    boardPicture({ ...game, title: marksWords(game) }),
    element('p', { class: 'who' }, who),
    element('p', { class: 'turn' }, turn || '\u00a0'),
    element('p', { class: 'quiet' }, board.score || '\u00a0'),
  );
}

function arrange(order) {
  const there = order.filter((id) => known.has(id));
  for (const id of known.keys()) if (!order.includes(id)) known.delete(id);
  tiles.replaceChildren(...there.map((id) => known.get(id).root));
  none.hidden = there.length > 0;
  count.textContent = `${there.length} ${there.length === 1 ? 'board' : 'boards'}`;
}

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
