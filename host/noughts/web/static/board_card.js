// All about one board, on the page Boards.

import { boardPicture } from './board.js';
import { element } from './elements.js';
import { marksWords } from './live.js';
import { Maintenance } from './maintenance.js';
import { Microbit } from './microbit.js';

const NO_GAME = { marks: '.........', line: [], opponents: 'no game yet' };

/** `act` gets what is done with a virtual board. `root` is the card. */
export class BoardCard {
  constructor(board, act) {
    this.board = board;
    this.name = element('h2');
    this.kind = element('p', { class: 'quiet' });
    this.words = element('div', { class: 'words' });
    this.game = element('div', { class: 'row game' });
    this.lines = element('ul', { class: 'lines', 'aria-label': 'What the board sent' });
    this.clock = element('span');
    this.facts = element('p', { class: 'quiet facts' });
    this.again = element('button', { type: 'button', hidden: true, onclick: () => act({ do: 'start' }) }, 'Start it again');
    this.work = new Maintenance(board.id);
    this.microbit = board.virtual ? new Microbit(board.name, act) : null;
    this.root = element(
      'article',
      { class: 'card' },
      element('div', { class: 'row card-head' }, this.name, this.kind),
      element(
        'div',
        { class: 'sides' },
        this.microbit && element('div', { class: 'device' }, this.microbit.root, this.microbit.controls),
        element('div', { class: 'now' }, this.words, this.again, this.game),
      ),
      element('h3', {}, 'What the board sent'),
      this.lines,
      this.facts,
      this.work.root,
    );
    this.show(board);
  }

  show(board) {
    this.board = board;
    this.name.textContent = board.name;
    this.root.setAttribute('aria-label', board.name);
    this.kind.textContent = `${board.virtual ? 'virtual ' : ''}micro:bit ${board.kind}`;
    this.root.classList.toggle('away', !board.running);
    this.again.hidden = !board.ended;
    this.words.replaceChildren(
      element('p', { class: `headline ${{ A: 'of-a', B: 'of-b' }[board.player] ?? ''}` }, board.headline),
      element('p', { class: 'about' }, board.about),
      element('dl', {}, ...board.buttons.flatMap(([key, does]) => [element('dt', {}, key), element('dd', {}, does)])),
    );
    this.game.replaceChildren(...gameParts(board));
    this.lines.replaceChildren(
      ...[...board.lines].reverse().map(([, kind, text]) => element('li', { class: kind }, ...lineParts(kind, text))),
    );
    this.work.show(board.work);
    this.work.root.hidden = board.by_radio;
    const facts = [
      board.firmware,
      board.release && `game ${board.release}`,
      board.controls && `played by ${board.controls}`,
      board.port,
    ].filter(Boolean);
    this.facts.replaceChildren(facts.join(' · '), board.virtual ? ' · device clock ' : '', this.clock);
  }

  showLeds([levels, ms]) {
    this.microbit?.show(levels);
    const seconds = Math.floor(ms / 1000);
    this.clock.textContent = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
  }

  allow(may) {
    this.microbit?.allow(may);
    this.again.disabled = !may;
    this.work.allow(may);
  }
}

function lineParts(kind, text) {
  return kind === 'noise' ? [element('span', { class: 'quiet' }, 'noise: '), text] : [text];
}

function gameParts(board) {
  const game = board.game ?? NO_GAME;
  const seats = board.game && [
    seat('A', 'of-a', '✕', game.seats[0]),
    seat('B', 'of-b', '◯', game.seats[1]),
    element('p', { class: 'quiet' }, game.end === '-' ? `game ${game.number}` : `game ${game.number}: ${game.result}`),
  ];
  return [
    boardPicture({ ...game, title: marksWords(game) }),
    element('div', {}, ...(seats ?? []), element('p', { class: 'quiet' }, board.score)),
    board.game && scoreArray(game.scores),
  ].filter(Boolean);
}

function seat(player, classes, mark, who) {
  return element('p', { class: 'seat' }, element('b', { class: classes }, `${player} ${mark}`), ` ${who}`);
}

/** The board's eight numbers: A's marks count +1 on their lines, B's −1. */
function scoreArray(scores) {
  const rows = [['Columns', 0, 3], ['Rows', 3, 6], ['Diagonals', 6, 8]];
  return element(
    'table',
    { class: 'scores' },
    element('caption', {}, 'Score of each line'),
    ...rows.map(([name, from, to]) =>
      element('tr', {}, element('th', { scope: 'row' }, name), ...scores.slice(from, to).map(number)),
    ),
  );
}

function number([line, value]) {
  const text = value > 0 ? `+${value}` : String(value).replace('-', '−');
  const classes = { 2: 'number near', 3: 'number line' }[Math.abs(value)] ?? 'number';
  return element('td', { class: classes, title: line }, element('span', { class: 'hidden-text' }, `${line} `), text);
}
