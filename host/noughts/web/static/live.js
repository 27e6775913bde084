// What the server sends of all boards: on the pages Boards and Class.

import { element } from './elements.js';
import { connect, showTrouble } from './server.js';

const DRAWN = 4; // messages that are confirmed together

/**
 * Follows all boards. `hear` gets the newest by key whenever something has changed, the boards'
 * order last; see `live.py` and `controls.py`. `leds`: whether the LEDs of virtual boards are sent,
 * too. Gives a function that sends a message.
 */
export function follow(hear, { leds = false } = {}) {
  let drawn = 0;
  const send = connect(leds ? '/api/live?leds' : '/api/live', ({ error, order, ...changed }) => {
    if (error) {
      showTrouble(error);
      return;
    }
    for (const [key, value] of Object.entries(changed)) {
      if (key === 'site') showSite(value);
      else hear(key, value);
    }
    if (order) hear('order', order);
    // What has been drawn is confirmed: a page that is slow gets the newest, not everything.
    if (!changed.you && ++drawn % DRAWN === 0) send({ seen: DRAWN });
  });
  return send;
}

/** What is to be said of the store and of ports, above the boards. */
function showSite({ error, waiting }) {
  const lines = [error, ...waiting.map((line) => `Waiting for ${line}`)].filter(Boolean);
  const notices = lines.map((text) => element('p', { class: 'notice' }, text));
  document.getElementById('site').replaceChildren(...notices);
}
