// The evaluation over a game as a graph, which is also a slider through the game.

import { $, svg } from './page.js';

/**
 * Draws the `graph` of `macros.html`. points: `history` in views/analysis.py; at: after how many moves
 * the board stands.
 */
export function showGraph(points, at) {
  const part = (selector) => $('graph').querySelector(selector);
  const last = points.length - 1;
  const x = (ply) => 60 + (ply * 244) / Math.max(last, 1);
  const corners = points.map(({ score }, ply) => [x(ply), 60 - score * 4.8]);
  $('slider').max = last;
  $('slider').value = at;
  $('slider').setAttribute('aria-valuetext', points[at].text);
  part('.at').setAttribute('d', `M${x(at)} 2V118`);
  part('.run').setAttribute('points', corners.join(' '));
  part('.points').replaceChildren(...points.map(({ mistake }, ply) => point(...corners[ply], mistake)));
}

/** A mistake's point is larger, and square. */
function point(x, y, mistake) {
  return mistake
    ? svg('rect', { class: 'bad', x: x - 4, y: y - 4, width: 8, height: 8 })
    : svg('circle', { cx: x, cy: y, r: 3 });
}
