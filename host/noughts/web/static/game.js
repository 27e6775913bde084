// Steps through a game. What it shows is in the page.

import { Board } from './board.js';
import { showGraph } from './graph.js';
import { $, commonValue, element, signed, view } from './page.js';
import { Stepper } from './stepper.js';

const { steps, thought_ms } = view;
const board = new Board($('board'), () => {});
// As fast as it was played, but nobody waits long.
const shownMs = (at) => Math.min(Math.max(thought_ms[at] ?? 1000, 400), 3000);
const stepper = new Stepper(steps.length - 1, show, shownMs);
const rows = document.querySelectorAll('#moves tbody tr');

function show(at) {
  const step = steps[at];
  const valueWords = $('show-values').checked ? step.value_words : {};
  const sharedValue = commonValue(Object.values(valueWords)); // written once, not in each cell
  const names = step.names.map((name, cell) => (valueWords[cell] ? `${name}; ${valueWords[cell]} with best play` : name));
  const labels = sharedValue ? {} : valueWords;
  board.show({ ...step, last: step.cell, names, labels, grounds: labels });
  $('level').hidden = !sharedValue;
  $('level').querySelector('b').textContent = sharedValue;
  for (const part of document.querySelectorAll('.score')) {
    const [, score] = step.scores[part.dataset.line];
    part.lastElementChild.textContent = signed(score);
    part.classList.toggle('full', Math.abs(score) > 1);
  }
  const sentences = [step.made, step.words, step.ending].filter(Boolean);
  $('sentences').replaceChildren(...sentences.map((text) => element('p', {}, text)));
  $('try').hidden = !step.next;
  $('try').href = `/?position=${step.marks}${view.first === 'O' ? '&first=O' : ''}`;
  showGraph(steps, at);
  rows.forEach((row, ply) => row.setAttribute('aria-current', ply + 1 === at ? 'step' : 'false'));
}

rows.forEach((row, ply) => {
  const hidden = element('span', { class: 'hidden-text' }, 'Show move ');
  const click = () => stepper.stopAt(ply + 1);
  row.cells[0].replaceChildren(element('button', { type: 'button', onclick: click }, hidden, ply + 1));
});
$('show-values').addEventListener('change', () => show(stepper.at));
document.querySelectorAll('.stepper').forEach((part) => (part.hidden = false));
stepper.go(0);
