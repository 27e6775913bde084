// What the server tells of all boards: on the pages Boards and Class.

import { element } from './elements.js';
import { connect, showTrouble } from './server.js';

/**
 * Follows all boards. `hear` gets the newest by key whenever something has changed; see `live.py`.
 * `leds`: whether the LEDs of virtual boards are told, too. Gives a function that sends a message.
 */
export function follow(hear, { leds = false } = {}) {
  const send = connect(leds ? '/api/live?leds' : '/api/live', (message) => {
    if (message.error) {
      showTrouble(message.error);
      return;
    }
    hear(message);
    // What has been drawn is confirmed: a page that is slow gets the newest, not everything.
    if (!message.you) send({ seen: true });
  });
  return send;
}

/** What is to be said of the store and of ports, above the boards. */
export function showSite(root, { trouble, waiting }) {
  const lines = [trouble, ...waiting.map((line) => `Waiting for ${line}`)].filter(Boolean);
  root.replaceChildren(...lines.map((text) => element('p', { class: 'notice' }, text)));
}

/** What a picture of a game shows, for screen readers. */
export function marksWords({ marks, opponents }) {
  const of = (mark) => [...marks].map((each, cell) => (each === mark ? cell + 1 : 0)).filter(Boolean);
  const cells = (player, mark) => `${player} has ${of(mark).join(', ') || 'no cell'}`;
  return `${opponents}: ${cells('A', 'X')}; ${cells('B', 'O')}`;
}
