// A game, move by move: slider, keys, and playing by itself.

import { Board } from './board.js';
import { element } from './elements.js';
import { chosen } from './filter.js';
import { hidden } from './look_back.js';
import { Graph } from './graph.js';
import { get } from './server.js';

const [SHORTEST_MS, LONGEST_MS, UNHEARD_MS] = [400, 3000, 1000];
const CLASSES = { best: 'good', inaccuracy: 'doubtful', mistake: 'bad', blunder: 'bad' };

const part = (id) => document.getElementById(id);
const number = location.pathname.split('/').pop();
const slider = part('slider');
const board = new Board(part('board'), () => {});
let game = null;
let graph = null;
let at = 0;
let timer = null;

try {
  game = await get(`/api/games/${number}${location.search}`);
  begin();
} catch (error) {
  part('status').textContent = error.message;
  part('others').append(element('a', { href: '/games' }, 'All games'));
}

function begin() {
  part('status').remove();
  part('game').hidden = false;
  document.title = `Game ${game.number} · noughts`;
  part('title').textContent = `Game ${game.number}: ${game.result}`;
  part('players').replaceChildren(...game.players.map(player));
  part('details').replaceChildren(...game.details.flatMap(detail));
  part('moves').append(...moveList());
  part('others').append(...others());
  graph = new Graph(part('graph'), stopAt);
  slider.max = game.moves.length;
  slider.addEventListener('input', () => stopAt(Number(slider.value)));
  part('start').addEventListener('click', () => stopAt(0));
  part('back').addEventListener('click', () => stopAt(at - 1));
  part('forward').addEventListener('click', () => stopAt(at + 1));
  part('end').addEventListener('click', () => stopAt(game.moves.length));
  part('play').addEventListener('click', () => (timer === null ? play() : stopAt(at)));
  part('worths').addEventListener('change', show);
  document.addEventListener('keydown', press);
  show();
}

function press(event) {
  const steps = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: game.moves.length };
  if (!(event.key in steps) || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
  // The slider knows these keys itself, and on the board they move between cells.
  if (event.defaultPrevented || event.target.closest('input')) return;
  event.preventDefault();
  stopAt(steps[event.key]);
}

function stopAt(step) {
  clearTimeout(timer);
  timer = null;
  go(step);
}

function go(step) {
  at = Math.min(Math.max(step, 0), game.moves.length);
  show();
}

/** Plays at the speed at which it was played, but nobody waits long. */
function play() {
  if (at === game.moves.length) at = 0;
  const thought = game.thought_ms[at] ?? UNHEARD_MS;
  const wait = Math.min(Math.max(thought, SHORTEST_MS), LONGEST_MS);
  timer = setTimeout(() => {
    timer = null;
    go(at + 1);
    if (at < game.moves.length) play();
  }, wait);
  show();
}

function show() {
  const step = game.steps[at];
  const worths = part('worths').checked ? step.worths : {};
  board.show({
    marks: step.marks,
    names: part('worths').checked ? step.names : step.names.map((name) => name.split(';')[0]),
    last: step.last,
    line: step.line,
    labels: worths,
    grounds: worths,
  });
  showScores(step.scores);
  part('said').replaceChildren(...step.said.map((text) => element('p', {}, text)));
  part('try').hidden = !step.next;
  part('try').href = `/?position=${step.marks}`;
  graph.show(game.evaluations, game.moves.map((move) => ({ ...move, name: move.where })), at);
  slider.value = at;
  slider.setAttribute('aria-valuetext', at ? `after move ${at} of ${game.moves.length}` : 'before the first move');
  part('play').textContent = timer === null ? 'Play' : 'Stop';
  part('start').disabled = part('back').disabled = at === 0;
  part('end').disabled = part('forward').disabled = at === game.moves.length;
  part('moves').querySelectorAll('button').forEach((button, ply) => {
    if (ply + 1 === at) button.setAttribute('aria-current', 'step');
    else button.removeAttribute('aria-current');
  });
}

/** In the order of the rules: three columns, three rows, and the diagonals. */
function showScores(scores) {
  const made = scores.map(({ line, text, full }) =>
    element('span', { class: full ? 'score full' : 'score' }, hidden(`${line}: `), text),
  );
  part('columns').replaceChildren(...made.slice(0, 3));
  part('rows').replaceChildren(...made.slice(3, 6));
  part('falling').replaceChildren(made[6]);
  part('rising').replaceChildren(made[7]);
}

function player({ mark, player, who }) {
  return element('span', {}, element('strong', {}, `${mark} is ${player}`), `, ${who}`);
}

function detail([name, text]) {
  return [element('dt', {}, name), element('dd', {}, element('bdi', {}, text))];
}

function moveList() {
  const head = ['Move', 'Player', 'Cell', 'Verdict', 'Time'];
  const names = head.map((name) => element('th', { scope: 'col' }, name));
  const rows = game.moves.map((move, ply) =>
    element(
      'tr',
      {},
      element('td', {}, stepButton(ply)),
      element('td', {}, `${move.player} (${move.mark})`),
      element('td', {}, String(move.cell + 1), element('span', { class: 'wide' }, `, ${move.where}`)),
      element('td', {}, ...verdict(move)),
      element('td', {}, move.thought ?? '–'),
    ),
  );
  return [
    element('caption', { class: 'hidden-text' }, 'The moves of the game'),
    element('thead', {}, element('tr', {}, ...names)),
    element('tbody', {}, ...rows),
  ];
}

/** The mark that chess players know; a screen reader says its name. */
function verdict({ verdict, called }) {
  const mark = { class: `verdict ${CLASSES[called] ?? ''}`, 'aria-hidden': 'true' };
  return [element('span', mark, verdict), hidden(called)];
}

function stepButton(ply) {
  return element(
    'button',
    { type: 'button', onclick: () => stopAt(ply + 1) },
    hidden('Show move '),
    String(ply + 1),
  );
}

function others() {
  const link = (to, text) => to && element('a', { href: `/games/${to}${chosen()}` }, text);
  return [
    link(game.before, 'Game before'),
    link(game.after, 'Game after'),
    element('a', { href: `/games${chosen()}` }, 'All games'),
  ].filter(Boolean);
}
