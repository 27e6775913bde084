// What the LEDs of a micro:bit show, for people who cannot see them.

const WINDOW_MS = 550; // a whole pulse of B's marks: half a second
const ENGLISH = {
  label: 'LEDs of {name}: {leds}',
  nothing: 'nothing yet',
  picture: 'a letter, an icon or text',
  steady: 'steady (A) {cells}',
  pulsing: 'pulsing (B) {cells}',
  blinking: 'fast blinking (cursor) {cells}',
  dark: 'dark',
  keys: '{name}: the keys A and B press its buttons, space both, arrows tilt it',
  touches: '{keys}, L touches its logo',
};
const CELLS = Array.from({ length: 9 }, (_, cell) => Math.floor(cell / 3) * 10 + (cell % 3) * 2);

/** The words that describe a micro:bit; `{name}` in one stands for a value. */
export function inEnglish(key, values = {}) {
  return ENGLISH[key].replace(/\{(\w+)\}/g, (_, name) => values[name]);
}

/** Follows pictures of 25 levels, of which only those that differ are sent. */
export class Leds {
  constructor() {
    this.pictures = []; // [ms, levels], the oldest first
    this.changedMs = Array(9).fill(0);
  }

  see(levels, ms) {
    const lastLevels = this.pictures.at(-1)?.[1];
    CELLS.forEach((led, cell) => {
      if (lastLevels && lastLevels[led] !== levels[led]) this.changedMs[cell] = ms;
    });
    this.pictures.push([ms, levels]);
  }

  /** The cells, 1 to 9, that are `steady`, `pulsing` (never dark) and `blinking`. */
  cells(ms) {
    while (this.pictures.length > 1 && this.pictures[1][0] <= ms - WINDOW_MS) this.pictures.shift();
    const kinds = { steady: [], pulsing: [], blinking: [] };
    CELLS.forEach((led, cell) => {
      const levels = this.pictures.map(([, picture]) => Number(picture[led]));
      const [least, most] = [Math.min(...levels), Math.max(...levels)];
      if (!most) return;
      const kind = least === most ? 'steady' : least ? 'pulsing' : 'blinking';
      kinds[kind].push(cell + 1);
    });
    // Where the cursor was before, the cell has been dark for a while.
    kinds.blinking.sort((one, other) => this.changedMs[other - 1] - this.changedMs[one - 1]);
    return kinds;
  }

  /** Whether there is light between the cells: a letter, an icon, or text. */
  get isPicture() {
    const [, levels] = this.pictures.at(-1) ?? [0, ''];
    return [...levels].some((level, led) => level !== '0' && !CELLS.includes(led));
  }

  /** The cell of the cursor, 1 to 9, or null. */
  cursor(ms) {
    return this.isPicture ? null : this.cells(ms).blinking[0] ?? null;
  }

  /** What they show, in the words of `say`, such as `inEnglish`. */
  text(ms, say) {
    if (!this.pictures.length) return say('nothing');
    if (this.isPicture) return say('picture');
    const { steady, pulsing, blinking } = this.cells(ms);
    const parts = [
      steady.length && say('steady', { cells: steady.join(', ') }),
      pulsing.length && say('pulsing', { cells: pulsing.join(', ') }),
      blinking.length && say('blinking', { cells: blinking[0] }),
    ];
    return parts.filter(Boolean).join('; ') || say('dark');
  }
}
