// Play against a friend or an engine. The page's address holds the whole game, and the server
// evaluates it. Only this tab knows when moves were made, and the score of its games. A person
// plays X against an engine, whoever begins, as player A does on a micro:bit.

import { Board } from './board.js';
import { showGraph } from './graph.js';
import { $, classes, commonValue, element, remember, remembered, sentence } from './page.js';
import { get, mayChange, post } from './server.js';

const FRIEND = 'friend';
const DEFAULT = 'medium';
const STORAGE_KEY = 'noughts-game';
const WINS = /^win\sin\s1$/; // the value of a move that ends the game

const game = {}; // opponent, you, first, position, moves, at: as in the address
let view = null; // what the server says of it
let queued = []; // the cells that were clicked while waiting
let cost = ''; // of the engine's last answer
const tab = { ...newTab(), ...remembered('sessionStorage', STORAGE_KEY) };

let asked = 0;
let waiting = false;
const board = new Board($('board'), play, { taken, keys: document });

/** What a tab knows; its session is eight hex digits, as boards draw for each of their runs. */
function newTab() {
  const session = Math.floor(Math.random() * 2 ** 32).toString(16).toUpperCase().padStart(8, '0');
  return { session, number: 0, game: null, score: null };
}

/** A duplicated tab has a copy of the other one's games; it must not report them as its own. */
async function becomeThisTab() {
  for (let mine = !navigator.locks; !mine; ) {
    mine = await new Promise((taken) => {
      navigator.locks.request(`${STORAGE_KEY}-${tab.session}`, { ifAvailable: true }, (lock) => {
        taken(lock !== null);
        return lock && new Promise(() => {}); // as long as the page lives
      });
    });
    if (!mine) Object.assign(tab, newTab());
  }
}

/** The game as the page's address has it, and as the server is asked. */
function query() {
  const { at, ...rest } = { ...game, first: game.first === 'X' ? null : game.first };
  const all = Object.entries(at < game.moves.length ? { ...rest, at } : rest);
  return new URLSearchParams(all.filter(([, value]) => value !== null && value !== ''));
}

/** Asks how the game stands, unless something else is asked before the answer. */
async function update() {
  const mine = ++asked;
  waiting = true;
  const answer = await get(`/api/play?${query()}`).catch((error) => error);
  if (mine !== asked) return;
  waiting = false;
  if (answer instanceof Error) {
    // Only a link can lead to a game that the server refuses.
    const isLink = !view && (game.moves || game.position);
    if (isLink) await begin();
    $('headline').textContent = '';
    $('remark').textContent = isLink ? `This link does not work: ${answer.message}.` : sentence(answer.message);
    return;
  }
  view = answer;
  cost = view.cost ?? cost;
  for (const name of ['opponent', 'you', 'first', 'moves', 'at']) game[name] = view[name];
  Object.assign(tab.game, { you: game.you, first: game.first });
  note();
  if (view.over) store();
  draw();
  while (queued.length && !waiting) board.choose(queued.shift());
}

function play(cell) {
  if (waiting) {
    queued.push(cell); // two friends may be quicker than the answer
    return;
  }
  Object.assign(view, { undo: game.at, redo: null });
  tab.game.times.length = game.at; // later moves are taken back
  game.moves = game.moves.slice(0, game.at) + cell;
  game.at = game.moves.length;
  note();
  history.replaceState(null, '', `?${query()}`);
  const [marks, names] = [[...view.marks], [...view.names]];
  marks[cell] = view.turn;
  names[cell] = names[cell].replace('free', view.turn);
  board.show({ marks, names, playable: game.opponent === FRIEND, last: cell });
  const other = view.turn === 'X' ? 'O' : 'X';
  const isOver = !marks.includes('.') || WINS.test(view.hints[cell].value);
  if (!isOver) $('headline').textContent = `${game.opponent === FRIEND ? other : opponentName()}’s turn`;
  $('remark').textContent = '';
  update();
}

