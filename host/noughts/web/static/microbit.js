// A virtual micro:bit: its LEDs at their levels, its buttons, and ways to tilt it.

import { element, svg } from './elements.js';

const TILTS = { left: [-1, 0], up: [0, -1], down: [0, 1], right: [1, 0] };
const ARROWS = { left: '←', up: '↑', down: '↓', right: '→' };
const NUDGE_MS = 300; // as long as an arrow key tilts it

/**
 * `act` gets what is done with the board, as `controls.py` takes it.
 * `root` is the board, `controls` what stands below it.
 */
export class Microbit {
  constructor(name, act) {
    this.act = act;
    this.held = new Set();
    this.leds = [...Array(25).keys()].map((at) =>
      svg('rect', { x: 37.5 + (at % 5) * 10, y: 12 + Math.floor(at / 5) * 11, width: 5, height: 7, rx: 1.5, class: 'l0' }),
    );
    this.levels = '0'.repeat(25);
    const pins = [20, 40, 60, 80, 100].map((x) => svg('circle', { cx: x, cy: 82, r: 6, class: 'pin' }));
    const picture = svg(
      'svg',
      { viewBox: '0 0 120 92', role: 'img', 'aria-label': `The LEDs of ${name}` },
      svg('path', { d: 'M10 1H110Q119 1 119 10V91H1V10Q1 1 10 1Z', class: 'body' }),
      svg('path', { d: 'M1 76H119V91H1Z', class: 'edge' }),
      ...pins,
      ...this.leds,
    );
    this.a = this.button('A', 'Button A', 'press a');
    this.b = this.button('B', 'Button B', 'press b');
    this.root = element(
      'div',
      {
        class: 'microbit',
        role: 'group',
        tabindex: '0',
        'aria-label': `${name}: the keys A and B press its buttons, space both, arrows tilt it`,
        onkeydown: (event) => this.keyDown(event),
        onkeyup: (event) => this.keyUp(event),
        onfocusout: (event) => this.root.contains(event.relatedTarget) || this.letGo(),
      },
      picture,
      this.a,
      this.b,
    );
    this.controls = element(
      'div',
      { class: 'row controls' },
      this.button('A + B', 'Buttons A + B', '', 'AB'),
      element(
        'div',
        { class: 'pad', role: 'group', 'aria-label': 'Tilt' },
        ...Object.keys(TILTS).map((way) => this.tilter(way)),
        element('span', { class: 'quiet', 'aria-hidden': 'true' }, 'Tilt'),
      ),
      element('button', { type: 'button', onclick: () => act({ do: 'reset' }) }, 'Reset'),
    );
  }

  /** Shows 25 digits, of which only those that differ are drawn. */
  show(levels) {
    for (let at = 0; at < 25; at++) {
      if (levels[at] !== this.levels[at]) this.leds[at].setAttribute('class', `l${levels[at]}`);
    }
    this.levels = levels;
  }

  allow(may) {
    const buttons = [this.a, this.b, ...this.controls.querySelectorAll('button')];
    for (const button of buttons) button.disabled = !may;
  }

  button(text, label, classes, buttons = text) {
    return pressed(
      element('button', { type: 'button', class: classes, 'aria-label': label }, text),
      () => this.act({ do: 'press', buttons }),
      () => this.act({ do: 'release', buttons }),
      () => this.act({ do: 'tap', buttons }),
    );
  }

  tilter(way) {
    const [x, y] = TILTS[way];
    let since = 0;
    let level = 0;
    return pressed(
      element('button', { type: 'button', class: way, 'aria-label': `Tilt ${way}` }, ARROWS[way]),
      () => {
        clearTimeout(level);
        since = performance.now();
        this.act({ do: 'tilt', x, y });
      },
      () => {
        const left = NUDGE_MS - (performance.now() - since);
        level = setTimeout(() => this.act({ do: 'level' }), Math.max(0, left));
      },
      () => this.act({ do: 'nudge', x, y }),
    );
  }

  keyDown(event) {
    if (event.altKey || event.ctrlKey || event.metaKey || this.a.disabled) return;
    const way = event.key.startsWith('Arrow') && event.key.slice(5).toLowerCase();
    const buttons = this.buttonsOf(event);
    if (way in TILTS) {
      const [x, y] = TILTS[way];
      this.act({ do: 'nudge', x, y });
    } else if (buttons) {
      if (!event.repeat && !this.held.has(buttons)) {
        this.held.add(buttons);
        this.act({ do: 'press', buttons });
      }
    } else {
      return;
    }
    event.preventDefault();
  }

  keyUp(event) {
    const buttons = this.buttonsOf(event);
    if (this.held.delete(buttons)) this.act({ do: 'release', buttons });
  }

  buttonsOf(event) {
    if (event.key === ' ') return event.target === this.root ? 'AB' : ''; // else it presses a button
    return { a: 'A', b: 'B' }[event.key.toLowerCase()] ?? '';
  }

  letGo() {
    for (const buttons of this.held) this.act({ do: 'release', buttons });
    this.held.clear();
  }
}

/** A button that can be held by a pointer; by keyboard, or by a screen reader, it is tapped. */
function pressed(button, down, up, tap) {
  let held = false;
  const release = () => {
    if (held) up();
    held = false;
  };
  button.addEventListener('pointerdown', (event) => {
    if (event.button !== 0 || button.disabled || held) return;
    button.setPointerCapture(event.pointerId);
    held = true;
    down();
  });
  for (const name of ['pointerup', 'pointercancel', 'lostpointercapture']) {
    button.addEventListener(name, release);
  }
  button.addEventListener('click', (event) => event.detail === 0 && tap());
  button.addEventListener('contextmenu', (event) => event.preventDefault()); // a long touch holds it
  return button;
}
