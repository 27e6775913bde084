// The class: a tile for each board, to be read from afar.

import { boardPicture } from './board.js';
import { follow } from './live.js';
import { $, element } from './page.js';

const SMALLEST = 140; // pixels of a board: more of them than fit are scrolled
const tiles = $('tiles');

follow('/api/live', tiles, tile, ({ order }) => {
  if (!order) return;
  fit();
  $('count').textContent = `${order.length} ${order.length === 1 ? 'board' : 'boards'}`;
});

function tile() {
  const root = element('li');
  function show({ name, game, tile: [who, turn], score, running }) {
    root.className = running ? 'card tile' : 'card tile away';
    root.replaceChildren(
      element('h2', {}, name),
      boardPicture(game),
      element('p', { class: 'who' }, who),
      element('p', { class: 'turn' }, turn),
      element('p', { class: 'quiet' }, score),
    );
  }
  return { root, show };
}

/** The number of columns that makes the boards largest; all fit on the screen if they stay legible. */
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
$('full-screen').hidden = !document.fullscreenEnabled;
$('full-screen').addEventListener('click', () => {
  if (document.fullscreenElement) document.exitFullscreen();
  else document.documentElement.requestFullscreen();
});
