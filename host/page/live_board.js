// A board that is connected: what it sends is stored, and its game is shown live.

import { boardPicture } from '../noughts/web/static/board.js';
import { element } from '../noughts/web/static/page.js';
import { inEachLanguage, t } from './language.js';
import { Receiver } from './log_files.js';
import { after, turn, wonCells } from './rules.js';

const OPPONENTS = { P: 'live.friend', E: 'live.E', M: 'live.M', H: 'live.H', R: 'live.radio' };
const SEATS = { P: 'live.person', E: 'live.E', M: 'live.M', H: 'live.H' };
const MARKS = { A: '✕', B: '◯' };

export class LiveBoard {
  start = null; // its last `$NB`
  game = null; // the last sentence of the game that is being played
  menu = null; // its last `$NM`, if it is in the menu
  channel = ''; // a digit, while it plays another board by radio, or is about to
  recovered = new Set(); // the sentences of games that it had stored
  changed = 0; // counts everything that it sends

  #receiver;

  /** `board`: its name in the store, which gets its lines. */
  constructor(root, store, board) {
    Object.assign(this, { root, store });
    this.#receiver = new Receiver(board);
    this.opened();
    inEachLanguage(() => this.draw());
  }

  /** The board may have been reset, or have gone on without us. */
  opened() {
    Object.assign(this, { game: null, menu: null, channel: '' });
    this.store.add([this.#receiver.opened(Date.now())]);
  }

  /** Takes what the board has sent, one character for each byte. */
  feed(text) {
    const lines = this.#receiver.feed(text, Date.now()).filter(({ sentence }) => sentence);
    if (!lines.length) return;
    for (const line of lines) this.#take(line);
    this.store.add(lines);
    this.draw();
  }

  #take({ sentence, late }) {
    this.changed += 1;
    if (sentence.kind === 'boot') {
      Object.assign(this, { start: sentence, game: null, menu: null });
    } else if (sentence.kind === 'menu') {
      const { choice } = sentence;
      const channel = choice[0] === 'R' ? choice.slice(3, 4) : '';
      Object.assign(this, { game: null, menu: sentence, channel });
    } else if (late && !isSame(sentence, this.game)) {
      this.recovered.add(sentence.body);
    } else {
      Object.assign(this, { game: sentence, menu: null });
    }
  }

  draw() {
    const { start, game } = this;
    this.root.hidden = !this.changed;
    const name = start ? t('live.name', { version: start.hardware }) : 'micro:bit';
    const release = start ? t('live.release', { release: start.release }) : '';
    const text = [
      element('h2', {}, name),
      element('p', { class: 'quiet' }, release),
      ...(game ? gameTexts(game) : [element('p', { class: 'who' }, this.#menuText())]),
      ...(game && this.channel ? [element('p', {}, this.#playerText())] : []),
    ];
    this.root.replaceChildren(element('div', {}, gamePicture(game)), element('div', {}, ...text));
  }

  #menuText() {
    if (!this.menu) return t(this.channel ? 'live.found' : 'live.menuOnly');
    if (this.channel) return t('live.menuChannel', { channel: this.channel });
    const [letter, controls] = this.menu.choice;
    const opponent = letter in OPPONENTS ? t(OPPONENTS[letter]) : letter;
    return t(controls === 't' ? 'live.menuTilt' : 'live.menu', { opponent });
  }

  /** Of a game of two boards, which has the boot of player A's. */
  #playerText() {
    return t('live.player', { who: this.game.boot === this.start?.boot ? 'A' : 'B' });
  }
}

const isSame = (one, game) => game?.boot === one.boot && game.number === one.number;

function gamePicture(game) {
  const firstMark = game?.first === 'B' ? 'O' : 'X';
  const marks = after(game?.moves ?? '', firstMark);
  const last = game?.moves ? Number(game.moves.at(-1)) : null;
  return boardPicture({ marks, last, line: wonCells(marks), title: t('board') });
}

function gameTexts({ number, seats, first, moves, end }) {
  const [a, b] = [...seats].map((seat) => (seat in SEATS ? t(SEATS[seat]) : seat));
  return [
    element('p', { class: 'who' }, stateText(first, moves, end)),
    element('p', {}, `${t('live.game', { number })}. ${t('live.players', { a, b })}`),
  ];
}

function stateText(first, moves, end) {
  if (end === '=') return t('live.draw');
  if (end === 'x') return t('live.abandoned');
  const firstMark = first === 'A' ? 'X' : 'O';
  const mover = turn(after(moves, firstMark), firstMark) === 'X' ? 'A' : 'B';
  const who = end === '-' ? mover : end;
  return t(end === '-' ? 'live.turn' : 'live.won', { who, mark: MARKS[who] });
}
