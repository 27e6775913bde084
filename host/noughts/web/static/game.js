// Steps through a game: by slider, graph, keys, and by itself. What it shows is in the page.

import { Board } from './board.js';
import { element } from './elements.js';
import { Graph } from './graph.js';

const [SHORTEST_MS, LONGEST_MS, UNHEARD_MS] = [400, 3000, 1000];

const $ = (id) => document.getElementById(id);
const { steps, thought_ms, graph: points } = JSON.parse($('view').textContent);
const last = steps.length - 1;
const board = new Board($('board'), () => {});
const graph = new Graph($('graph'), stopAt);
let at = 0;
let timer = null;

function stopAt(step) {
  clearTimeout(timer);
  timer = null;
  go(step);
}

function go(step) {
  at = Math.min(Math.max(step, 0), last);
  show();
}

/** Plays at the speed at which it was played, but nobody waits long. */
function play() {
  if (at === last) at = 0;
  const wait = Math.min(Math.max(thought_ms[at] ?? UNHEARD_MS, SHORTEST_MS), LONGEST_MS);
  timer = setTimeout(() => {
    timer = null;
    go(at + 1);
    if (at < last) play();
  }, wait);
  show();
}

function show() {
  const step = steps[at];
  const worths = $('worths').checked ? step.worths : {};
  const names = $('worths').checked ? step.names : step.names.map((name) => name.split(';')[0]);
  board.show({ ...step, names, labels: worths, grounds: worths });
  showScores(step.scores);
  $('said').replaceChildren(...step.said.map((text) => element('p', {}, text)));
  $('try').hidden = !step.next;
  $('try').href = `/?position=${step.marks}`;
  graph.show(points, at);
  $('slider').value = at;
  $('slider').setAttribute('aria-valuetext', points[at].text);
  $('play').textContent = timer === null ? 'Play' : 'Stop';
  $('start').disabled = $('back').disabled = at === 0;
  $('end').disabled = $('forward').disabled = at === last;
  rows.forEach((row, ply) => row.setAttribute('aria-current', ply + 1 === at ? 'step' : 'false'));
}

/** In the order of the rules: three columns, three rows, and the diagonals. */
function showScores(scores) {
  const made = scores.map(({ line, text, full }) =>
    element('span', { class: full ? 'score full' : 'score' }, element('span', { class: 'hidden-text' }, `${line}: `), text),
  );
  $('columns').replaceChildren(...made.slice(0, 3));
  $('rows').replaceChildren(...made.slice(3, 6));
  $('falling').replaceChildren(made[6]);
  $('rising').replaceChildren(made[7]);
}

document.addEventListener('keydown', (event) => {
  const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: last };
  if (!(event.key in to) || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
  // The slider knows these keys itself, and on the board they move between cells.
  if (event.defaultPrevented || event.target.closest('input')) return;
  event.preventDefault();
  stopAt(to[event.key]);
});
$('slider').addEventListener('input', () => stopAt(Number($('slider').value)));
const buttons = { start: () => 0, back: () => at - 1, forward: () => at + 1, end: () => last };
for (const [id, to] of Object.entries(buttons)) $(id).addEventListener('click', () => stopAt(to()));
$('play').addEventListener('click', () => (timer === null ? play() : stopAt(at)));
$('worths').addEventListener('change', show);
const rows = [...document.querySelectorAll('#moves tbody tr')];
rows.forEach((row, ply) => {
  const number = row.cells[0];
  const hidden = element('span', { class: 'hidden-text' }, 'Show move ');
  const button = element('button', { type: 'button', onclick: () => stopAt(ply + 1) }, hidden, number.textContent);
  number.replaceChildren(button);
});
document.querySelectorAll('.stepper').forEach((part) => (part.hidden = false));
show();
