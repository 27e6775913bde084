// Steps through a game or a search: by buttons, slider and keys, and by itself.

import { $, icon } from './page.js';

// How many steps each button goes.
const BUTTONS = { first: -Infinity, back: -1, forward: 1, last: Infinity };
const KEYS = { ArrowLeft: 'back', ArrowRight: 'forward', Home: 'first', End: 'last' };

/** `show` gets each step, from 0 to `last`; `shownMs` says how long one is shown while it plays. */
export class Stepper {
  constructor(last, show, shownMs) {
    Object.assign(this, { last, show, shownMs, at: 0, timer: null });
    for (const [id, by] of Object.entries(BUTTONS)) {
      $(id).addEventListener('click', () => this.stopAt(this.at + by));
    }
    $('run').addEventListener('click', () => (this.timer ? this.stopAt(this.at) : this.play()));
    $('slider').addEventListener('input', () => this.stopAt(Number($('slider').value)));
    document.addEventListener('keydown', (event) => {
      if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
      // A slider knows these keys itself, and on a board they move between cells.
      const taken = event.defaultPrevented || event.target.closest('input:not([type=checkbox]), select');
      if (taken || !(event.key in KEYS)) return;
      event.preventDefault();
      $(KEYS[event.key]).click();
    });
  }

  play(step = this.at === this.last ? 0 : this.at) {
    const next = () => this.play(step + 1);
    this.timer = step < this.last ? setTimeout(next, this.shownMs(step)) : null;
    this.go(step);
  }

  stopAt(step) {
    clearTimeout(this.timer);
    this.timer = null;
    this.go(step);
  }

  go(step) {
    this.at = Math.min(Math.max(Math.trunc(step), 0), this.last);
    $('slider').value = this.at;
    const [picture, label] = this.timer ? ['stop', 'Stop'] : ['run', 'Play'];
    $('run').replaceChildren(icon(picture), label);
    // Not `disabled`: the focused button keeps the focus.
    for (const [id, by] of Object.entries(BUTTONS)) {
      $(id).setAttribute('aria-disabled', this.at === (by < 0 ? 0 : this.last));
    }
    this.show(this.at);
  }
}
