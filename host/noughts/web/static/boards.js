// Every board: virtual ones to play on, and real ones with the game that they send.

import { BoardCard } from './board_card.js';
import { element } from './elements.js';
import { follow } from './live.js';
import { post, showTrouble } from './server.js';

const MOST = 262_145; // bytes that are sent: a data log is shorter, and the server says so
const part = (selector) => document.querySelector(selector);
const root = part('#boards');
const may = part('#may'); // disabled with everything in it, for people who can only watch
const status = part('#status');
const input = part('#logs input');
const check = part('#doctor button');
const cards = new Map(); // by id
let used = null; // the card that was used last: what happens there is announced

const send = follow(
  (key, value) => {
    const [what, id] = [key.split('/', 1)[0], key.slice(key.indexOf('/') + 1)];
    if (what === 'board') show(value);
    else if (what === 'leds') cards.get(id)?.showLeds(value);
    else if (what === 'order') arrange(value);
    else if (what === 'doctor') showDoctor(value);
    else if (what === 'you') part('#looking-on').hidden = !(may.disabled = !value.may);
  },
  { leds: true },
);

function act(what) {
  showTrouble('');
  send(what);
}

function show(board) {
  let card = cards.get(board.id);
  if (!card) {
    card = new BoardCard(board, (what) => act({ board: board.id, ...what }));
    for (const event of ['focusin', 'pointerdown']) {
      card.root.addEventListener(event, () => (used = card));
    }
    cards.set(board.id, card);
    root.append(card.root);
  }
  card.show(board);
  const text = `${board.name}: ${board.headline}. ${board.about}`;
  if (card === used && status.textContent !== text) status.textContent = text;
}

function arrange(order) {
  for (const [id, card] of cards) {
    if (order.includes(id)) continue;
    card.root.remove();
    cards.delete(id);
  }
  order.forEach((id, at) => {
    // Only what stands elsewhere is moved: what is moved loses the focus.
    const card = cards.get(id)?.root;
    if (card && root.children[at] !== card) root.insertBefore(card, root.children[at] ?? null);
  });
  part('#none').hidden = order.length > 0;
}

check.addEventListener('click', () => act({ do: 'check' }));

function showDoctor({ doing, told }) {
  check.disabled = Boolean(doing);
  const wrong = told.flatMap(({ checks }) => checks).filter(({ good }) => !good).length;
  const counted = wrong === 1 ? '1 thing is' : `${wrong} things are`;
  const ended = wrong ? `${counted} to be looked at.` : 'All is well.';
  part('#doctor p').textContent = doing ? `Looking at ${doing} …` : ended;
  const sections = told.flatMap(({ name, checks }) => [
    element('h3', {}, name),
    element('ul', {}, ...checks.map(finding)),
  ]);
  part('#doctor .found').replaceChildren(...sections);
}

function finding({ what, good, found, details }) {
  return element(
    'li',
    { class: good ? 'good' : 'bad' },
    element('b', {}, `${good ? '✓' : '✗'} ${what}: `),
    found,
    details.length ? element('pre', { class: 'scroll', tabindex: '0' }, details.join('\n')) : null,
  );
}

input.addEventListener('change', () => {
  store([...input.files]);
  input.value = ''; // the same file may be chosen once more
});
// A file that is dropped anywhere else would take the place of the page.
document.addEventListener('dragover', (event) => event.preventDefault());
document.addEventListener('drop', (event) => {
  event.preventDefault();
  if (!may.disabled) store([...event.dataTransfer.files]);
});

async function store(files) {
  for (const file of files) {
    const line = element('li', {}, `${file.name}: reading it …`);
    part('#logs ul').prepend(line);
    try {
      const address = `/api/logs?${new URLSearchParams({ name: file.name })}`;
      line.textContent = (await post(address, file.slice(0, MOST))).said;
    } catch (error) {
      line.className = 'bad';
      line.textContent = `✗ ${error.message}`;
    }
  }
}
