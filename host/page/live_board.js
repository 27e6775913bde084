// A board that is connected: what it sends is stored, and its game is shown live.

import { boardPicture } from '../noughts/web/static/board.js';
import { element } from '../noughts/web/static/page.js';
import { inEachLanguage, t } from './language.js';
import { Receiver } from './log_files.js';
import { after, wonCells } from './rules.js';

const OPPONENTS = { P: 'live.friend', E: 'live.E', M: 'live.M', H: 'live.H', R: 'live.radio' };
const SEATS = { P: 'live.person', E: 'live.E', M: 'live.M', H: 'live.H' };
const MARKS = { A: '✕', B: '◯' };
// What the LEDs show while two boards play by radio: a question mark, and a house.
const PICTURES = {
  '0111010001001100000000100': 'live.silent',
  '0010001110111110111001010': 'live.leaving',
};

export class LiveBoard {
  start = null; // its last `$NB`
  game = null; // the last sentence of the game that is being played
  menu = null; // its last `$NM`, if it is in the menu
  channel = ''; // a digit, while it plays another board by radio, or is about to
  player = ''; // in such a game: this board's, A or B
  restarts = false; // its last start followed such a game
  ledsKey = ''; // of the text that its LEDs add to what it sends
  recovered = new Set(); // the sentences of games that it had stored
  changed = 0; // counts everything that it sends

  #receiver;
  #isClosed = false;
  #lastMatch = { boot: '', player: '' }; // of two boards: its games' boot, this board's player

  /** `board`: its name in the store, which gets its lines. */
  constructor(root, store, board) {
    Object.assign(this, { root, store });
    this.#receiver = new Receiver(board);
    this.opened();
    inEachLanguage(() => this.draw());
  }

  /** The board may have been reset, or have gone on without us. */
  opened() {
    Object.assign(this, { game: null, menu: null, channel: '', player: '' });
    this.store.add([this.#receiver.opened(Date.now())]);
  }

  /** It is no longer connected, and not shown. */
  close() {
    this.#isClosed = true;
    this.root.hidden = true;
  }

  /** Takes what the board has sent, one character for each byte. */
  feed(text) {
    const lines = this.#receiver.feed(text, Date.now()).filter(({ sentence }) => sentence);
    if (!lines.length) return;
    for (const line of lines) this.#take(line);
    this.store.add(lines);
    this.draw();
  }

  /** Takes the 25 levels of its LEDs, as digits. They say how it stands with the other board. */
  see(levels) {
    const lit = levels.replace(/[1-9]/g, '1');
    const lights = lit.replaceAll('0', '').length;
    if (!this.channel || !lights) return; // they are dark while a button is pressed
    // The light that goes round; a channel's digit has more.
    const key = this.menu ? (lights === 1 ? 'live.looking' : '') : PICTURES[lit] ?? '';
    if (key === this.ledsKey) return;
    this.ledsKey = key;
    this.draw();
  }

  #take({ sentence, late }) {
    this.changed += 1;
    this.ledsKey = '';
    if (sentence.kind === 'boot') {
      this.#takeStart(sentence);
    } else if (sentence.kind === 'menu') {
      const { choice } = sentence;
      const channel = choice[0] === 'R' ? choice.slice(3, 4) : '';
      Object.assign(this, { game: null, menu: sentence, channel, player: '' });
    } else if ((late && !isSame(sentence, this.game)) || isBefore(sentence, this.game)) {
      this.recovered.add(sentence.body);
    } else {
      Object.assign(this, { game: sentence, menu: null, player: this.#playerOf(sentence) });
    }
  }

  /** A board resets itself when it has found another one, and when it leaves its game. */
  #takeStart(start) {
    const restarts = this.channel !== '' && this.game !== null;
    const channel = restarts ? '' : this.channel;
    Object.assign(this, { start, game: null, menu: null, player: '', channel, restarts });
  }

  /** Of a game of two boards, which has the boot of player A's; also after a reset. */
  #playerOf({ boot }) {
    const isSameMatch = boot === this.#lastMatch.boot;
    if (!this.channel && !isSameMatch) return '';
    const player = boot === this.start?.boot ? 'A' : 'B';
    if (!isSameMatch) this.#lastMatch = { boot, player };
    return this.#lastMatch.player;
  }

  draw() {
    if (this.#isClosed) return;
    const { start, game } = this;
    this.root.hidden = !this.changed;
    const name = start ? t('live.name', { version: start.hardware }) : 'micro:bit';
    const release = start ? t('live.release', { release: start.release }) : '';
    const text = [
      element('h2', {}, name),
      element('p', { class: 'quiet' }, release),
      element('p', { class: 'who' }, this.#situationText()),
      ...(game ? [element('p', {}, gameText(game))] : []),
      ...(this.player ? [element('p', {}, t('live.player', { who: this.player }))] : []),
    ];
    this.root.replaceChildren(element('div', {}, gamePicture(game)), element('div', {}, ...text));
  }

  #situationText() {
    if (this.ledsKey) return t(this.ledsKey, { channel: this.channel });
    return this.game ? stateText(this.game) : this.#menuText();
  }

  #menuText() {
    if (!this.menu && this.restarts) return t('live.starting');
    if (!this.menu) return t(this.channel ? 'live.found' : 'live.menuOnly');
    if (this.channel) return t('live.menuChannel', { channel: this.channel });
    const [letter, controls] = this.menu.choice;
    const opponent = letter in OPPONENTS ? t(OPPONENTS[letter]) : letter;
    return t(controls === 't' ? 'live.menuTilt' : 'live.menu', { opponent });
  }
}

const isSame = (one, game) => game?.boot === one.boot && game.number === one.number;
/** A board that was reset in a match has lost its match's boot: it resends its games as if new. */
const isBefore = (one, game) => game?.boot === one.boot && one.number < game.number;

function gamePicture(game) {
  const firstMark = game?.first === 'B' ? 'O' : 'X';
  const marks = after(game?.moves ?? '', firstMark);
  const last = game?.moves ? Number(game.moves.at(-1)) : null;
  return boardPicture({ marks, last, line: wonCells(marks), title: t('board') });
}

function gameText({ number, seats }) {
  const [a, b] = [...seats].map((seat) => (seat in SEATS ? t(SEATS[seat]) : seat));
  return t('live.game', { number, a, b });
}

function stateText({ first, moves, end }) {
  if (end === '=') return t('live.draw');
  if (end === 'x') return t('live.abandoned');
  const isFirstToMove = moves.length % 2 === 0;
  const mover = isFirstToMove === (first === 'A') ? 'A' : 'B';
  const who = end === '-' ? mover : end;
  return t(end === '-' ? 'live.turn' : 'live.won', { who, mark: MARKS[who] });
}
