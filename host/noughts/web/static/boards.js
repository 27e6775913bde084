// Every board: virtual ones to play on, and real ones with the game that they send.

import { boardPicture } from './board.js';
import { follow } from './live.js';
import { microbit } from './microbit.js';
import { $, counted, element, signed } from './page.js';
import { post, showError } from './server.js';
import { Sound } from './sound.js';

const MAX_BYTES = 400_001; // bytes that are sent: a data log is shorter, and the server says so
let lastUsed = null; // the card that was used last: what happens there is announced

let stream = ''; // the server lets go of what this page holds when its stream ends

follow('/api/live?leds', $('boards'), (board) => new Card(board), (changed) => {
  if (changed.stream) stream = changed.stream;
  if (changed.doctor) showDoctor(changed.doctor);
});

let acted = Promise.resolve();

/** Sends actions in order, and never to a server that was restarted in the meantime. */
function act(what) {
  acted = acted.then(() => post('/api/boards', { ...what, stream }, false)).catch((error) => showError(error.message));
}

/** All about one board. */
class Card {
  sound = new Sound();

  constructor({ id, name, virtual, kind }) {
    this.root = $('card').content.firstElementChild.cloneNode(true);
    this.part = (selector) => this.root.querySelector(selector);
    this.parts = (selector) => this.root.querySelectorAll(selector);
    const actHere = (what) => act({ board: id, ...what });
    this.name = name;
    if (!virtual || !kind.endsWith('V2')) this.parts('.touch, .sound').forEach((part) => part.remove());
    else this.part('.sound').addEventListener('click', ({ target }) => this.switchSound(target));
    if (virtual) this.lightUp = microbit(this.part('.device'), name, actHere, (text) => this.say(text));
    else this.parts('.device, .device-clock').forEach((part) => part.remove());
    for (const button of this.parts('[data-do]')) {
      const what = { do: button.dataset.do };
      const flash = what.do === 'flash';
      button.addEventListener('click', async () => (!flash || (await mayFlash(this.name))) && actHere(what));
    }
    for (const event of ['focusin', 'pointerdown']) {
      this.root.addEventListener(event, () => (lastUsed = this));
    }
  }

  show(board) {
    const { name, headline, player, game, work } = board;
    this.name = name;
    this.root.setAttribute('aria-label', name);
    this.root.classList.toggle('away', !board.running);
    this.root.classList.toggle('v2', board.kind.endsWith('V2'));
    for (const part of this.parts('[data-text]')) part.textContent = board[part.dataset.text];
    this.part('.headline').className = `headline ${player && `of-${player.toLowerCase()}`}`;
    const controls = board.buttons.flatMap(([key, text]) => [element('dt', {}, key), element('dd', {}, text)]);
    this.part('dl').replaceChildren(...controls);
    this.part('.again').hidden = !board.ended;
    this.part('.picture').replaceChildren(boardPicture(game));
    for (const part of this.parts('.played')) part.hidden = !game.seats;
    if (game.seats) this.showGame(game);
    this.part('.lines').replaceChildren(
      ...board.lines.map(([kind, text]) => element('li', { class: kind }, text)).reverse(),
    );
    this.part('.nothing').hidden = board.lines.length > 0;
    this.part('.work').hidden = board.by_radio;
    if (work) this.showWork(work);
    this.announce(board);
  }

  /** Says the last move, whose turn it is, and what is new in the text below. */
  announce({ headline, about, game }) {
    const placed = game.marks !== this.marks && game.last != null;
    const mark = placed ? `${game.marks[game.last] === 'X' ? 'A' : 'B'} on ${game.last + 1}. ` : '';
    // A press on a taken cell: the LEDs answer with a cross.
    const taken = about.startsWith('X:') && this.lightUp?.cursor();
    const news = taken ? `Cell ${taken} is taken.` : about;
    const text = `${mark}${headline}.${news && news !== this.news ? ` ${news}` : ''}`;
    const changed = placed || headline !== this.headline || news !== this.news;
    Object.assign(this, { marks: game.marks, headline, news });
    if (changed) this.say(text);
  }

