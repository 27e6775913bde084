// A micro:bit on the screen: a V1 that runs the very flash image that goes onto real boards. Two of
// them are in radio contact.

import { Ether, loadCore, Microbit } from '../microbit_emulator/core/microbit.js';
import { $ } from '../noughts/web/static/page.js';
import { microbit } from '../noughts/web/static/microbit.js';
import { gameStore } from './games.js';
import { flashImage, unpacked } from './hex.js';
import { inEachLanguage, t, translate } from './language.js';
import { LedCanvas } from './led_canvas.js';
import { LiveBoard } from './live_board.js';
import { textOfBytes } from './log_files.js';

const MODEL = 'V1';
const TILT_MG = 600;
const LEVEL_MG = -1000; // z, of a board that lies on a table
const TAP_US = 100_000; // a button stays pressed, or released, at least so long: a board notices
const MOVED_MG = 100; // so much is a movement of the phone
const NUDGE_US = 300_000;
// The fewer runs, the less they cost. With nobody at the boards they are far apart, and what the
// LEDs show is drawn as much later, as evenly as the board shows it.
const RUN_MS = { idle: 120, prompt: 30 };
const PROMPT_MS = 1000; // after the last press or tilt
const PICTURE_US = 10_000; // how often the LEDs are looked at
const MOST_US = 200_000; // of a run: after a longer pause, boards go on from where they were

const boards = []; // ScreenBoard
let chosen = null; // the one that gets the keys
let realTime = null; // RealTime, while they run
let core = null;

export function start() {
  $('switch-on').addEventListener('click', addBoard);
  $('second-board').addEventListener('click', addBoard);
  const part = $('screen_board');
  new MutationObserver(runWhileShown).observe(part, { attributeFilter: ['hidden'] });
  startSensor();
  inEachLanguage(showChosen);
}

async function addBoard() {
  core ??= await loadCore(await unpacked($('core')));
  const board = await ScreenBoard.make(boards.length + 1);
  boards.push(board);
  $('switch-on').hidden = true;
  $('second-board').hidden = boards.length > 1;
  $('screen-boards').classList.toggle('two', boards.length > 1);
  runWhileShown();
  choose(board);
  board.focus();
  $('screen-boards').scrollIntoView({ block: 'nearest' });
}

function choose(board) {
  chosen = board;
  showChosen();
}

/** Shows which board gets the keys, and says so. */
function showChosen() {
  for (const board of boards) board.root.classList.toggle('chosen', board === chosen);
  const key = boards.length > 1 ? 'screen.keysOfTwo' : 'screen.keys';
  $('screen-keys').hidden = !chosen;
  $('screen-keys').textContent = chosen ? t(key, { name: chosen.name }) : '';
}

/** Runs the boards in real time, but not while another part of the page is shown. */
function runWhileShown() {
  realTime?.stop();
  realTime = null;
  if ($('screen_board').hidden || !boards.length) return;
  realTime = new RealTime(boards.length > 1 ? ether() : boards[0].board);
}

/**
 * Runs a board, or two, by a timer: for animation frames, the browser would draw the page 60 times
 * a second, changed or not. A page that was hidden goes on from where it was.
 */
class RealTime {
  #runner;
  #timer = null;
  #lastMs = performance.now();
  #promptUntilMs = performance.now() + PROMPT_MS;

  constructor(runner) {
    this.#runner = runner;
    this.#run();
  }

