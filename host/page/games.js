// Games: those that boards have sent, kept in the browser; looked at, saved, opened, deleted.

import { boardPicture } from '../noughts/web/static/board.js';
import { $, element } from '../noughts/web/static/page.js';
import { gamesAsCsv } from './csv.js';
import { GameStore } from './game_store.js';
import { dateText, inEachLanguage, t } from './language.js';
import { LogError } from './data_log.js';
import { readLog, textOfBytes, withNameOfCopy, writeLog } from './log_files.js';
import { after, player, turn, wonCells } from './rules.js';

const MOST_BYTES = 1 << 26; // of a file that is opened
const SHOWN_AT_ONCE = 200;

const GAME_COLUMNS = ['game', 'when', 'players', 'result', 'moves', 'board'].map(
  (key) => `games.${key}`,
);
const RESULT_COLUMNS = ['board', 'count', 'wonA', 'wonB', 'draws'].map((key) => `games.${key}`);

let showsAll = false; // or only the newest games
let messages = []; // what was said last: the key of each text, and its values
const viewed = { game: null, at: 0 }; // the game that is stepped through, and after which move

/** The store, which other parts of the page add to. */
export const gameStore = GameStore.open();

export async function start() {
  $('open-file').addEventListener('click', () => $('log-file').click());
  $('log-file').addEventListener('change', () => {
    addFiles([...$('log-file').files]);
    $('log-file').value = ''; // the same file may be chosen once more
  });
  acceptDrops();
  onClick('save-log', ({ lines }) => save('noughts-games.log', 'text/plain', writeLog(lines)));
  onClick('save-csv', ({ games }) => save('noughts-games.csv', 'text/csv', gamesAsCsv(games)));
  onClick('delete-games', deleteGames);
  $('delete-games').addEventListener('blur', () => askToDelete(false));
  const store = await gameStore;
  $('show-all').addEventListener('click', () => {
    showsAll = true;
    draw(store);
    $('game-list').querySelector('.scroll').focus(); // the button is gone
  });
  store.onchange = () => {
    if (viewed.game && !store.lines.length) view(null); // another tab may have deleted all
    draw(store);
  };
  inEachLanguage(() => {
    draw(store);
    drawMessages();
    drawViewer();
  });
}

/** A button that does something with the store, also if it is pressed before the store is open. */
function onClick(id, action) {
  $(id).addEventListener('click', async () => {
    const store = await gameStore;
    if (store.games.length) await action(store);
    else say(['games.noneYet']);
  });
}

/** Shows these texts: the key of each, and its values. */
function say(...texts) {
  messages = texts;
  drawMessages();
}

function drawMessages() {
  $('games-status').textContent = messages.map((text) => t(...text)).join(t('join.sentences'));
}

