// A micro:bit on the screen: a V1 that runs the very flash image that goes onto real boards. Two of
// them are in radio contact.

import { Ether, loadCore, Microbit, play } from '../microbit_emulator/core/microbit.js';
import { $ } from '../noughts/web/static/page.js';
import { microbit } from '../noughts/web/static/microbit.js';
import { gameStore } from './games.js';
import { flashImage, unpacked } from './hex.js';
import { inEachLanguage, t } from './language.js';
import { LiveBoard } from './live_board.js';
import { textOfBytes } from './log_files.js';

const MODEL = 'V1';
const TILT_MG = 600;
const LEVEL_MG = -1000; // z, of a board that lies on a table
const TAP_MS = 120;
const NUDGE_MS = 300;

const boards = []; // ScreenBoard
let stop = null; // ends the run in real time
let core = null;

export function start() {
  $('switch-on').addEventListener('click', addBoard);
  $('second-board').addEventListener('click', addBoard);
  const part = $('screen_board');
  new MutationObserver(runWhileShown).observe(part, { attributeFilter: ['hidden'] });
  startSensor();
}

async function addBoard() {
  core ??= await loadCore(await unpacked($('core')));
  boards.push(await ScreenBoard.make(boards.length + 1));
  $('switch-on').hidden = true;
  $('second-board').hidden = boards.length > 1;
  runWhileShown();
}

/** Runs the boards in real time, but not while another part of the page is shown. */
function runWhileShown() {
  stop?.();
  stop = null;
  if ($('screen_board').hidden || !boards.length) return;
  stop = play(boards.length > 1 ? ether() : boards[0].board, () =>
    boards.forEach((board) => board.show()),
  );
}

let air = null; // of both boards

function ether() {
  air ??= new Ether({ first: boards[0].board, second: boards[1].board }, { attenuation: 60 });
  return air;
}

class ScreenBoard {
  static async make(number) {
    const { flash, uicr } = await flashImage(MODEL);
    const seed = crypto.getRandomValues(new Uint32Array(1))[0] >>> 1;
    return new ScreenBoard(
      number,
      new Microbit(core, MODEL, { flash, uicr, seed }),
      await gameStore,
    );
  }

  #shown = ''; // the LEDs
  #pressedUs = {}; // by button

  constructor(number, board, store) {
    this.board = board;
    this.root = $('device').content.firstElementChild.cloneNode(true);
    const live = this.root.querySelector('.live');
    this.live = new LiveBoard(live, store, `screen-${number}`, () => {});
    const device = this.root.querySelector('.device');
    const act = (what) => this.act(what);
    this.lightUp = microbit(device, `micro:bit ${number}`, act, () => {});
    this.root.querySelector('.reset').addEventListener('click', () => board.reset());
    $('screen-boards').append(this.root);
    inEachLanguage(() => this.translate(number));
  }

  translate(number) {
    for (const part of this.root.querySelectorAll('[data-t]')) part.textContent = t(part.dataset.t);
    for (const part of this.root.querySelectorAll('[data-t-label]')) {
      part.setAttribute('aria-label', t(part.dataset.tLabel, { number }));
    }
  }

  /** What a person does with it: `press`, `release`, `tap`, `tilt`, `nudge`. */
  act({ do: what, buttons, x, y }) {
    const after = (ms, action) => setTimeout(() => this.act(action), ms);
    if (what === 'tap') after(TAP_MS, { do: 'release', buttons });
    if (what === 'nudge') after(NUDGE_MS, { do: 'tilt', x: 0, y: 0 });
    if (what === 'release') this.release(buttons);
    else for (const button of buttons ?? '') this.press(button);
    if (x !== undefined) this.board.tilt(x * TILT_MG, y * TILT_MG, LEVEL_MG);
  }

  press(button) {
    this.#pressedUs[button] = this.board.clockUs;
    this.board.press(button);
  }

  /** Releases buttons, but not before the board has noticed that they were pressed. */
  release(buttons) {
    const pressedUs = Math.max(...[...buttons].map((button) => this.#pressedUs[button] ?? 0));
    const heldMs = (this.board.clockUs - pressedUs) / 1000;
    setTimeout(() => [...buttons].forEach((button) => this.board.release(button)), TAP_MS - heldMs);
  }

  show() {
    const sent = this.board.receive();
    if (sent.length) this.live.feed(textOfBytes(sent));
    const levels = this.board.leds().join('');
    if (levels !== this.#shown) this.lightUp((this.#shown = levels));
  }
}

/** Lets the sensor of a phone tilt the boards. */
function startSensor() {
  $('sensor').hidden = !(
    'DeviceOrientationEvent' in window && matchMedia('(pointer: coarse)').matches
  );
  $('sensor').addEventListener('click', async () => {
    const answer = await DeviceOrientationEvent.requestPermission?.();
    if (answer === 'denied') return;
    $('sensor').hidden = true;
    addEventListener('deviceorientation', ({ beta, gamma }) => {
      const [x, y] = [gamma, beta].map((degrees) => 1000 * Math.sin((degrees * Math.PI) / 180));
      for (const { board } of boards) board.tilt(Math.round(x), Math.round(y), LEVEL_MG);
    });
  });
}
