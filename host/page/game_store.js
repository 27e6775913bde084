// Everything that boards have sent, kept in the browser (IndexedDB), and the games that follow.

import { fold } from './fold.js';
import { parse } from './sentences.js';

const DATABASE = 'noughts';
const MOST_LINES = 200; // of one boot and game number: a game has at most eleven

/** Turns a request of IndexedDB into a promise. */
const finished = (request) =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });

/** Resolves when what a transaction changed is stored: a page that is closed before it undoes it. */
const committed = (transaction) =>
  new Promise((resolve, reject) => {
    transaction.oncomplete = resolve;
    transaction.onabort = () => reject(transaction.error); // also after a request's error
  });

/** Rejects where the browser refuses storage, also where asking for it throws. */
async function openDatabase() {
  const request = indexedDB.open(DATABASE, 1);
  request.onupgradeneeded = () =>
    request.result.createObjectStore('lines', { autoIncrement: true });
  return finished(request);
}

export class GameStore {
  /**
   * Where a browser refuses to keep anything, or a person has cleared its data since, games last as
   * long as the page: `kept` is false.
   */
  static async open() {
    const database = await openDatabase().catch(() => null);
    const store = new GameStore(database);
    const rows = database ? await store.#storedRows().catch(() => []) : [];
    for (const { body, radioId, ...line } of rows) {
      store.#remember({ ...line, sentence: body && { ...parse(body), radioId } });
    }
    return store;
  }

  #database;
  #seen = new Set();
  #linesOfGame = new Map(); // by boot and number
  #unwritten = [];
  #writing = Promise.resolve(); // one batch after the other
  #otherTabs = openChannel(); // gets the lines that are stored, or null: all were deleted

  lines = []; // in the order in which they were received
  boots = new Map(); // the sentence `$NB`, by boot
  isFull = false; // whether the browser's disk was, when it was last written
  onchange = () => {};

  constructor(database) {
    this.#database = database;
    this.kept = database !== null;
    if (database) database.onclose = () => this.#lose();
    if (this.#otherTabs) this.#otherTabs.onmessage = ({ data }) => this.#follow(data);
  }

  async #storedRows() {
    return finished(this.#table('readonly').getAll());
  }

  /** The browser has closed the database, because a person has cleared its data. */
  #lose() {
    this.kept = false;
    this.onchange();
  }

  /** Whether the database is still open; browsers name the error of a closed one differently. */
  async #isOpen() {
    try {
      await finished(this.#table('readonly').count());
      return true;
    } catch {
      return false;
    }
  }

  /** Does what another tab has done. */
  #follow(lines) {
    if (lines === null) this.#forgetAll();
    else for (const line of lines) this.#remember(line);
    this.onchange();
  }

  #table(mode) {
    return this.#database.transaction('lines', mode).objectStore('lines');
  }

  /**
   * Adds lines: `{ board, radio, late, at, sentence }`, where no sentence means that a port was
   * opened. Adding one again changes nothing. Returns how many sentences are new. While the
   * browser's disk is full, they last as long as the page, and are written with the next.
   */
  async add(lines) {
    const hadGames = this.#linesOfGame.size > 0;
    const added = lines.filter((line) => this.#remember(line));
    if (!added.length) return 0;
    this.onchange();
    this.#unwritten = this.#unwritten.concat(added);
    if (this.kept) {
      const earlier = this.#writing.catch(() => {});
      this.#writing = earlier.then(() => this.#writeAll());
      await this.#writing;
      if (!hadGames && this.#linesOfGame.size) askToKeep();
    }
    return added.filter(({ sentence }) => sentence).length;
  }

  async #writeAll() {
    const lines = this.#unwritten;
    this.#unwritten = [];
    if (!lines.length) return;
    const wasFull = this.isFull;
    try {
      await this.#write(lines);
      this.#otherTabs?.postMessage(lines);
      this.isFull = false;
    } catch (error) {
      this.#unwritten = lines.concat(this.#unwritten);
      if (!(await this.#isOpen())) return this.#lose(); // `onclose` may come later
      if (error?.name !== 'QuotaExceededError') throw error;
      this.isFull = true;
    }
    if (this.isFull !== wasFull) this.onchange();
  }

  async #write(lines) {
    const table = this.#table('readwrite');
    for (const { sentence, ...line } of lines) {
      table.add({ ...line, body: sentence?.body ?? null, radioId: sentence?.radioId ?? null });
    }
    await committed(table.transaction);
  }

  #remember(line) {
    const { board, radio, late, sentence } = line;
    if (sentence) {
      const key = [board, radio, late, sentence.body].join();
      if (this.#seen.has(key)) return false;
      if (sentence.kind === 'game' && !this.#addToGame(line)) return false;
      this.#seen.add(key);
      if (sentence.kind === 'boot') this.boots.set(sentence.boot, sentence);
    }
    this.lines.push(line);
    return true;
  }

  #addToGame({ sentence, board, radio, late, at }) {
    const key = `${sentence.boot},${sentence.number}`;
    if (!this.#linesOfGame.has(key)) this.#linesOfGame.set(key, []);
    const lines = this.#linesOfGame.get(key);
    if (lines.filter((line) => line.radio === radio).length >= MOST_LINES) return false;
    const { seats, first, moves, ms, end } = sentence;
    lines.push({ board, radio, late, at, seats, first, moves, ms, end });
    return true;
  }

  /** All games, in the order in which their first lines were received. */
  get games() {
    return [...this.#linesOfGame].flatMap(([key, lines]) => {
      const [boot, number] = key.split(',');
      return fold(lines).map((game) => ({
        boot,
        number: Number(number),
        ...game,
        start: this.boots.get(boot) ?? null,
      }));
    });
  }

  async deleteAll() {
    if (this.kept) {
      const table = this.#table('readwrite');
      table.clear();
      await committed(table.transaction);
    }
    this.#otherTabs?.postMessage(null);
    this.#forgetAll();
    this.onchange();
  }

  #forgetAll() {
    this.lines = [];
    this.#unwritten = [];
    this.isFull = false;
    for (const part of [this.#seen, this.#linesOfGame, this.boots]) part.clear();
  }
}

/** What connects the tabs that show this page; null where the browser refuses it. */
function openChannel() {
  try {
    return new BroadcastChannel(DATABASE);
  } catch {
    return null;
  }
}

/** A browser that is short of space deletes what it was not asked to keep. */
function askToKeep() {
  navigator.storage?.persist?.().catch(() => {});
}