/** Offers a file to the person, as the browser saves any other. */
export function save(name, type, content) {
  const address = URL.createObjectURL(new Blob([content], { type }));
  element('a', { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}

/** A file that is dropped anywhere on the page is opened; else it would take the page's place. */
function acceptDrops() {
  const mark = (isDragging) => document.body.classList.toggle('dragging', isDragging);
  document.addEventListener('dragover', (event) => {
    event.preventDefault();
    mark(true);
  });
  document.addEventListener('dragleave', (event) => event.relatedTarget ?? mark(false));
  document.addEventListener('drop', (event) => {
    event.preventDefault();
    mark(false);
    if (event.dataTransfer.files.length) {
      location.hash = 'games';
      addFiles([...event.dataTransfer.files]);
    }
  });
}

async function addFiles(files) {
  const texts = [];
  for (const file of files) {
    say(['games.reading', { file: file.name }]); // a long log takes a minute
    texts.push(...(await addFile(file)));
  }
  say(...texts);
}

/** Adds a file's games; returns what came of it as texts: the key of each, and its values. */
async function addFile(file) {
  const name = file.name;
  if (file.size > MOST_BYTES) return [['file.tooLarge', { file: name }]];
  try {
    const log = readLog(textOfBytes(new Uint8Array(await file.arrayBuffer())), name);
    const store = await gameStore;
    const count = await store.add(withNameOfCopy(log.lines, name, store.lines));
    return [['games.added', { file: name, count }], ...skippedTexts(log)];
  } catch (error) {
    if (error instanceof LogError) return [[error.key, { file: name }]];
    throw error;
  }
}

function skippedTexts({ skipped: rows, firstSkipped: line }) {
  if (!rows) return [];
  return [rows > 1 ? ['file.skippedRows', { rows, line }] : ['file.skippedRow', { line }]];
}

/** The first press asks, the second one deletes. */
async function deleteGames(store) {
  if ($('delete-games').dataset.t === 'games.delete') {
    askToDelete(true);
    return;
  }
  askToDelete(false);
  await store.deleteAll();
  say(['games.deleted']);
}

function askToDelete(isAsking) {
  $('delete-games').dataset.t = isAsking ? 'games.deleteSure' : 'games.delete';
  $('delete-games').textContent = t($('delete-games').dataset.t);
}

/** When a game was played, for sorting; a game of an unknown time comes last. */
const timeOf = ({ started, playedBefore }) => started ?? playedBefore ?? 0;

function draw(store) {
  $('not-kept').hidden = store.kept;
  $('disk-full').hidden = !store.isFull;
  const games = store.games.toSorted((a, b) => timeOf(b) - timeOf(a));
  $('game-list').replaceChildren(
    ...(games.length ? gameTable(games) : [element('p', {}, t('games.none'))]),
  );
  const isCut = !showsAll && games.length > SHOWN_AT_ONCE;
  $('more-games').hidden = !isCut;
  const counts = { shown: SHOWN_AT_ONCE, count: games.length };
  $('newest-games').textContent = isCut ? t('games.newest', counts) : '';
  $('by-board').replaceChildren(...(games.length ? resultTable(games) : []));
}

function gameTable(games) {
  const rows = games
    .slice(0, showsAll ? games.length : SHOWN_AT_ONCE)
    .map((game) => [
      gameButton(game),
      whenText(game),
      [...game.seats].map(seatText).join(' – '),
      t(`games.end.${game.end}`),
      game.moves.length,
      shortName(game.board),
    ]);
  return table('games.list', GAME_COLUMNS, rows);
}

function gameButton(game) {
  const label = t('games.show', { number: game.number });
  return element(
    'button',
    { type: 'button', 'aria-label': label, onclick: () => view(game) },
    game.number,
  );
}

function resultTable(games) {
  const boards = Map.groupBy(games, (game) => game.board);
  const rows = [...boards].map(([board, played]) => {
    const count = (end) => played.filter((game) => game.end === end).length;
    return [shortName(board), played.length, count('A'), count('B'), count('=')];
  });
  return table('games.byBoard', RESULT_COLUMNS, rows);
}

function table(caption, headings, rows) {
  const cells = (kind, values) =>
    values.map((value) => element(kind, kind === 'th' ? { scope: 'col' } : {}, value));
  const made = element(
    'table',
    {},
    element(
      'thead',
      {},
      element(
        'tr',
        {},
        ...cells(
          'th',
          headings.map((key) => t(key)),
        ),
      ),
    ),
    element('tbody', {}, ...rows.map((row) => element('tr', {}, ...cells('td', row)))),
  );
  const scroll = element(
    'div',
    { class: 'scroll', role: 'region', tabindex: 0, 'aria-label': t(caption) },
    made,
  );
  return [element('h2', {}, t(caption)), scroll];
}

function whenText({ started, playedBefore }) {
  if (started !== null) return dateText(started);
  return playedBefore === null
    ? t('games.unknown')
    : t('games.before', { when: dateText(playedBefore) });
}

/** A letter that this page does not know stands for itself: a level that only its board has. */
const seatText = (seat) => ('PEMH'.includes(seat) ? t(`games.seat.${seat}`) : seat);

/** A board's name without the digits that all micro:bits share. */
function shortName(board) {
  return /^usb-.{48}$/.test(board) ? `usb-…${board.slice(12, 28)}` : board;
}

/** Shows a game, to step through; or none. */
function view(game) {
  Object.assign(viewed, { game, at: game?.moves.length });
  drawViewer();
  $('viewer').querySelector('h2')?.focus();
}

function drawViewer() {
  const { game } = viewed;
  $('viewer').hidden = !game;
  $('viewer').replaceChildren(...(game ? viewerParts(game) : []));
}

function viewerParts(game) {
  const picture = element('div', {});
  const text = element('p', { role: 'status' });
  const slider = element('input', {
    type: 'range',
    min: 0,
    max: game.moves.length,
    value: viewed.at,
    'aria-label': t('games.step'),
  });
  const show = () => {
    viewed.at = Number(slider.value);
    showStep(game, viewed.at, { picture, text, slider });
  };
  const step = (by) => {
    slider.value = viewed.at + by;
    show();
  };
  slider.addEventListener('input', show);
  show();
  const button = (key, onclick) => element('button', { type: 'button', onclick }, t(key));
  const heading = element(
    'h2',
    { tabindex: -1 },
    t('games.heading', { number: game.number, result: t(`games.end.${game.end}`) }),
  );
  const row = element(
    'div',
    { class: 'row' },
    button('games.back', () => step(-1)),
    button('games.forward', () => step(1)),
    button('games.close', () => view(null)),
  );
  return [heading, picture, text, slider, row];
}

function showStep({ moves, first }, at, { picture, text, slider }) {
  const firstMark = first === 'A' ? 'X' : 'O';
  const marks = after(moves.slice(0, at), firstMark);
  const cell = at ? Number(moves[at - 1]) : null;
  text.textContent = at
    ? moveText(moves, at, after(moves.slice(0, at - 1), firstMark), firstMark)
    : t('games.atStart');
  slider.setAttribute('aria-valuetext', text.textContent);
  picture.replaceChildren(
    boardPicture({ marks, last: cell, line: wonCells(marks), title: text.textContent }),
  );
}

function moveText(moves, at, marksBefore, firstMark) {
  const mark = turn(marksBefore, firstMark);
  return t('games.atMove', {
    move: at,
    of: moves.length,
    player: player(mark),
    mark: mark === 'X' ? '✕' : '◯',
    where: t(`cell.${moves[at - 1]}`),
  });
}
