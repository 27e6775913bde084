// The evaluation over a game as a graph, which is also a slider through the game.

import { svg } from './elements.js';

const WIDTH = 320;
const HEIGHT = 120;
const LEFT = 48;
const RIGHT = 8;
const MOST = 10;

/**
 * Draws into `root`. `choose` gets a number of moves, 0 to all.
 * Give its `show` the evaluations (one more than moves), the moves, and after how many of them the
 * board stands.
 */
export class Graph {
  constructor(root, choose) {
    this.choose = choose;
    this.count = 0;
    this.at = 0;
    this.picture = svg('svg', {
      class: 'graph',
      viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
      role: 'slider',
      tabindex: '0',
      'aria-label': 'Evaluation over the game',
      'aria-valuemin': '0',
      onclick: (event) => this.click(event),
      onkeydown: (event) => this.press(event),
    });
    root.replaceChildren(this.picture);
  }

  show(evaluations, history, at) {
    this.count = history.length;
    this.at = at;
    const points = evaluations.map(({ score }, ply) => [this.x(ply), y(score)]);
    this.picture.setAttribute('aria-valuemax', String(this.count));
    this.picture.setAttribute('aria-valuenow', String(at));
    this.picture.setAttribute('aria-valuetext', inWords(evaluations, history, at));
    this.picture.replaceChildren(
      svg('rect', { class: 'band', x: LEFT, y: 2, width: WIDTH - LEFT - 2, height: HEIGHT - 4 }),
      svg('path', { class: 'even', d: `M${LEFT} ${y(0)}H${WIDTH - 2}` }),
      svg('text', { x: 0, y: 14 }, 'X wins'),
      svg('text', { x: 0, y: y(0) + 3 }, 'draw'),
      svg('text', { x: 0, y: HEIGHT - 8 }, 'O wins'),
      svg('path', { class: 'at', d: `M${this.x(at)} 2V${HEIGHT - 2}` }),
      svg('polyline', { class: 'run', points: points.map((point) => point.join()).join(' ') }),
      ...points.map(([x, y], ply) => point(x, y, history[ply - 1])),
    );
  }

  x(ply) {
    return LEFT + 12 + (ply * (WIDTH - LEFT - RIGHT - 20)) / Math.max(this.count, 1);
  }

  click(event) {
    const box = this.picture.getBoundingClientRect();
    const x = ((event.clientX - box.left) / box.width) * WIDTH;
    const share = (x - this.x(0)) / (this.x(this.count) - this.x(0) || 1);
    this.choose(Math.min(this.count, Math.max(0, Math.round(share * this.count))));
  }

  press(event) {
    const steps = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1 };
    const ends = { Home: 0, End: this.count };
    const wanted = event.key in ends ? ends[event.key] : this.at + steps[event.key];
    if (Number.isNaN(wanted) || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    if (wanted >= 0 && wanted <= this.count) this.choose(wanted);
  }
}

function y(score) {
  return HEIGHT / 2 - (score / MOST) * (HEIGHT / 2 - 12);
}

/** A move's point: a mistake's is also larger, and square. */
function point(x, y, move) {
  const bad = move && ['mistake', 'blunder'].includes(move.called);
  return bad
    ? svg('rect', { class: 'point bad', x: x - 4, y: y - 4, width: 8, height: 8 })
    : svg('circle', { class: 'point', cx: x, cy: y, r: 3 });
}

function inWords(evaluations, history, at) {
  const worth = evaluations[at].words;
  if (!at) return `before the first move: ${worth}`;
  const move = history[at - 1];
  return `after move ${at}, ${move.mark} ${move.name}, ${move.called}: ${worth}`;
}
