// A virtual micro:bit: its LEDs at their levels, its buttons, and ways to tilt it.

import { ARROWS } from './board.js';
import { inEnglish, Leds } from './leds.js';

const NUDGE_MS = 300; // as long as an arrow key tilts it
// How often it is seen what the LEDs show: while they change, and otherwise.
const LOOK_MS = 150;
const STEADY_LOOK_MS = 300;
const KEYS = { a: 'A', b: 'B', ' ': 'AB' };

/**
 * Brings a `.device` of the page to life; `act` gets what is done with it, as for `controls.py`, and
 * `say` what happens to its cursor. Gives a function that shows 25 digits on its LEDs; its `cursor()`
 * is the cell where the cursor was seen last, 1 to 9, or null. `words` describes it to people who
 * cannot see it; `draw` shows its LEDs in another way. Its keys may be pressed anywhere in `keys`,
 * while it `takesKeys()`.
 */
export function microbit(device, name, act, say, { words = inEnglish, draw = null, keys = null, takesKeys = () => true } = {}) {
  const root = device.querySelector('.microbit');
  const keyTarget = keys ?? root;
  draw ??= drawOn(device.querySelectorAll('.led'));
  const logo = device.querySelector('.touch'); // of a V2
  const leds = new Leds();
  let cursor = null;
  let lookedMs = 0;
  const look = () => {
    const now = performance.now();
    lookedMs = now;
    label(device.querySelector('svg'), words('label', { name, leds: leds.text(now, words) }));
    const help = words('keys', { name });
    label(root, logo ? words('touches', { keys: help }) : help);
    const cell = leds.cursor(now);
    if (cell && cell !== cursor) say(`cursor on ${cell}`);
    cursor = cell ?? cursor;
  };
  look();
  setInterval(look, STEADY_LOOK_MS);

  // Where a button of the page has the focus, space presses that one.
  const buttonsOf = ({ key, target }) => (key !== ' ' || !target.closest('button, summary')) && KEYS[key.toLowerCase()];
  const held = new Set(); // by keys
  const release = (buttons) => held.delete(buttons) && act({ do: 'release', buttons });
  keyTarget.addEventListener('keyup', ({ key }) => release(KEYS[key.toLowerCase()]));
  keyTarget.addEventListener('focusout', (event) => keyTarget.contains(event.relatedTarget) || held.forEach(release));
  addEventListener('blur', () => held.forEach(release));
  // A click leaves the keys with the board: space is both of its buttons then, not this one again.
  device.addEventListener('click', (event) => event.detail > 0 && root.focus({ preventScroll: true }));
  keyTarget.addEventListener('keydown', (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey || root.closest(':disabled')) return;
    if (!takesKeys() || event.target.closest('input, select, pre')) return;
    const [buttons, arrow] = [buttonsOf(event), ARROWS[event.key]];
    const touch = logo && event.key.toLowerCase() === 'l';
    if (!buttons && !arrow && !touch) return;
    event.preventDefault();
    if (touch) return event.repeat || act({ do: 'touch' });
    if (arrow) act({ do: 'nudge', x: arrow[0], y: arrow[1] });
    else if (!held.has(buttons)) act({ do: 'press', buttons });
    if (buttons) held.add(buttons);
  });

  logo?.addEventListener('click', () => act({ do: 'touch' }));
  for (const button of device.querySelectorAll('[data-press]')) {
    const buttons = button.dataset.press;
    const send = (what) => () => act({ do: what, buttons });
    whileHeld(button, send('press'), send('release'), send('tap'));
  }
  for (const button of device.querySelectorAll('[data-tilt]')) {
    const [x, y] = button.dataset.tilt.split(' ').map(Number);
    let [since, level] = [0, 0];
    const down = () => {
      clearTimeout(level);
      since = performance.now();
      act({ do: 'tilt', x, y });
    };
    const up = () => {
      const left = since + NUDGE_MS - performance.now();
      level = setTimeout(() => act({ do: 'tilt', x: 0, y: 0 }), left);
    };
    whileHeld(button, down, up, () => act({ do: 'nudge', x, y }));
  }
  const lightUp = (levels) => {
    const now = performance.now();
    leds.see(levels, now);
    draw(levels);
    if (now - lookedMs >= LOOK_MS) look();
  };
  return Object.assign(lightUp, { cursor: () => cursor });
}

/** A function that shows 25 digits on these elements; what stays as it is costs nothing. */
function drawOn(lights) {
  let shown = '';
  return (levels) => {
    lights.forEach((light, at) => {
      if (levels[at] !== shown[at]) light.setAttribute('class', `led l${levels[at]}`);
    });
    shown = levels;
  };
}

/** A screen reader notices a label when it changes. */
function label(part, text) {
  if (part.getAttribute('aria-label') !== text) part.setAttribute('aria-label', text);
}

/** A button that can be held by a pointer; by keyboard, or by a screen reader, it is tapped. */
function whileHeld(button, down, up, tap) {
  button.addEventListener('pointerdown', (event) => {
    if (event.button !== 0 || button.matches(':disabled')) return;
    button.setPointerCapture(event.pointerId);
    down();
  });
  button.addEventListener('lostpointercapture', up);
  button.addEventListener('click', (event) => event.detail === 0 && tap());
  button.addEventListener('contextmenu', (event) => event.preventDefault()); // a long touch holds it
}
