// A board: nine buttons to play on, or a small picture of one.

import { classes, element, svg } from './page.js';

/** The marks of players A and B in a text. */
export const SIGNS = { A: '✕', B: '◯' };
/** Where each arrow key goes: right, and down. */
export const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

/**
 * A board to play on, by click, Tab, arrows, Enter, and the keys 1 to 9, which may be pressed
 * anywhere in `keys`. `play` gets the cell, 0 to 8; `taken` one that has a mark already.
 */
export class Board {
  constructor(root, play, { taken = () => {}, keys = root } = {}) {
    Object.assign(this, { play, taken });
    this.cells = Array.from({ length: 9 }, (_, cell) =>
      element('button', {
        type: 'button',
        onclick: () => this.choose(cell),
        onfocus: () => this.moveTo(cell),
      }),
    );
    this.show({ marks: '.........', names: '123456789' });
    this.moveTo(4);
    root.classList.add('board');
    root.replaceChildren(...this.cells);
    keys.addEventListener('keydown', (event) => this.press(event));
  }

  /**
   * Shows a position.
   *
   * marks: nine of `X`, `O` and `.`; names: what a screen reader calls each cell; playable: whether
   * free cells can be played; last: the last move's cell; line: the cells of the winning line;
   * labels: for free cells, small text; grounds: for cells, a class.
   */
  show({ marks, names, playable = false, last = null, line = [], labels = {}, grounds = {} }) {
    this.cells.forEach((button, cell) => {
      const free = marks[cell] === '.';
      // Not `disabled`: a cell stays in reach of the arrows and of a screen reader.
      button.setAttribute('aria-disabled', !(free && playable));
      button.setAttribute('aria-label', names[cell]);
      const [isLast, isLine] = [cell === last && 'last', line.includes(cell) && 'line'];
      button.className = classes('cell', grounds[cell], isLast, isLine);
      button.replaceChildren(
        free
          ? element('span', { class: 'label', 'aria-hidden': 'true' }, labels[cell] ?? '')
          : svg('svg', { viewBox: '0 0 20 20', 'aria-hidden': 'true' }, markShape(marks[cell])),
      );
    });
  }

  choose(cell) {
    if (this.cells[cell].getAttribute('aria-disabled') === 'false') this.play(cell);
    else if (this.cells[cell].querySelector('svg')) this.taken(cell);
  }

  moveTo(cell) {
    this.at = cell;
    this.cells.forEach((button, number) => (button.tabIndex = number === cell ? 0 : -1));
  }

  press(event) {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    if (event.target.closest('input:not([type=checkbox])')) return;
    if (event.key in ARROWS && event.target.closest('.board')) {
      const [x, y] = ARROWS[event.key];
      const column = Math.min(2, Math.max(0, (this.at % 3) + x));
      const row = Math.min(2, Math.max(0, Math.floor(this.at / 3) + y));
      this.cells[row * 3 + column].focus();
    } else if (/^[1-9]$/.test(event.key)) {
      this.cells[event.key - 1].focus();
      this.choose(event.key - 1);
    } else {
      return;
    }
    event.preventDefault();
  }
}

function markShape(mark) {
  return mark === 'X'
    ? svg('path', { d: 'M4 4l12 12M16 4L4 16', class: mark })
    : svg('circle', { cx: 10, cy: 10, r: 6.5, class: mark });
}

/**
 * A small picture of a board, in SVG, like that of `pages/macros.html`, which needs no script.
 *
 * `title`: for screen readers; without one it is hidden from them.
 */
export function boardPicture({ marks, title = null, last = null, line = [] }) {
  const label = title ? { role: 'img', 'aria-label': title } : { 'aria-hidden': 'true' };
  const cells = [...marks].map((mark, cell) => {
    const ground = classes('ground', cell === last && 'last', line.includes(cell) && 'line');
    const place = `translate(${(cell % 3) * 20} ${Math.floor(cell / 3) * 20})`;
    const shapes = [svg('rect', { width: 20, height: 20, class: ground })];
    if (mark !== '.') shapes.push(markShape(mark));
    return svg('g', { transform: place }, ...shapes);
  });
  const grid = svg('path', { d: 'M20 0V60M40 0V60M0 20H60M0 40H60', class: 'grid' });
  return svg('svg', { viewBox: '0 0 60 60', class: 'small-board', ...label }, ...cells, grid);
}
