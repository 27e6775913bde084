// The class: a tile for each board, to be read from afar.

import { SIGNS, boardPicture } from './board.js';
import { follow } from './live.js';
import { $, classes, counted, element } from './page.js';

const SIDE_BY_SIDE = 1.6; // of width to height: as in live.css
const tiles = $('tiles');
const results = new Map(); // what was said of each board's last game, by id

follow('/api/live', tiles, tile, ({ order }) => {
  if (!order) return;
  $('count').textContent = counted(order.length, 'board');
  fit();
});

function tile() {
  const root = element('li');
  function show({ id, name, game, tile: [who, turn], player, score, running }) {
    root.className = running ? 'card tile' : 'card tile away';
    const inside = element('div', { class: 'inside' });
    const text = element('div', { class: 'tile-text' });
    const whose = game.seats && turn ? SIGNS[player] : undefined;
    const line = whose ? `${whose} ${turn}` : turn || who;
    text.append(element('p', { class: classes('turn', whose && `of-${player.toLowerCase()}`) }, line));
    if (game.seats) text.append(element('p', { class: 'who' }, ...seats(game.seats)));
    if (turn && !game.seats) text.append(element('p', { class: 'who' }, who));
    if (score) text.append(element('p', { class: 'quiet score' }, score));
    inside.append(element('h2', { title: name }, name), boardPicture(game), text);
    root.replaceChildren(inside);
    announce(id, name, game);
  }
  return { root, show };
}

/** Which mark is whose. */
function seats([a, b]) {
  return [
    element('span', {}, element('b', { class: 'of-a' }, `${SIGNS.A} A`), ` ${a}`),
    element('span', {}, element('b', { class: 'of-b' }, `${SIGNS.B} B`), ` ${b}`),
  ];
}

/** Says how a game has ended, once, to a screen reader. */
function announce(id, name, { about = '' }) {
  const result = about.includes(': ') ? `${name}: ${about}` : ''; // `game 3: A won`
  if (result && results.has(id) && results.get(id) !== result) $('result').textContent = result;
  results.set(id, result);
}

/**
 * Arranges the tiles in rows that differ by one tile at most, as many as make the boards largest.
 * On a narrow screen they stand in two columns, and are scrolled.
 */
function fit() {
  const count = tiles.children.length;
  if (!count) return;
  const { clientWidth: width, clientHeight: height } = tiles;
  const em = parseFloat(getComputedStyle(tiles).fontSize);
  let best = { rows: 1, board: -1 };
  for (let rows = 1; rows <= count; rows++) {
    const [wide, high] = [width / Math.ceil(count / rows) - em, height / rows - em];
    const text = Math.min(3.5 * em, high * 0.4); // its name, its game and whose turn it is
    const beside = Math.min(high - 1.5 * em, wide * 0.55);
    const board = wide / high > SIDE_BY_SIDE ? beside : Math.min(wide, high - text);
    if (board > best.board) best = { rows, board };
  }
  const { rows } = best;
  const columns = Math.ceil(count / rows);
  tiles.style.setProperty('--rows', rows);
  tiles.style.setProperty('--halves', 2 * columns);
  // The first rows have one tile more than the others, which are centred below.
  const fuller = count - rows * (columns - 1);
  [...tiles.children].forEach((item, at) => {
    const inFuller = at < fuller * columns;
    const row = inFuller ? Math.floor(at / columns) : fuller + Math.floor((at - fuller * columns) / (columns - 1));
    const column = inFuller ? at % columns : (at - fuller * columns) % (columns - 1);
    item.style.setProperty('--row', row + 1);
    item.style.setProperty('--column', 2 * column + (inFuller ? 1 : 2));
  });
}

addEventListener('resize', fit);
$('full-screen').hidden = !document.fullscreenEnabled;
$('full-screen').addEventListener('click', () => {
  if (document.fullscreenElement) document.exitFullscreen();
  else document.documentElement.requestFullscreen();
});