function taken(cell) {
  if (view.playable) $('remark').textContent = `Cell ${cell + 1} is taken.`;
}

/** Shows the game after so many moves; a click on the list of an older game may want more. */
function goTo(at) {
  if (at === null || at > game.moves.length) return;
  queued = [];
  game.at = at;
  update();
}

/** Another game with the same opponent: as on the board, the other side begins. */
function another() {
  if (view?.over) $('first').value = game.first === 'X' ? 'O' : 'X';
  begin();
}

function begin() {
  const opponent = $('opponent').value;
  const first = opponent === FRIEND ? 'X' : $('first').value;
  Object.assign(game, { opponent, you: 'X', first, position: null, moves: '', at: 0 });
  cost = '';
  queued = [];
  record('');
  $('stored').replaceChildren();
  return update();
}

function draw() {
  if (!view) return; // nothing has come yet
  const [values, chances] = [$('values').checked, $('chances').checked];
  const shown = { ...view, names: [...view.names], labels: {}, grounds: {} };
  const sharedValue = commonValue(Object.values(view.hints).map(({ value }) => value)); // written once, not in each cell
  for (const [cell, { value, chance, heat, best }] of Object.entries(view.hints)) {
    if (!values && !chances) continue;
    shown.labels[cell] = [values && !sharedValue && value, chances && chance].filter(Boolean).join('\n');
    shown.grounds[cell] = classes(chances && `heat${heat}`, best && 'best');
    const hints = [
      values && `${value} with best play`,
      chances && `${chance} against random play`,
      best && 'the best move',
    ];
    shown.names[cell] = [view.names[cell], ...hints].filter(Boolean).join('; ');
  }
  board.show(shown);
  $('headline').textContent = view.headline;
  $('headline').classList.toggle('result', view.over && view.at === view.moves.length);
  $('remark').textContent = view.remark;
  $('keys').classList.toggle('away', !view.playable);
  $('score').textContent = scoreText();
  // Not `disabled`: the focused button keeps the focus.
  $('undo').setAttribute('aria-disabled', view.undo === null);
  $('redo').setAttribute('aria-disabled', view.redo === null);
  $('did').hidden = !cost;
  $('cost').textContent = cost;
  $('legend').hidden = (!chances && !values) || !view.playable;
  $('percent').hidden = !chances;
  $('level').hidden = !values || !sharedValue;
  $('level').querySelector('b').textContent = sharedValue;
  $('learn').href = `/learn?position=${view.position}`;
  $('learn').hidden = !view.turn;
  $('who').hidden = game.opponent === FRIEND;
  $('opponent').value = game.opponent;
  $('first').value = game.first;
  $('past').hidden = !view.moves;
  showGraph(view.graph, game.at);
  drawMoves();
  history.replaceState(null, '', `?${query()}`);
}

/** A button for the start and one for each move, with its verdict; the focused one keeps the focus. */
function drawMoves() {
  const focused = [...$('moves').children].findIndex((item) => item.contains(document.activeElement));
  const item = (ply, ...content) => {
    const current = ply === game.at ? 'step' : null;
    const button = { type: 'button', 'aria-current': current, onclick: () => goTo(ply) };
    return element('li', {}, element('button', button, ...content));
  };
  const moves = view.graph.slice(1).map(({ name, cell, where, verdict_name: verdictName, verdict }, ply) =>
    item(
      ply + 1,
      `${name} ${cell + 1}`,
      element('span', { class: `called ${verdictName}`, 'aria-hidden': 'true' }, verdict),
      element('span', { class: 'hidden-text' }, ` ${where}, ${verdictName}`),
    ),
  );
  $('moves').replaceChildren(item(0, 'Start'), ...moves);
  $('moves').children[focused]?.firstChild.focus();
  $('judged').textContent = view.graph[game.at].words;
}

/** The engine's name, as the server writes it. */
function opponentName() {
  return game.opponent[0].toUpperCase() + game.opponent.slice(1);
}

