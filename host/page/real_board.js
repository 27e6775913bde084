// Your micro:bit: by WebUSB the game is put onto it and its games come live; by Web Serial they
// only come. Elsewhere the page gives the hex, to be dragged onto the board's drive.

import { $ } from '../noughts/web/static/page.js';
import { gameStore, save } from './games.js';
import { intelHex, universalHex } from './hex.js';
import { inEachLanguage, t } from './language.js';
import { LiveBoard } from './live_board.js';
import { openSerial } from './serial.js';

const BOOT_MS = 1500; // a V1 may have been reset by the connection
const START_MS = 3000; // a board that has the game says so within this time after a reset
const RESENT_MS = 600; // a V1 that resends its games is never silent for so long
const STEP_MS = 50;
const PROMPT_MS = 300; // until the prompt has answered
const [INTERRUPT, SOFT_RESET] = ['\x03', '\x04'];
const FILL_BUFFERS = "[print(' '*30) for i in range(40)]\r";
const DISCONNECTED = 'device-disconnected';
const CODES = [
  ...['no-device-selected', 'device-in-use', DISCONNECTED],
  ...['timeout', 'firmware-update-required'],
]; // of the library's errors that have a text of their own
const BUTTONS = ['connect', 'flash', 'watch', 'disconnect'];

let usb = null; // the library's connection, once it is needed
let serial = null; // an open serial port
let live = null; // the LiveBoard
let version = ''; // V1 or V2
let isFlashing = false; // from the press on, also while the stored games are taken
let wasPaused = false; // since the page last asked for stored games
let pressed = 'connect'; // or `watch`: what the person presses once more after an error
let status = ['board.status.none'];
let error = null;
const boardsWithGame = new Set(); // names; also of one that was unplugged while it was flashed

export function start() {
  const reach = (button, action) => {
    pressed = button;
    return attempt(action);
  };
  $('connect').addEventListener('click', () => reach('connect', connect));
  $('watch').addEventListener('click', () => reach('watch', watch));
  $('flash').addEventListener('click', () => attempt(flash));
  $('disconnect').addEventListener('click', () => attempt(disconnect));
  $('save-hex').addEventListener('click', async () =>
    save('noughts.hex', 'text/plain', await universalHex()),
  );
  $('no-usb').hidden = 'usb' in navigator;
  inEachLanguage(draw);
}

/** Does something with the board; what goes wrong is said in the person's words. */
async function attempt(action) {
  error = null;
  try {
    await action();
  } catch (thrown) {
    fail(thrown);
  }
  draw();
}

function fail(thrown) {
  error = errorText(thrown);
  if (!isConnected() && !isPaused()) forget();
  draw();
}

/** Nothing is shown or remembered of a board that is not connected. */
function forget() {
  live?.close();
  status = ['board.status.none'];
}

/** A text's key and its values. */
function errorText(thrown) {
  const { code, message } = thrown;
  if (thrown.key) return [thrown.key];
  if (/access denied/i.test(message)) return ['error.access-denied'];
  if (CODES.includes(code)) return [`error.${code}`];
  if (code) return ['error.connection', { message }];
  throw thrown; // a fault of ours
}

function say(key, values) {
  status = [key, values];
  draw();
}

const isConnected = () => usb?.status === 'Connected' || serial !== null;
const isPaused = () => usb?.status === 'Paused'; // while the page is hidden

function draw() {
  const connected = isConnected();
  const busy = isFlashing || status[0] === 'board.status.connecting';
  const isShown = {
    connect: 'usb' in navigator && !connected,
    flash: usb?.status === 'Connected',
    watch: 'serial' in navigator && !connected,
    disconnect: connected,
  };
  for (const id of BUTTONS) {
    $(id).hidden = !isShown[id];
    $(id).disabled = busy;
  }
  setText($('no-usb'), t('serial' in navigator ? 'board.noUsbButSerial' : 'board.noUsb'));
  const [key, values] = status;
  setText($('board-status'), t(key, values));
  $('board-error').hidden = !error;
  setText($('board-error'), error ? errorInWords(...error) : '');
  $('udev').hidden = error?.[0] !== 'error.access-denied';
}

/** `{button}` in an error's text is the one to press once more. */
function errorInWords(key, values) {
  return t(key, { button: t(`board.${pressed}`), ...values });
}

/** A screen reader announces a text when it changes. */
function setText(part, text) {
  if (part.textContent !== text) part.textContent = text;
}

async function connect() {
  usb ??= await openLibrary();
  say('board.status.connecting');
  await usb.connect();
  version = usb.getBoardVersion();
  live = await newLiveBoard(boardName());
  await passes(() => live.changed, BOOT_MS);
  if (status[0] !== 'board.status.connecting') return; // it was unplugged, or the page is hidden
  say('board.status.connected', { version });
  await passes(() => live.changed || status[0] !== 'board.status.connected', START_MS);
  if (!live.changed && status[0] === 'board.status.connected')
    say('board.status.silent', { version });
}

/** The USB library, which is loaded when it is first needed. */
async function openLibrary() {
  const { createUSBConnection } = await import('./usb_library.js');
  const quiet = { log() {}, error() {}, event() {} };
  const connection = createUSBConnection({ logging: quiet });
  await connection.initialize();
  connection.addEventListener('serialdata', ({ data }) => live?.feed(data));
  connection.addEventListener('backgrounderror', ({ error }) => fail(error));
  connection.addEventListener('status', onStatus);
  return connection;
}

