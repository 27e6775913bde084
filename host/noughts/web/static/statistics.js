// Statistics: the figures of `noughts stats` and `report`, with charts in their tables.

import { boardPicture } from './board.js';
import { element, svg } from './elements.js';
import { chosen } from './filter.js';
import { lookBack, table } from './look_back.js';

/** What a bar shows of a row: class, name, and the columns' keys, where these differ. */
const RESULTS = [['first', 'A won', ['A']], ['even', 'draw'], ['second', 'B won', ['B']], ['open', 'not ended', ['abandoned', 'unfinished']]];
const BOARDS = [['first', 'won'], ['even', 'drawn'], ['wrong', 'lost'], ['open', 'other games', ['between_people', 'not_ended']]];
const figures = document.getElementById('figures');

await lookBack('/api/statistics', figures, show);

function show(found) {
  const facts = found.facts.map(([figure, what]) =>
    element('li', {}, element('strong', {}, figure), what),
  );
  figures.append(
    element('ul', { class: 'facts' }, ...facts),
    element('a', { href: `/games${chosen()}` }, 'List of these games'),
  );
  section('Results', ...table(found.results, 'Results', shares(found.results, RESULTS)));
  if (found.first_moves) section('First moves', firstMoves(found.first_moves));
  section('Positions to talk about', ...positions(found));
  section('Mistakes', ...table(found.mistakes, 'Mistakes', mistakes(found.mistakes)));
  section('How long games are', ...table(found.lengths, 'How long games are', lengths(found.lengths)));
  section('Boards', ...table(found.boards, 'Boards', shares(found.boards, BOARDS)));
  section('Players', ...table(found.players, 'Players'));
}

function section(name, ...parts) {
  figures.append(element('section', {}, element('h2', {}, name), ...parts));
}

/** Parts of a whole, `[class, number]`, side by side; the numbers stand in the same row. */
function bar(parts, whole) {
  let x = 0;
  const pieces = parts.map(([kind, number]) => {
    const width = whole ? (100 * number) / whole : 0;
    x += width;
    return svg('rect', { x: x - width, width, y: 0, height: 10, class: kind });
  });
  const size = { viewBox: '0 0 100 10', preserveAspectRatio: 'none' };
  return svg('svg', { ...size, class: 'bar', 'aria-hidden': 'true' }, ...pieces);
}

/** What the colours of a bar mean. */
function legend(...parts) {
  return parts.map(([kind, text]) =>
    element(
      'span',
      { class: 'key' },
      svg('svg', { viewBox: '0 0 10 10', 'aria-hidden': 'true' }, svg('rect', { width: 10, height: 10, class: kind })),
      text,
    ),
  );
}

/** How the columns of a table with these keys are drawn, as parts of the column `games`. */
function shares({ columns }, parts) {
  const at = (key) => columns.findIndex((column) => column.key === key);
  const numbers = (row, names) => names.reduce((sum, name) => sum + row[at(name)], 0);
  const part = (row) => ([kind, name, names = [name]]) => [kind, numbers(row, names)];
  return {
    head: legend(...parts),
    cell: (row) => bar(parts.map(part(row)), numbers(row, ['games'])),
  };
}

function mistakes({ columns }) {
  const [moves, wrong] = ['moves', 'mistakes'].map((key) => columns.findIndex((column) => column.key === key));
  return {
    head: legend(['wrong', 'mistakes'], ['even', 'other moves']),
    cell: (row) =>
      bar([['wrong', row[wrong]], ['even', row[moves] - row[wrong]]], row[moves]),
  };
}

function lengths({ rows }) {
  const most = Math.max(...rows.map(([, games]) => games));
  return { head: legend(['plain', 'games']), cell: ([, games]) => bar([['plain', games]], most) };
}

function firstMoves({ counts, shares, heat, text }) {
  const grounds = heat.map((warmth) => `heat${warmth}`);
  const picture = boardPicture({ marks: '.........', title: text, labels: shares, grounds });
  picture.classList.add('large');
  const rows = [0, 3, 6].map((row) =>
    element(
      'tr',
      {},
      ...[0, 1, 2].map((column) => {
        const cell = row + column;
        return element('td', {}, `${counts[cell].toLocaleString('en')} (${shares[cell]})`);
      }),
    ),
  );
  const caption = element('caption', { class: 'hidden-text' }, 'First moves, cell by cell as on the board');
  const asTable = element('table', {}, caption, element('tbody', {}, ...rows));
  return element(
    'div',
    { class: 'first-moves' },
    picture,
    element(
      'div',
      {},
      element('p', {}, text),
      element('details', {}, element('summary', {}, 'As a table'), asTable),
    ),
  );
}

function positions({ positions, positions_note }) {
  if (!positions.length) return [element('p', {}, 'No person made a mistake.')];
  return [
    element('p', { class: 'quiet' }, positions_note),
    element('ul', { class: 'positions' }, ...positions.map(position)),
  ];
}

function position({ marks, title, wrong, right, text }) {
  const labels = [...marks].map((_, cell) => String(cell + 1));
  const grounds = {};
  for (const cell of right) {
    labels[cell] += ' ✓';
    grounds[cell] = 'win';
  }
  labels[wrong] += ' ✗';
  grounds[wrong] = 'loss';
  const [first, ...more] = text;
  return element(
    'li',
    {},
    boardPicture({ marks, title, labels, grounds }),
    element('p', {}, element('strong', {}, first)),
    ...more.map((sentence) => element('p', {}, sentence)),
    element('p', {}, element('a', { href: `/?position=${marks}` }, 'Try it', element('span', { class: 'hidden-text' }, `: ${title}`))),
  );
}
