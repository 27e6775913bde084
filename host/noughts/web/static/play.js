// Play against a friend or an engine. The whole game stands in the page's address.

import { Board, playDigits } from './board.js';
import { element } from './elements.js';
import { Graph } from './graph.js';
import { Latest } from './latest.js';
import { FRIEND, cost, lookingBack, scoreWords, situation, stepButtons } from './play_words.js';
import { Record } from './record.js';

const $ = (id) => document.getElementById(id);
const DEFAULT = 'medium';

const game = { opponent: DEFAULT, you: 'X', start: null, moves: '', at: 0 };
let line = null; // what the server says of all moves
let shown = null; // and of the first `at` of them
let did = null; // what the engine's last answer cost
let chosen = []; // the cells that were clicked while waiting
let keeps = true;
const looked = new Map(); // what the server said of positions that were shown

const server = new Latest();
const record = new Record();
const board = new Board($('board'), play, taken);
const graph = new Graph($('graph'), goTo);

function address(path, more = {}) {
  const words = new URLSearchParams({ moves: game.moves, ...more });
  if (game.start) words.set('start', game.start);
  return `${path}?${words}`;
}

function toMove(at) {
  const marks = [...(game.start ?? '')].filter((mark) => 'XOxo'.includes(mark)).length;
  return 'XO'[(marks + at) % 2];
}

const isMine = (at) => game.opponent === FRIEND || toMove(at) === game.you;

/** The nearest earlier (-1) or later (1) point at which the person is to move, or the end. */
function step(direction) {
  for (let at = game.at + direction; at >= 0 && at <= game.moves.length; at += direction) {
    if (isMine(at) || at === game.moves.length) return at;
  }
  return null;
}

function play(cell) {
  if (!isMine(game.at)) return;
  if (server.waiting) {
    chosen.push(cell); // two friends may be quicker than the answer
    return;
  }
  const mark = toMove(game.at);
  $('remark').textContent = '';
  game.moves = game.moves.slice(0, game.at) + cell;
  game.at = game.moves.length;
  record.note(game.moves);
  remember();
  const marks = [...shown.marks];
  marks[cell] = mark;
  const names = shown.names.map((name, each) => (each === cell ? name.replace('free', mark) : name));
  board.show({ marks, names, playable: isMine(game.at), last: cell });
  goOn();
}

function taken(cell) {
  if (!shown.result) $('remark').textContent = `Cell ${cell + 1} is taken.`;
}

/** After the last move: the engine's answer if it is its turn, and what there is to say. */
async function goOn() {
  try {
    if (isMine(game.moves.length)) {
      const answer = await server.ask(address('/api/position'));
      if (!answer) return;
      line = answer;
    } else {
      const answer = await server.ask(address('/api/reply', { engine: game.opponent }));
      if (!answer) return;
      line = answer.game;
      did = answer.did ?? did;
      game.moves = line.moves.join('');
      record.note(game.moves);
    }
  } catch (error) {
    // Only a link can lead to a game that the server refuses.
    if (!line && (game.moves || game.start)) await begin();
    $('said').textContent = '';
    $('remark').textContent = error.message;
    return;
  }
  game.at = game.moves.length;
  shown = line;
  looked.set(game.moves, line);
  draw();
  while (chosen.length && !server.waiting) board.choose(chosen.shift());
  if (line.result) {
    const ended = record.game;
    const kept = record.keep(keeps, line.result.winner);
    $('score').textContent = scoreWords(record);
    const text = await kept;
    if (ended === record.game) tellKept(text);
  }
}

/** Shows the game after so many moves. What a link or a click on an old list may want is ignored. */
async function goTo(at) {
  if (!Number.isInteger(at) || at < 0 || at > game.moves.length) return;
  server.forget(); // an answer that is on its way would lead back to the end
  game.at = at;
  const moves = game.moves.slice(0, at);
  let found = looked.get(moves);
  if (!found && at === game.moves.length) return goOn(); // the engine has not answered yet
  if (!found) {
    const words = new URLSearchParams({ moves });
    if (game.start) words.set('start', game.start);
    found = await server.ask(`/api/position?${words}`);
    if (!found) return;
    looked.set(moves, found);
  }
  chosen = [];
  shown = found;
  draw();
}

/** Another game with the same opponent: as on the board, the other side begins. */
function another() {
  if (line?.result) $('first').value = game.you === 'X' ? 'O' : 'X';
  return begin();
}

function begin() {
  Object.assign(game, { start: null, moves: '', at: 0 });
  game.opponent = $('opponent').value;
  game.you = game.opponent === FRIEND ? 'X' : $('first').value;
  did = null;
  chosen = [];
  looked.clear();
  record.begin(game.opponent, game.you, true);
  tellKept('');
  return goOn();
}