function onStatus({ status: now, previousStatus: previous }) {
  if (now === 'Paused') {
    wasPaused = true;
    say('board.status.paused');
  }
  if (now === 'Connected' && previous === 'Paused') {
    live.opened();
    if (status[0] !== 'board.status.put') say('board.status.resumed');
  }
  if (now === 'NoAuthorizedDevice' && ['Connected', 'Paused'].includes(previous) && !isFlashing)
    fail({ code: DISCONNECTED });
  draw();
}

/** The board's name in the store, as in Python; a browser may hide the serial number. */
function boardName() {
  const serialNumber = usb.getDevice()?.serialNumber ?? '';
  if (/^[0-9A-Za-z]{8,64}$/.test(serialNumber)) return `usb-${serialNumber}`;
  return `chip-${(usb.getDeviceId() >>> 0).toString(16).toUpperCase().padStart(8, '0')}`;
}

async function newLiveBoard(name) {
  return new LiveBoard($('live'), await gameStore, name);
}

/** Whether a condition comes true within some time. */
async function passes(condition, ms) {
  for (let waited = 0; waited < ms && !condition(); waited += STEP_MS) await pause(STEP_MS);
  return Boolean(condition());
}

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

async function flash() {
  isFlashing = true;
  try {
    if (await takeStoredGames()) await putGame();
  } finally {
    isFlashing = false;
  }
}

async function putGame() {
  const taken = live.recovered.size;
  const keepsLog = version === 'V2' && boardsWithGame.has(boardName());
  live.start = null;
  let isPut = false;
  try {
    say('board.status.flashing');
    $('flash-progress').hidden = false;
    const hex = (model) => intelHex(model, keepsLog);
    await usb.flash(hex, { partial: true, progress: showProgress });
    isPut = true;
    if (!(await runs())) throw { key: 'error.not-started' };
    say(keepsLog ? 'board.status.doneWithLog' : 'board.status.done', { taken });
  } catch (thrown) {
    if (isLost(thrown)) throw { key: 'error.unplugged-flashing' };
    if (!isPut || !wasPaused) throw thrown;
    say(keepsLog ? 'board.status.putWithLog' : 'board.status.put', { taken });
  } finally {
    $('flash-progress').hidden = true;
  }
}

/** Whether something failed because the board is gone. */
const isLost = ({ code }) => code === DISCONNECTED || !(isConnected() || isPaused());

const starts = () => passes(() => live.start, START_MS);

/** Whether the game says that it runs. A page that was hidden may have missed that. */
async function runs() {
  if (wasPaused) return false;
  say('board.status.starting');
  return (await starts()) || (!wasPaused && (await startsAgain()));
}

/** A board that was erased has filled no buffers before: they have swallowed its first start. */
async function startsAgain() {
  await restartGame();
  return starts();
}

function showProgress(stage, share) {
  if (share !== undefined) $('flash-progress').value = share;
}

/** Takes the games that a board has stored. False if the page was hidden, and did not listen. */
async function takeStoredGames() {
  wasPaused = false;
  try {
    await askForStoredGames();
    if (!wasPaused && !isConnected()) throw { code: DISCONNECTED };
    return !wasPaused;
  } catch (thrown) {
    if (wasPaused && !isLost(thrown)) return false;
    throw isLost(thrown) ? { code: DISCONNECTED } : thrown;
  }
}

/**
 * A V1 sends them after a start. A V2's stay in its data log, which no page can read: it is in the
 * interface chip, and comes to a computer only as a file on the board's drive.
 */
async function askForStoredGames() {
  live.start = null;
  live.recovered.clear();
  say('board.status.taking');
  await restartGame();
  const isStarted = await starts();
  if (live.changed) boardsWithGame.add(boardName());
  if (!isStarted || version === 'V2') return;
  for (let count = -1; count < live.recovered.size;) {
    count = live.recovered.size;
    await passes(() => live.recovered.size > count, RESENT_MS);
  }
}

/**
 * Restarts the game from MicroPython's prompt. Before that, it prints what fills the interface
 * chip's buffers for its serial port, which swallow the first 128 to 1,088 bytes after a
 * connection. Other programs see a few characters.
 */
async function restartGame() {
  for (const text of [INTERRUPT, FILL_BUFFERS, SOFT_RESET]) {
    await usb.serialWrite(text);
    await passes(() => false, PROMPT_MS);
  }
}

async function watch() {
  serial = await openSerial({ read: (text) => live.feed(text), lost: () => lostSerial() });
  live = await newLiveBoard(nextSerialName(await gameStore));
  say('board.status.watching');
  serial.start();
}

/** Web Serial names no board, so each time that one is watched it has its own name. */
function nextSerialName({ lines }) {
  const numbers = lines.map(({ board }) => Number(/^serial-(\d+)$/.exec(board)?.[1] ?? 0));
  return `serial-${1 + numbers.reduce((most, number) => Math.max(most, number), 0)}`;
}

function lostSerial() {
  serial = null;
  fail({ code: DISCONNECTED });
}

async function disconnect() {
  if (serial) await serial.close();
  else await usb.disconnect();
  serial = null;
  forget();
}