  stop() {
    clearTimeout(this.#timer);
  }

  /** Brings the boards up to now, and shows for a while at once what they do. */
  hurry() {
    this.#promptUntilMs = performance.now() + PROMPT_MS;
    this.#run();
  }

  #run() {
    clearTimeout(this.#timer);
    const nowMs = performance.now();
    let waitMs = nowMs < this.#promptUntilMs ? RUN_MS.prompt : RUN_MS.idle;
    if (!document.hidden) {
      this.#runUntil(nowMs);
      const delayMs = waitMs === RUN_MS.idle ? RUN_MS.idle : 0;
      const nextMs = boards.map((board) => board.show(nowMs - delayMs) + delayMs);
      waitMs = Math.max(0, Math.min(waitMs, ...nextMs.map((ms) => ms - nowMs)));
    }
    this.#lastMs = nowMs;
    this.#timer = setTimeout(() => this.#run(), waitMs);
  }

  #runUntil(nowMs) {
    let leftUs = Math.min(1000 * (nowMs - this.#lastMs), MOST_US);
    while (leftUs > 0) {
      const us = Math.min(leftUs, PICTURE_US);
      this.#runner.runFor(us);
      leftUs -= us;
      for (const board of boards) board.look(nowMs - leftUs / 1000);
    }
  }
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

  #pictures = []; // of the LEDs that are not shown yet: [when, 25 levels]
  #seen = ''; // the newest
  #todo = []; // what is to be done with the board: [when, in device time; action]
  #freeUs = {}; // by button: before this time it does not change

  constructor(number, board, store) {
    this.board = board;
    this.root = $('device').content.firstElementChild.cloneNode(true);
    const live = this.root.querySelector('.live');
    this.live = new LiveBoard(live, store, `screen-${number}`);
    const device = this.root.querySelector('.device');
    const act = (what) => this.act(what);
    this.name = `micro:bit ${number}`;
    this.root.querySelector('.name').prepend(this.name);
    $('screen-boards').append(this.root);
    const leds = new LedCanvas(this.root.querySelector('.leds'));
    this.lightUp = microbit(device, this.name, act, () => {}, {
      draw: (levels) => leds.draw(levels),
      words: (key, values) => t(`leds.${key}`, values),
      keys: document,
      takesKeys: () => this === chosen && !$('screen_board').hidden,
    });
    for (const event of ['focusin', 'pointerdown']) {
      this.root.addEventListener(event, () => choose(this));
    }
    this.root.querySelector('.reset').addEventListener('click', () => board.reset());
    translate(this.root);
  }

  focus() {
    this.root.querySelector('.microbit').focus({ preventScroll: true });
  }

  /** What a person does with it: `press`, `release`, `tap`, `tilt`, `nudge`. */
  act({ do: what, buttons = '', x, y }) {
    realTime?.hurry();
    for (const button of buttons) {
      if (what !== 'release') this.#change(button, 'press');
      if (what !== 'press') this.#change(button, 'release');
    }
    if (x !== undefined) this.board.tilt(x * TILT_MG, y * TILT_MG, LEVEL_MG);
    if (what === 'nudge') {
      this.#at(this.board.clockUs + NUDGE_US, () => this.board.tilt(0, 0, LEVEL_MG));
    }
  }

  #change(button, what) {
    const us = Math.max(this.board.clockUs, this.#freeUs[button] ?? 0);
    this.#freeUs[button] = us + TAP_US;
    this.#at(us, () => this.board[what](button));
  }

  #at(us, action) {
    this.#todo.push([us, action]);
    this.#doWhatIsDue();
  }

  #doWhatIsDue() {
    const isDue = ([us]) => us <= this.board.clockUs;
    const due = this.#todo.filter(isDue);
    this.#todo = this.#todo.filter((one) => !isDue(one));
    for (const [, action] of due) action();
  }

  /** Has run until then: does what is due, and sees its LEDs. */
  look(ms) {
    this.#doWhatIsDue();
    const levels = this.board.leds().join('');
    if (levels === this.#seen) return;
    this.#seen = levels;
    this.#pictures.push([ms, levels]);
  }

  /** Shows what was sent, and the LEDs as they were then. Gives when they next changed. */
  show(ms) {
    const sent = this.board.receive();
    if (sent.length) this.live.feed(textOfBytes(sent));
    const dueCount = this.#pictures.filter(([seenMs]) => seenMs <= ms).length;
    const [, levels] = this.#pictures.splice(0, dueCount).at(-1) ?? [];
    if (levels) {
      this.lightUp(levels);
      this.live.see(levels);
    }
    return this.#pictures[0]?.[0] ?? Infinity;
  }
}

/** Lets the sensor of a phone tilt the boards. */
function startSensor() {
  $('sensor').hidden = !(
    'DeviceOrientationEvent' in window && matchMedia('(pointer: coarse)').matches
  );
  $('sensor').addEventListener('click', async () => {
    const isAllowed = await isSensorAllowed();
    $('sensor-refused').hidden = isAllowed;
    if (!isAllowed) return;
    $('sensor').hidden = true;
    let [movedX, movedY] = [0, 0];
    addEventListener('deviceorientation', ({ beta, gamma }) => {
      const [x, y] = onScreen(inMg(gamma), inMg(beta), screen.orientation?.angle ?? 0);
      // It comes 60 times a second, and a hand is never quite still.
      if (Math.hypot(x - movedX, y - movedY) > MOVED_MG) {
        [movedX, movedY] = [x, y];
        realTime?.hurry();
      }
      for (const { board } of boards) board.tilt(Math.round(x), Math.round(y), LEVEL_MG);
    });
  });
}

/** Some browsers ask the person; and reject where a page may not even ask. */
async function isSensorAllowed() {
  try {
    return (await DeviceOrientationEvent.requestPermission?.()) !== 'denied';
  } catch {
    return false;
  }
}

const inRadians = (degrees) => (degrees * Math.PI) / 180;
const inMg = (degrees) => 1000 * Math.sin(inRadians(degrees));

/** The sensor's axes are those of the phone, which was turned by this angle to the left. */
function onScreen(x, y, angle) {
  const [sin, cos] = [Math.sin(inRadians(angle)), Math.cos(inRadians(angle))];
  return [x * cos + y * sin, y * cos - x * sin];
}
