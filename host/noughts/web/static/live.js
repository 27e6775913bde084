// All boards as the server sends them: on the pages Boards and Class.

import { $, element } from './page.js';
import { connect, showError } from './server.js';

const BATCH = 4; // messages that are confirmed together

/**
 * Shows all boards in `root`, in their order. `address` says what is sent, see `live.py` and
 * `controls.py`. `make` gets a board and gives its card: `root`, an element, `show(board)`, and
 * `showLeds` if they are sent; `receive` gets the rest. Gives a function that sends a message.
 */
export function follow(address, root, make, receive) {
  const cards = new Map(); // by id
  let drawn = 0;

  function arrange(order) {
    const focused = document.activeElement;
    root.replaceChildren(...order.map((id) => cards.get(id).root));
    focused.focus({ preventScroll: true }); // what is moved loses it
    $('none').hidden = order.length > 0;
  }

  const send = connect(address, (changed) => {
    for (const [key, value] of Object.entries(changed)) {
      const [what, id] = key.split(/\/(.*)/s);
      if (what === 'error') showError(value);
      else if (what === 'site') showSite(value);
      else if (what === 'leds') cards.get(id)?.showLeds(value);
      else if (what === 'board') {
        if (!cards.has(id)) cards.set(id, make(value));
        cards.get(id).show(value);
      }
    }
    if (changed.order) arrange(changed.order);
    receive(changed);
    // What has been drawn is confirmed: a page that is slow gets the newest, not everything.
    if (!changed.error && ++drawn % BATCH === 0) send({ seen: BATCH });
  });
  return send;
}

/** What is wrong with the store, and ports that wait, above the boards. */
function showSite(texts) {
  $('site').replaceChildren(...texts.map((text) => element('p', { class: 'notice' }, text)));
}