/** The games of this session with one opponent; nothing before one has ended. */
function scoreText() {
  const { won, lost, drawn } = tab.score;
  if (!won && !lost && !drawn) return '';
  const [you, other] = game.opponent === FRIEND ? ['X', 'O'] : ['you', opponentName()];
  return `Score: ${you} ${won}, ${other} ${lost}, draws ${drawn}`;
}

/** Begins to note a game; `unstored`: why it will not be stored, or empty. */
function record(unstored) {
  const { opponent, you, first } = game;
  if (opponent !== tab.score?.opponent) tab.score = { opponent, won: 0, lost: 0, drawn: 0 };
  tab.number += 1;
  tab.game = { opponent, you, first, began: Date.now(), moves: '', times: [], unstored, over: false };
}

/** Notes the game as it stands now, and when its last moves were made. */
function note() {
  const { times, began } = tab.game;
  while (times.length < game.moves.length) times.push(Math.max(times.at(-1) ?? 0, Date.now() - began, 0));
  tab.game.moves = game.moves;
  remember('sessionStorage', STORAGE_KEY, tab);
}

/** Counts and stores a game the first time that it ends, and says whether it is stored. */
async function store() {
  const ended = tab.game;
  if (!ended.over) {
    ended.over = true;
    tab.score[view.winner === null ? 'drawn' : view.winner === ended.you ? 'won' : 'lost'] += 1;
    ended.outcome = await sent(ended);
    remember('sessionStorage', STORAGE_KEY, tab);
  }
  if (ended !== tab.game) return;
  const link = element('a', { href: `/games/${ended.stored}` }, 'Look at it');
  $('stored').replaceChildren(ended.outcome ?? '', ' ', ended.stored ? link : '');
}

/** Stores a game where that can be done, and says what came of it. */
async function sent(ended) {
  if (ended.unstored) return ended.unstored;
  if (!mayChange) return 'Games from another computer are not stored.';
  const { opponent, first, moves, times } = ended;
  const { session, number } = tab;
  const played = { session, number, opponent, first: first === 'X', moves, times };
  try {
    const answer = await post('/api/games', played);
    ended.stored = answer.game;
    const but = answer.until_end ? `, but only until noughts ends: ${answer.until_end}` : '';
    return `Stored as game ${ended.stored}${but}.`;
  } catch (error) {
    return sentence(`This game is not stored: ${error.message}`);
  }
}

/** The game that the address names: a link, or this page loaded again. */
function resume() {
  const named = Object.fromEntries(new URLSearchParams(location.search));
  $('opponent').value = named.opponent ?? DEFAULT;
  const opponent = $('opponent').value || DEFAULT; // a link may name one that there is not
  const { you = null, first = 'X', position = null, moves = '', at = Infinity } = named;
  Object.assign(game, { opponent, you, first, position, moves, at });
  const fits = ['opponent', 'you', 'first', 'moves'].every((name) => tab.game?.[name] === game[name]);
  if (position) record('Games that start from a set-up position are not stored.');
  else if (!fits) record(moves && 'This game began in another tab or with a link, so it is not stored.');
  update();
}

document.addEventListener('keydown', (event) => {
  const key = event.key.toLowerCase();
  if ((event.ctrlKey || event.metaKey) && !event.altKey && 'zy'.includes(key)) {
    event.preventDefault();
    if (view && !waiting) goTo(key === 'y' || event.shiftKey ? view.redo : view.undo);
  }
});
for (const id of ['values', 'chances']) $(id).addEventListener('change', draw);
for (const id of ['opponent', 'first']) $(id).addEventListener('change', begin);
$('new').addEventListener('click', another);
$('slider').addEventListener('input', () => goTo(Number($('slider').value)));
$('undo').addEventListener('click', () => view && goTo(view.undo));
$('redo').addEventListener('click', () => view && goTo(view.redo));
await becomeThisTab();
resume();
