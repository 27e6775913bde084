// Which games a page shows: its address says it, and this form writes the address.

import { element } from './elements.js';

const RESULTS = { A: 'A won', B: 'B won', draw: 'draw', abandoned: 'abandoned', unfinished: 'unfinished' };
const DAYS = ['today', 'yesterday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday'];

const address = new URLSearchParams(location.search);
const names = element('datalist', { id: 'board-names' });
const players = element('select', { name: 'seats' });

/** Fills the page's `#choose` with the form. */
export function showFilter() {
  const box = document.getElementById('choose');
  const form = element('form', { class: 'filter', 'aria-label': 'Which games', onsubmit: choose });
  form.append(...boards(), seats(), results(), day('since', 'Since'), day('until', 'Until'));
  form.append(
    element('datalist', { id: 'days' }, ...DAYS.map((value) => element('option', { value }))),
    names,
    element('div', { class: 'row' }, element('button', { class: 'primary' }, 'Show'), all()),
  );
  box.append(form);
  box.open = isChosen() || matchMedia('(min-width: 48rem)').matches;
}

/** Offers the boards that there are, and who has played against whom. */
export function offer({ names: known, seats }) {
  names.replaceChildren(...known.map((value) => element('option', { value })));
  const value = players.value;
  const options = seats.map(([letters, called]) => element('option', { value: letters }, called));
  const missing = value && !seats.some(([letters]) => letters === value);
  players.replaceChildren(anybody(), ...(missing ? [element('option', { value }, value)] : []), ...options);
  players.value = value;
}

export function isChosen() {
  return [...address].some(([name, value]) => name !== 'page' && value.trim());
}

/** The address's choice without its page, to be handed on; begins with `?`, or is empty. */
export function chosen(more = {}) {
  const query = new URLSearchParams([...address].filter(([name]) => name !== 'page'));
  for (const [name, value] of Object.entries(more)) query.set(name, value);
  return query.size ? `?${query}` : '';
}

/** The link that shows everything again. */
export function all() {
  return element('a', { href: location.pathname }, 'All games');
}

function choose(event) {
  event.preventDefault();
  const filled = [...new FormData(event.target)].filter(([, value]) => value.trim());
  const query = filled.length ? `?${new URLSearchParams(filled)}` : '';
  location.assign(location.pathname + query);
}

function boards() {
  const given = address.getAll('board').filter((value) => value.trim());
  return (given.length ? given : ['']).map((value) =>
    labelled(
      'Board',
      element('input', { name: 'board', value, list: 'board-names', placeholder: 'part of its name' }),
    ),
  );
}

function anybody() {
  return element('option', { value: '' }, 'anybody');
}

/** What the address says, until it is known what there is. */
function seats() {
  const now = (address.get('seats') ?? '').trim().toUpperCase();
  players.append(anybody(), ...(now ? [element('option', { value: now, selected: true }, now)] : []));
  return labelled('A against B', players);
}

function results() {
  const now = address.getAll('result').map((value) => value.toLowerCase());
  const boxes = Object.entries(RESULTS).map(([value, called]) =>
    element(
      'label',
      {},
      element('input', {
        type: 'checkbox',
        name: 'result',
        value,
        checked: now.includes(value.toLowerCase()),
      }),
      ` ${called}`,
    ),
  );
  return element('fieldset', {}, element('legend', {}, 'Result'), ...boxes);
}

function day(name, called) {
  const value = address.get(name) ?? '';
  const input = { name, value, list: 'days', placeholder: '2026-11-21', autocomplete: 'off' };
  return labelled(called, element('input', input));
}

function labelled(text, field) {
  return element('label', {}, element('span', {}, text), field);
}
