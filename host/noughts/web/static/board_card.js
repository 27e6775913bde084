// All about one board, on the page Boards.

import { boardPicture } from './board.js';
import { element } from './elements.js';
import { Microbit } from './microbit.js';

const template = document.getElementById('card');

/** `act` gets what is done with the board, as `controls.py` takes it. `root` is the card. */
export class BoardCard {
  constructor(board, act) {
    this.root = template.content.firstElementChild.cloneNode(true);
    this.part = (selector) => this.root.querySelector(selector);
    if (board.virtual) this.microbit = new Microbit(this.part('.device'), board.name, act);
    else this.part('.device').remove();
    for (const button of this.root.querySelectorAll('[data-do]')) {
      button.addEventListener('click', () => act({ do: button.dataset.do }));
    }
  }

  show(board) {
    const write = (selector, text) => (this.part(selector).textContent = text);
    this.root.setAttribute('aria-label', board.name);
    this.root.classList.toggle('away', !board.running);
    write('h2', board.name);
    write('.kind', board.kind);
    write('.headline', board.headline);
    this.part('.headline').className = `headline ${{ A: 'of-a', B: 'of-b' }[board.player] ?? ''}`;
    write('.about', board.about);
    const does = board.buttons.flatMap(([key, text]) => [element('dt', {}, key), element('dd', {}, text)]);
    this.part('dl').replaceChildren(...does);
    this.part('.again').hidden = !board.ended;
    this.part('.game').replaceChildren(...gameParts(board));
    const lines = board.lines.map(([kind, text]) =>
      element('li', { class: kind }, kind === 'noise' && element('span', { class: 'quiet' }, 'noise: '), text),
    );
    this.part('.lines').replaceChildren(...lines.reverse());
    write('.known', board.facts + (board.virtual ? ' · device clock ' : ''));
    this.part('.work').hidden = board.by_radio;
    if (board.work) this.showWork(board.work);
  }

  /** How a task with the board goes on, or what came of it. */
  showWork({ what, doing, done, total, lines, good, result }) {
    const busy = result === undefined;
    const bar = this.part('progress');
    for (const button of this.root.querySelectorAll('.work button')) button.disabled = busy;
    if (busy) this.part('.work').open = true;
    bar.hidden = !busy;
    bar.setAttribute('aria-label', { update: 'Update', flash: 'Flash' }[what]);
    if (total) [bar.max, bar.value] = [total, done];
    else bar.removeAttribute('value');
    this.part('.doing').textContent = busy ? doing : '';
    const text = busy ? '' : `${good ? '✓' : '✗'} ${result}`;
    const last = this.part('.result');
    last.className = `result ${good ? 'good' : 'bad'}`;
    if (last.textContent !== text) last.textContent = text;
    this.part('.log').replaceChildren(...lines.map((line) => element('li', {}, line)));
  }

  showLeds([levels, seconds]) {
    this.microbit?.show(levels);
    const clock = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
    this.part('.clock').textContent = clock;
  }
}

function gameParts({ game, score }) {
  const seat = (player, mark, who) =>
    element('p', { class: 'seat' }, element('b', { class: `of-${player.toLowerCase()}` }, `${player} ${mark}`), ` ${who}`);
  const quiet = (text) => element('p', { class: 'quiet' }, text);
  const picture = boardPicture(game);
  if (!game.seats) return [picture, element('div', {}, quiet(score))];
  const seats = [seat('A', '✕', game.seats[0]), seat('B', '◯', game.seats[1])];
  const about = element('div', {}, ...seats, quiet(game.about), quiet(score));
  return [picture, about, scoreArray(game.scores)];
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
