// What the pages of games and statistics have in common: tables, and what they say without games.

import { element } from './elements.js';
import { all, isChosen, offer, showFilter } from './filter.js';
import { get } from './server.js';

/**
 * Asks `address` about the games that are chosen, and says how many there are. `show` gets the
 * answer; where there is no game, `place` says what to do instead.
 */
export async function lookBack(address, place, show) {
  const status = document.getElementById('status');
  showFilter();
  try {
    const found = await get(`${address}${location.search}`);
    if (found.choices) offer(found.choices);
    if (found.total) {
      status.textContent = inWords(found);
      show(found);
    } else {
      status.textContent = found.kept ? 'No game matches.' : 'No game is stored yet.';
      place.append(nothingFound(found.kept));
    }
  } catch (error) {
    status.textContent = error.message;
  }
}

function inWords({ total, which, page, pages }) {
  const games = `${total.toLocaleString('en')} ${total === 1 ? 'game' : 'games'}`;
  const where = pages > 1 ? `, page ${page} of ${pages.toLocaleString('en')}` : '';
  return `${games}${which && `: ${which}`}${where}`;
}

/**
 * A table of `{ columns, rows, note }`, in a box that scrolls by itself where it is too wide.
 *
 * extra: `{ head, cell }`, a column more behind the first; `cell` gets a row.
 */
export function table({ columns, rows, note = '' }, caption, extra = null) {
  const numbers = columns.map(({ type }, column) => column > 0 && type === 'number');
  const name = (text, column) =>
    element('th', { scope: 'col', class: numbers[column] ? 'number' : null }, text || hidden('player'));
  const names = columns.map(({ title }, column) => name(title, column));
  if (extra) names.splice(1, 0, element('th', { scope: 'col' }, ...extra.head));
  const lines = rows.map((row) => {
    const cells = row.map((value, column) =>
      column
        ? element('td', { class: numbers[column] ? 'number' : null }, shown(value))
        : element('th', { scope: 'row' }, shown(value)),
    );
    if (extra) cells.splice(1, 0, element('td', { class: 'chart' }, extra.cell(row)));
    return element('tr', {}, ...cells);
  });
  const made = element(
    'table',
    {},
    element('caption', { class: 'hidden-text' }, caption),
    element('thead', {}, element('tr', {}, ...names)),
    element('tbody', {}, ...lines),
  );
  const box = { class: 'scroll', role: 'region', 'aria-label': caption, tabindex: 0 };
  const parts = [element('div', box, made)];
  if (note) parts.push(element('p', { class: 'quiet' }, note));
  return parts;
}

function shown(value) {
  if (value === null) return '–';
  if (typeof value !== 'number') return value;
  return Number.isInteger(value) ? value.toLocaleString('en') : value.toFixed(2);
}

export function hidden(text) {
  return element('span', { class: 'hidden-text' }, text);
}

/** What to do where there is no game: `kept` is whether the store holds others. */
function nothingFound(kept) {
  if (kept && isChosen()) {
    return element('p', {}, all());
  }
  return element(
    'div',
    { class: 'empty' },
    element('p', {}, 'Games are stored as they are played:'),
    element(
      'ul',
      {},
      element('li', {}, element('a', { href: '/' }, 'play one'), ' on this page,'),
      element(
        'li',
        {},
        'or connect a micro:bit: ',
        element('a', { href: '/boards' }, 'Boards'),
        ' shows it, and stores every game that it sends.',
      ),
    ),
  );
}