function draw() {
  if (!shown) return; // nothing has come yet
  const back = game.at < game.moves.length;
  const playable = !shown.result && isMine(game.at) && !server.waiting;
  const hints = playable ? shown.cells : {};
  const [values, chances] = [$('values').checked, $('chances').checked];
  const labels = {};
  const grounds = {};
  const names = [...shown.names];
  for (const [cell, hint] of Object.entries(hints)) {
    labels[cell] = [
      values && `best play: ${hint.value.replaceAll(' ', '\u00a0')}`,
      chances && `wins ${hint.chance} against random play`,
    ]
      .filter(Boolean)
      .join('\n');
    if (values) names[cell] += `; ${hint.value} with best play`;
    if (chances) names[cell] += `; wins ${hint.chance} against random play`;
    if (chances || values) {
      grounds[cell] = [chances && `heat${hint.heat}`, hint.best && 'best'].filter(Boolean).join(' ');
      if (hint.best) names[cell] += '; the best move';
    }
  }
  const last = game.at ? Number(game.moves[game.at - 1]) : null;
  const won = shown.result?.cells ?? [];
  board.show({ marks: shown.marks, names, playable, last, line: won, labels, grounds });
  const words = back ? lookingBack(game, isMine(game.at)) : situation(game, shown, did);
  $('said').textContent = words.headline;
  $('said').classList.toggle('result', Boolean(shown.result));
  $('remark').textContent = words.remark;
  $('keys').classList.toggle('away', !playable);
  $('score').textContent = scoreWords(record);
  $('undo').disabled = step(-1) === null;
  $('redo').disabled = step(1) === null;
  $('did').hidden = !did;
  $('cost').textContent = did ? cost(did) : '';
  $('legend').hidden = !chances && !values;
  $('learn').href = `/learn?position=${shown.marks}`;
  $('learn').hidden = Boolean(shown.result);
  drawPast();
  remember();
}

function drawPast() {
  const { history, graph: points } = line;
  $('past').hidden = !history.length;
  graph.show(points, game.at);
  $('moves').replaceChildren(...stepButtons(history, game.at, goAndStay));
  $('judged').textContent = game.at ? history[game.at - 1].words : '';
}

/** The list of moves is drawn anew with each step: what had the focus has it again. */
async function goAndStay(at) {
  await goTo(at);
  $('moves').children[at]?.firstChild.focus(); // there may be a new game meanwhile
}

function tellKept(text) {
  const number = record.game.stored;
  const link = text && number ? element('a', { href: `/games/${number}` }, 'Look at it') : null;
  $('kept').replaceChildren(...[text, link && ' ', link].filter(Boolean));
}

function remember() {
  const words = new URLSearchParams({ opponent: game.opponent, you: game.you });
  if (game.start) words.set('position', game.start);
  if (game.moves) words.set('moves', game.moves);
  if (game.at < game.moves.length) words.set('at', String(game.at));
  history.replaceState(null, '', `?${words}`);
}

/** The game that the address names: a link, or this page loaded again. */
function resume() {
  const words = new URLSearchParams(location.search);
  const wanted = words.get('opponent');
  const known = [...$('opponent').options].map((option) => option.value);
  game.opponent = known.includes(wanted) ? wanted : DEFAULT;
  game.start = words.get('position');
  game.moves = words.get('moves') ?? '';
  const you = words.get('you') ?? toMove(game.moves.length);
  game.you = game.opponent === FRIEND || you !== 'O' ? 'X' : 'O';
  $('opponent').value = game.opponent;
  $('first').value = game.you;
  showWho();
  const at = words.get('at');
  if (game.start || !record.fits(game.opponent, game.you, game.moves)) {
    record.begin(game.opponent, game.you, !game.start && !game.moves);
    record.note(game.moves);
  }
  return goOn().then(() => at && goTo(Number(at)));
}

function press(event) {
  const key = event.key.toLowerCase();
  if ((event.ctrlKey || event.metaKey) && !event.altKey && 'zy'.includes(key)) {
    event.preventDefault();
    if (!server.waiting) goTo(step(key === 'y' || event.shiftKey ? 1 : -1));
  }
}

async function start() {
  $('legend').textContent =
    'The ring marks the best move. “Against random play” is the chance to win if the opponent plays at random and you play well: the greener, the likelier.';
  const { players, keeps: may } = await server.ask('/api/players');
  keeps = may;
  $('opponent').replaceChildren(
    ...players.map(({ name, about }) => element('option', { value: name }, `${name} – ${about}`)),
  );
  for (const id of ['values', 'chances']) $(id).addEventListener('change', draw);
  for (const id of ['opponent', 'first']) $(id).addEventListener('change', begin);
  $('opponent').addEventListener('change', showWho);
  $('new').addEventListener('click', another);
  $('undo').addEventListener('click', () => goTo(step(-1)));
  $('redo').addEventListener('click', () => goTo(step(1)));
  document.addEventListener('keydown', press);
  playDigits(board);
  await resume();
}

function showWho() {
  $('who').hidden = game.opponent === FRIEND;
}

start();
