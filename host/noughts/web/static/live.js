// All boards as the server sends them: on the pages Boards and Class.

import { $, element } from './page.js';
import { RETRY_MS, showError, whyNot } from './server.js';

const notice = (text) => element('p', { class: 'notice' }, text);

/**
 * Shows all boards in `root`, in their order. `address` says what is sent, see `live.py` and
 * `controls.py`. `make` gets a board and gives its card: `root`, an element, `show(board)`, and
 * `showLeds` if they are sent; `receive` gets the rest.
 */
export function follow(address, root, make, receive) {
  const cards = new Map(); // by id
  let source = null;
  let news = {}; // not drawn yet, by key: a page that is slow draws the newest, not everything

  // A browser has six connections for all of its pages, so those that nobody sees have none.
  function open() {
    source?.close();
    if (document.hidden) return;
    source = new EventSource(address);
    source.addEventListener('open', () => showError(''));
    source.addEventListener('message', (event) => {
      if (!Object.keys(news).length) setTimeout(draw);
      Object.assign(news, JSON.parse(event.data));
    });
    source.addEventListener('error', async () => {
      source.close();
      showError(await whyNot(address));
      setTimeout(open, RETRY_MS);
    });
  }

  function draw() {
    const changed = news;
    news = {};
    for (const [key, value] of Object.entries(changed)) {
      const [what, id] = key.split(/\/(.*)/s);
      if (what === 'site') $('site').replaceChildren(...value.map(notice));
      else if (what === 'leds') cards.get(id)?.showLeds(value);
      else if (what === 'board') {
        if (!cards.has(id)) cards.set(id, make(value));
        cards.get(id).show(value);
      }
    }
    if (changed.order) arrange(changed.order);
    receive(changed);
  }

  function arrange(order) {
    const focused = document.activeElement;
    root.replaceChildren(...order.map((id) => cards.get(id).root));
    focused.focus({ preventScroll: true }); // moving an element takes its focus away
    $('none').hidden = order.length > 0;
  }

  document.addEventListener('visibilitychange', open);
  open();
}
