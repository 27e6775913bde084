// The evaluation over a game as a graph, which is also a slider through the game.

import { svg } from './elements.js';

const WIDTH = 320;
const HEIGHT = 120;
const LEFT = 48;
const RIGHT = 8;
const MOST = 10;
const STEPS = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, Home: -9, End: 9 };

/** Draws into `root`; `choose` gets a number of moves. For `points` see `graph` in views/board.py. */
export class Graph {
  constructor(root, choose) {
    this.choose = (at) => choose(Math.min(this.last, Math.max(0, at)));
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

  /** at: after how many moves the board stands. */
  show(points, at) {
    this.last = points.length - 1;
    this.at = at;
    const corners = points.map(({ score }, ply) => [this.x(ply), y(score)]);
    this.picture.setAttribute('aria-valuemax', this.last);
    this.picture.setAttribute('aria-valuenow', at);
    this.picture.setAttribute('aria-valuetext', points[at].text);
    this.picture.replaceChildren(
      svg('rect', { class: 'band', x: LEFT, y: 2, width: WIDTH - LEFT - 2, height: HEIGHT - 4 }),
      svg('path', { class: 'even', d: `M${LEFT} ${y(0)}H${WIDTH - 2}` }),
      svg('text', { x: 0, y: 14 }, 'X wins'),
      svg('text', { x: 0, y: y(0) + 3 }, 'draw'),
      svg('text', { x: 0, y: HEIGHT - 8 }, 'O wins'),
      svg('path', { class: 'at', d: `M${this.x(at)} 2V${HEIGHT - 2}` }),
      svg('polyline', { class: 'run', points: corners.join(' ') }),
      ...points.map(({ mistake }, ply) => point(...corners[ply], mistake)),
    );
  }

  x(ply) {
    return LEFT + 12 + (ply * (WIDTH - LEFT - RIGHT - 20)) / Math.max(this.last, 1);
  }

  click(event) {
    const box = this.picture.getBoundingClientRect();
    const x = ((event.clientX - box.left) / box.width) * WIDTH;
    const share = (x - this.x(0)) / (this.x(this.last) - this.x(0) || 1);
    this.choose(Math.round(share * this.last));
  }

  press(event) {
    if (!(event.key in STEPS) || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    this.choose(this.at + STEPS[event.key]);
  }
}

function y(score) {
  return HEIGHT / 2 - (score / MOST) * (HEIGHT / 2 - 12);
}

/** A mistake's point is larger, and square. */
function point(x, y, mistake) {
  return mistake
    ? svg('rect', { class: 'point bad', x: x - 4, y: y - 4, width: 8, height: 8 })
    : svg('circle', { class: 'point', cx: x, cy: y, r: 3 });
}
