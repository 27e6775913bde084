// Play: against a friend on the same screen, or against the chip. As on the board, a person is X,
// and the player who begins changes from game to game.

import { Board } from '../noughts/web/static/board.js';
import { $ } from '../noughts/web/static/page.js';
import { choose } from './chip.js';
import { inEachLanguage, t } from './language.js';
import { after, freeCells, isOver, other, turn, winner, wonCells } from './rules.js';
import { bestMoves, movesUntilEnd, scoreOfMove } from './solver.js';

const FRIEND = 'friend';
const REPLY_MS = 400; // so that a person sees the chip's move

const game = {}; // `opponent`, `first`, `moves`, `counted`: see `begin`
const score = { X: 0, O: 0, draws: 0 };
let reply = null; // the timer of the chip's move
let takenCell = null; // the last click was on it

export function start() {
  const board = new Board($('play-board'), play, { taken });
  listenEverywhere(board, $('play'));
  $('undo').addEventListener('click', undo);
  $('new-game').addEventListener('click', nextGame);
  $('opponent').addEventListener('change', () => {
    Object.assign(score, { X: 0, O: 0, draws: 0 });
    begin('X');
  });
  for (const id of ['show-best', 'show-worth']) $(id).addEventListener('change', () => draw(board));
  game.draw = () => draw(board);
  begin('X');
  inEachLanguage(game.draw);
}

/** Lets the keys 1 to 9 play wherever the focus is, while this part of the page is shown. */
export function listenEverywhere(board, part) {
  document.addEventListener('keydown', (event) => {
    if (!part.hidden && !event.target.closest('.board')) board.press(event);
  });
}

const marksOf = () => after(game.moves, game.first);
const againstChip = () => game.opponent !== FRIEND;

function isPersonsTurn(marks) {
  return !isOver(marks) && !(againstChip() && turn(marks, game.first) === 'O');
}

/** A game in which this side moves first. */
function begin(first) {
  clearTimeout(reply);
  Object.assign(game, { opponent: $('opponent').value, first, moves: '', counted: false });
  goOn();
}

function nextGame() {
  begin(isOver(marksOf()) ? other(game.first) : game.first);
}

function play(cell) {
  game.moves += cell;
  goOn();
}

/** Shows the game, and lets the chip move if it is to move. */
function goOn() {
  takenCell = null;
  const marks = marksOf();
  count(marks);
  game.draw();
  if (isOver(marks) || isPersonsTurn(marks)) return;
  reply = setTimeout(() => play(choose(marks, 'O', game.opponent)), REPLY_MS);
}

/** A game counts once, the first time that it ends. */
function count(marks) {
  if (!isOver(marks) || game.counted) return;
  game.counted = true;
  score[winner(marks) ?? 'draws'] += 1;
}

/** Takes back a move; against the chip, back to the person's last turn. */
function undo() {
  clearTimeout(reply);
  do game.moves = game.moves.slice(0, -1);
  while (game.moves && !isPersonsTurn(marksOf()));
  goOn();
  if ($('undo').disabled) $('new-game').focus();
}

function taken(cell) {
  takenCell = cell;
  game.draw();
}

function canUndo() {
  const chipBegan = againstChip() && game.first === 'O';
  return game.moves.length > (chipBegan ? 1 : 0);
}

function draw(board) {
  const marks = marksOf();
  const playable = isPersonsTurn(marks);
  const hints = playable ? hintsFor(marks) : { labels: {}, grounds: {}, names: {} };
  board.show({
    marks,
    names: cellNames(marks).map((name, cell) =>
      [name, hints.names[cell]].filter(Boolean).join(t('join.parts')),
    ),
    playable,
    last: game.moves ? Number(game.moves.at(-1)) : null,
    line: wonCells(marks),
    labels: hints.labels,
    grounds: hints.grounds,
  });
  $('play-headline').textContent = headline(marks);
  $('play-headline').classList.toggle('result', isOver(marks));
  $('play-remark').textContent = remark(marks);
  $('score').textContent = scoreText();
  $('undo').disabled = !canUndo();
}

/** Each cell's name for screen readers. */
export function cellNames(marks) {
  return [...marks].map((mark, cell) => {
    const what = mark === '.' ? t('cell.free') : mark;
    return t('cell.name', { number: cell + 1, where: t(`cell.${cell}`), what });
  });
}

function headline(marks) {
  const won = winner(marks);
  const mover = turn(marks, game.first);
  if (won)
    return againstChip()
      ? t(won === 'X' ? 'play.youWon' : 'play.chipWon')
      : t('play.won', { who: won });
  if (isOver(marks)) return t('play.draw');
  if (!againstChip()) return t('play.turn', { who: mover });
  return t(mover === 'X' ? 'play.yourTurn' : 'play.chipThinks');
}

function remark(marks) {
  if (takenCell !== null) return t('play.taken', { number: takenCell + 1 });
  if (isOver(marks)) return t('play.again', { who: whoBegins(other(game.first)) });
  const chipMoved = againstChip() && game.moves && isPersonsTurn(marks);
  if (!chipMoved) return game.moves ? '' : t('play.begins', { who: whoBegins(game.first) });
  const cell = Number(game.moves.at(-1));
  return t('play.chipPlays', { number: cell + 1, where: t(`cell.${cell}`) });
}

function whoBegins(mark) {
  return againstChip() ? t(mark === 'X' ? 'you' : 'chip') : mark;
}

function scoreText() {
  const [one, two] = againstChip() ? [t('you'), t('chip')] : ['X', 'O'];
  return t('play.score', { one, two, x: score.X, o: score.O, draws: score.draws });
}

/** What each free cell is worth, and a ring on the best moves, as far as they are asked for. */
function hintsFor(marks) {
  const hints = { labels: {}, grounds: {}, names: {} };
  const mover = turn(marks, game.first);
  const best = $('show-best').checked ? bestMoves(marks, mover) : [];
  for (const cell of freeCells(marks)) {
    const texts = [];
    if ($('show-worth').checked) {
      hints.labels[cell] = valueText(scoreOfMove(marks, mover, cell));
      texts.push(hints.labels[cell]);
    }
    if (best.includes(cell)) {
      hints.grounds[cell] = 'best';
      texts.push(t('cell.best'));
    }
    hints.names[cell] = texts.join(t('join.parts'));
  }
  return hints;
}

/** `win in 3`, `draw`, `loss in 2`. */
export function valueText(ofMove) {
  if (ofMove === 0) return t('worth.draw');
  return t(ofMove > 0 ? 'worth.win' : 'worth.loss', { moves: movesUntilEnd(ofMove) });
}
