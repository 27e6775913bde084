// Every board: virtual ones to play on, and real ones with the game that they tell.

import { BoardCard } from './board_card.js';
import { DataLogs } from './data_logs.js';
import { follow, showSite } from './live.js';
import { Doctor } from './maintenance.js';
import { showTrouble } from './server.js';

const root = document.getElementById('boards');
const none = document.getElementById('none');
const status = document.getElementById('status');
const lookingOn = document.getElementById('looking-on');
const cards = new Map(); // by id
const doctor = new Doctor(document.getElementById('doctor'));
const logs = new DataLogs(document.getElementById('logs'));
let may = false;
let used = null; // the card that was used last: what happens there is announced

const send = follow(hear, { leds: true });

function hear(message) {
  for (const [key, value] of Object.entries(message)) {
    if (key === 'site') showSite(document.getElementById('site'), value);
    else if (key === 'you') allow(value.may);
    else if (key === 'doctor') doctor.show(value);
    else if (key.startsWith('board/')) show(value);
    else if (key.startsWith('leds/')) cards.get(key.slice(5))?.showLeds(value);
  }
  if (message.order) arrange(message.order);
}

function allow(allowed) {
  may = allowed;
  lookingOn.hidden = may;
  doctor.allow(may);
  logs.allow(may);
  for (const card of cards.values()) card.allow(may);
}

function show(board) {
  let card = cards.get(board.id);
  if (!card) {
    card = new BoardCard(board, (what) => act(board.id, what));
    card.root.addEventListener('focusin', () => (used = card));
    card.root.addEventListener('pointerdown', () => (used = card));
    card.allow(may);
    cards.set(board.id, card);
    root.append(card.root);
    none.hidden = true;
  } else {
    card.show(board);
  }
  if (card === used) {
    const text = `${board.name}: ${board.headline}. ${board.about}`;
    if (status.textContent !== text) status.textContent = text;
  }
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
  none.hidden = order.length > 0;
}

function act(id, what) {
  showTrouble('');
  send({ board: id, ...what });
}
