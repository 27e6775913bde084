// The evaluation over a game as a graph, which is also a slider through the game.

import { svg } from './page.js';

/** Draws into a `graph` of `macros.html`; `choose` gets a number of moves. */
export class Graph {
  constructor(root, choose) {
    this.part = (selector) => root.querySelector(selector);
    this.slider = this.part('input');
    this.slider.addEventListener('input', () => choose(Number(this.slider.value)));
  }

  /** points: `graph` in views/board.py; at: after how many moves the board stands. */
  show(points, at) {
    const last = points.length - 1;
    const x = (ply) => 60 + (ply * 244) / Math.max(last, 1);
    const corners = points.map(({ score }, ply) => [x(ply), 60 - score * 4.8]);
    this.slider.max = last;
    this.slider.value = at;
    this.slider.setAttribute('aria-valuetext', points[at].text);
    this.part('.at').setAttribute('d', `M${x(at)} 2V118`);
    this.part('.run').setAttribute('points', corners.join(' '));
    this.part('.points').replaceChildren(...points.map(({ mistake }, ply) => point(...corners[ply], mistake)));
  }
}

/** A mistake's point is larger, and square. */
function point(x, y, mistake) {
  return mistake
    ? svg('rect', { class: 'bad', x: x - 4, y: y - 4, width: 8, height: 8 })
    : svg('circle', { cx: x, cy: y, r: 3 });
}