  say(text) {
    if (this === lastUsed) $('status').textContent = `${this.name}: ${text}`;
  }

  /** Who plays, and the score array: A's marks count +1 on their lines, B's −1. */
  showGame({ seats, about, scores }) {
    this.parts('.seat span').forEach((part, at) => (part.textContent = seats[at]));
    this.part('.game-about').textContent = about;
    this.parts('.scores td').forEach((cell, at) => {
      const [line, value] = scores[at];
      cell.className = { 2: 'number near', 3: 'number line' }[Math.abs(value)] ?? 'number';
      cell.title = line;
      cell.replaceChildren(element('span', { class: 'hidden-text' }, `${line} `), signed(value));
    });
  }

  /** How a task with the board goes on, or what came of it. */
  showWork({ done, total, lines, good, result }) {
    const busy = result === undefined;
    const bar = this.part('progress');
    for (const button of this.parts('.work button')) button.disabled = busy;
    if (busy) this.part('.more').open = true;
    bar.hidden = !busy;
    if (total) [bar.max, bar.value] = [total, done];
    else bar.removeAttribute('value');
    const text = busy ? '' : `${good ? '✓' : '✗'} ${result}`;
    const last = this.part('.result');
    last.className = `result ${good ? 'good' : 'bad'}`;
    if (last.textContent !== text) last.textContent = text;
    this.part('.log').replaceChildren(...lines.map((line) => element('li', {}, line)));
  }

  switchSound(button) {
    this.sound.switch(!this.sound.isOn);
    button.setAttribute('aria-pressed', this.sound.isOn);
    button.classList.toggle('primary', this.sound.isOn);
  }

  showLeds([levels, seconds, toneHz]) {
    this.lightUp(levels);
    this.sound.play(toneHz);
    const clock = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
    this.part('.clock').textContent = clock;
  }
}

/** Asks whether a board's stored games may go. */
function mayFlash(name) {
  const dialog = $('flashing');
  $('flashing-name').textContent = name;
  dialog.returnValue = '';
  dialog.showModal();
  return new Promise((answer) => {
    dialog.addEventListener('close', () => answer(dialog.returnValue === 'flash'), { once: true });
  });
}

$('check').addEventListener('click', () => act({ do: 'check' }));

function showDoctor({ doing, results }) {
  $('check').disabled = doing !== '';
  const wrong = results.flatMap(({ checks }) => checks).filter(({ good }) => !good).length;
  const ended = wrong ? `${counted(wrong, 'problem')} found.` : 'All is well.';
  $('checked').textContent = doing ? `Checking ${doing} …` : ended;
  $('found').replaceChildren(
    ...results.flatMap(({ name, checks }) => [
      element('h3', {}, name),
      element('ul', {}, ...checks.map(finding)),
    ]),
  );
}

function finding({ what, good, found, details }) {
  const item = element('li', { class: good ? 'good' : 'bad' });
  item.append(element('b', {}, `${good ? '✓' : '✗'} ${what}: `), found);
  if (details.length) item.append(element('pre', { class: 'scroll', tabindex: '0' }, details.join('\n')));
  return item;
}

$('log').addEventListener('change', () => {
  store([...$('log').files]);
  $('log').value = ''; // the same file may be chosen once more
});
// A file that is dropped anywhere else would take the place of the page.
document.addEventListener('dragover', (event) => event.preventDefault());
document.addEventListener('drop', (event) => {
  event.preventDefault();
  if (!$('may').disabled) store(event.dataTransfer.files);
});

async function store(files) {
  for (const file of files) {
    const line = element('li', {}, `Reading ${file.name} …`);
    $('stored').prepend(line);
    try {
      const address = `/api/logs?${new URLSearchParams({ name: file.name })}`;
      line.textContent = `✓ ${(await post(address, file.slice(0, MAX_BYTES))).text}`;
      line.className = 'good';
    } catch (error) {
      line.className = 'bad';
      line.textContent = `✗ ${error.message}`;
    }
  }
}
