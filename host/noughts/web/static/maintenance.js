// Bringing a board up to date, flashing it, and what `doctor` finds.

import { element } from './elements.js';
import { post, showTrouble } from './server.js';

const NAMES = { update: 'Update', flash: 'Flash' };

/** Begins something, and says why where it cannot begin. */
async function begin(what, content) {
  showTrouble('');
  try {
    await post(`/api/boards/${what}`, content);
  } catch (error) {
    showTrouble(error.message);
  }
}

/** What can be done with the program on a board, and how that goes. */
export class Maintenance {
  constructor(id) {
    this.buttons = Object.entries(NAMES).map(([what, name]) =>
      element('button', { type: 'button', onclick: () => begin(what, { board: id }) }, name),
    );
    this.bar = element('progress');
    this.doing = element('p', { class: 'quiet' });
    this.result = element('p', { role: 'status' });
    this.lines = element('ul', { class: 'log' });
    this.root = element(
      'details',
      { class: 'work' },
      element('summary', {}, 'Update or flash'),
      element('p', { class: 'quiet' }, 'Update sends the files that differ, in seconds. Flash copies the whole program, MicroPython included. The game on the board begins anew.'),
      element('div', { class: 'row' }, ...this.buttons),
      this.bar,
      this.doing,
      this.result,
      this.lines,
    );
    this.may = false;
    this.show(null);
  }

  show(work) {
    const busy = work !== null && work.result === undefined;
    this.busy = busy;
    for (const button of this.buttons) button.disabled = busy || !this.may;
    if (busy) this.root.open = true;
    this.bar.hidden = !busy;
    if (busy) {
      this.bar.setAttribute('aria-label', NAMES[work.what]);
      if (work.total) {
        this.bar.max = work.total;
        this.bar.value = work.done;
      } else {
        this.bar.removeAttribute('value');
      }
    }
    this.doing.textContent = busy ? work.doing : '';
    this.result.className = work?.good ? 'good' : 'bad';
    const result = busy || !work ? '' : `${work.good ? '✓' : '✗'} ${work.result}`;
    if (this.result.textContent !== result) this.result.textContent = result;
    this.lines.replaceChildren(...(work?.lines ?? []).map((line) => element('li', {}, line)));
  }

  allow(may) {
    this.may = may;
    for (const button of this.buttons) button.disabled = this.busy || !may;
  }
}

/** What `doctor` finds, of this computer and all boards. */
export class Doctor {
  constructor(root) {
    this.button = element('button', { type: 'button', onclick: () => begin('check', {}) }, 'Check everything');
    this.doing = element('p', { role: 'status' });
    this.found = element('div', { class: 'found' });
    this.may = false;
    root.replaceChildren(
      element('h2', {}, 'Does something not work?'),
      element('div', { class: 'row' }, this.button, element('span', { class: 'quiet' }, 'Looks at this computer and at every board; the game on each begins anew.')),
      this.doing,
      this.found,
    );
    this.show(null);
  }

  show(doctor) {
    this.busy = Boolean(doctor?.doing);
    this.button.disabled = this.busy || !this.may;
    const told = doctor?.told ?? [];
    const wrong = told.flatMap(({ checks }) => checks).filter(({ good }) => !good).length;
    const ended = !wrong ? 'All is well.' : wrong === 1 ? '1 thing is to be looked at.' : `${wrong} things are to be looked at.`;
    this.doing.textContent = this.busy ? `Looking at ${doctor.doing} …` : doctor ? ended : '';
    this.found.replaceChildren(...told.flatMap(section));
  }

  allow(may) {
    this.may = may;
    this.button.disabled = this.busy || !may;
  }
}

function section({ name, checks }) {
  return [
    element('h3', {}, name),
    element('ul', {}, ...checks.map(finding)),
  ];
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
