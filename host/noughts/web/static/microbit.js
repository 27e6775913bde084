// A virtual micro:bit: its LEDs at their levels, its buttons, and ways to tilt it.

import { ARROWS } from './board.js';

const NUDGE_MS = 300; // as long as an arrow key tilts it

/** Brings a `.device` of the page to life; `act` gets what is done with it, as for `controls.py`. */
export class Microbit {
  constructor(device, name, act) {
    this.act = act;
    this.held = new Set();
    this.root = device.querySelector('.microbit');
    this.leds = device.querySelectorAll('rect');
    device.querySelector('svg').setAttribute('aria-label', `The LEDs of ${name}`);
    const keys = `${name}: the keys A and B press its buttons, space both, arrows tilt it`;
    this.root.setAttribute('aria-label', keys);
    this.root.addEventListener('keydown', (event) => this.keyDown(event));
    this.root.addEventListener('keyup', (event) => this.letGo(this.buttonsOf(event)));
    this.root.addEventListener('focusout', (event) => {
      if (!this.root.contains(event.relatedTarget)) this.letGo(...this.held);
    });
    for (const button of device.querySelectorAll('[data-press]')) {
      const buttons = button.dataset.press;
      const send = (what) => () => act({ do: what, buttons });
      whileHeld(button, send('press'), send('release'), send('tap'));
    }
    for (const button of device.querySelectorAll('[data-tilt]')) this.tilts(button);
  }

  /** Shows 25 digits. */
  show(levels) {
    this.leds.forEach((led, at) => led.setAttribute('class', `l${levels[at]}`));
  }

  tilts(button) {
    const [x, y] = button.dataset.tilt.split(' ').map(Number);
    let since = 0;
    let level = 0;
    const down = () => {
      clearTimeout(level);
      since = performance.now();
      this.act({ do: 'tilt', x, y });
    };
    const up = () => {
      const left = since + NUDGE_MS - performance.now();
      level = setTimeout(() => this.act({ do: 'tilt', x: 0, y: 0 }), left);
    };
    whileHeld(button, down, up, () => this.act({ do: 'nudge', x, y }));
  }

  keyDown(event) {
    if (event.altKey || event.ctrlKey || event.metaKey || this.root.closest(':disabled')) return;
    const buttons = this.buttonsOf(event);
    if (event.key in ARROWS) {
      const [x, y] = ARROWS[event.key];
      this.act({ do: 'nudge', x, y });
    } else if (!buttons) {
      return;
    } else if (!this.held.has(buttons)) {
      this.held.add(buttons);
      this.act({ do: 'press', buttons });
    }
    event.preventDefault();
  }

  buttonsOf(event) {
    if (event.key === ' ') return event.target === this.root ? 'AB' : ''; // else it presses a button
    return { a: 'A', b: 'B' }[event.key.toLowerCase()] ?? '';
  }

  letGo(...pressed) {
    for (const buttons of pressed) {
      if (this.held.delete(buttons)) this.act({ do: 'release', buttons });
    }
  }
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
