// The table of games.

import { element } from './elements.js';
import { chosen } from './filter.js';
import { lookBack } from './look_back.js';

const list = document.getElementById('list');
const COLUMNS = [
  ['Game', (game) => element('a', { href: `/games/${game.number}${chosen()}` }, String(game.number))],
  ['Began', began],
  ['A against B', opponents],
  ['Result', (game) => game.result],
  ['First', (game) => game.first, 'wide'],
  ['Moves', (game) => String(game.moves), 'number wide'],
  ['Seconds', (game) => String(game.seconds), 'number wide'],
  ['Board', (game) => element('bdi', {}, game.board), 'wide any'],
];

function began(game) {
  const words = game.began.split(' ').map((word) => element('span', { class: 'together' }, word));
  return element('span', {}, ...words.flatMap((word) => [word, ' ']));
}

/** On a narrow page the board stands here, too. */
function opponents(game) {
  const board = element('bdi', { class: 'narrow quiet any' }, game.board);
  return element('span', {}, game.opponents, board);
}

await lookBack('/api/games', list, show);

function show(found) {
  const head = COLUMNS.map(([name, , kind]) => element('th', { scope: 'col', class: kind }, name));
  const rows = found.games.map((game) =>
    element(
      'tr',
      {},
      ...COLUMNS.map(([, cell, kind]) => element('td', { class: kind }, cell(game))),
    ),
  );
  const caption = element('caption', { class: 'hidden-text' }, 'Games, the newest first');
  list.append(
    element(
      'table',
      { class: 'games' },
      caption,
      element('thead', {}, element('tr', {}, ...head)),
      element('tbody', {}, ...rows),
    ),
  );
  document.getElementById('paging').append(
    ...pages(found),
    element('a', { href: `/statistics${chosen()}` }, 'Statistics of these games'),
  );
}

function pages({ page, pages }) {
  if (pages === 1) return [];
  const link = (to, text) =>
    to === page ? null : element('a', { href: chosen({ page: to }) }, text);
  return [
    link(1, 'Newest'),
    page > 1 ? link(page - 1, 'Newer') : null,
    page < pages ? link(page + 1, 'Older') : null,
    link(pages, 'Oldest'),
  ].filter(Boolean);
}
