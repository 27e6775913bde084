// The LEDs of a micro:bit on a canvas.
//
// A browser shows what is drawn on a canvas that works off the screen without laying out, painting
// and compositing the page: that costs half of a change to an element.

const [CELL_WIDTH, CELL_HEIGHT] = [10, 11];
const [LED_LEFT, LED_TOP, LED_WIDTH, LED_HEIGHT, LED_RADIUS] = [2.5, 2, 5, 7, 1.5];

export class LedCanvas {
  #canvas;
  #context;
  #colours; // by level
  #levels = '0'.repeat(25);

  /** The canvas is in the page; the style gives each class from `l0` to `l9` its colour. */
  constructor(canvas) {
    this.#canvas = canvas;
    // Older browsers draw on it as it is.
    this.#context = (canvas.transferControlToOffscreen?.() ?? canvas).getContext('2d');
    this.#colours = Array.from({ length: 10 }, (_, level) => {
      canvas.className = `leds l${level}`;
      return getComputedStyle(canvas).fill;
    });
    canvas.className = 'leds';
    new ResizeObserver(() => this.#fit()).observe(canvas);
  }

  /** Draws what differs of 25 digits from those drawn before. */
  draw(levels) {
    const changed = [...levels].map((level, at) => (level === this.#levels[at] ? -1 : at));
    this.#levels = levels;
    this.#drawLeds(changed.filter((at) => at >= 0));
  }

  /** Has as many pixels as it covers on the screen; it has none while it is not shown. */
  #fit() {
    const { clientWidth, clientHeight } = this.#canvas;
    const { canvas } = this.#context;
    canvas.width = Math.round(clientWidth * devicePixelRatio);
    canvas.height = Math.round(clientHeight * devicePixelRatio);
    this.#context.scale(canvas.width / (5 * CELL_WIDTH), canvas.height / (5 * CELL_HEIGHT));
    this.#drawLeds(Array.from({ length: 25 }, (_, at) => at));
  }

  #drawLeds(places) {
    for (const at of places) {
      const [left, top] = [(at % 5) * CELL_WIDTH, Math.floor(at / 5) * CELL_HEIGHT];
      this.#context.clearRect(left, top, CELL_WIDTH, CELL_HEIGHT);
      this.#context.fillStyle = this.#colours[this.#levels[at]];
      this.#context.beginPath();
      const size = [LED_WIDTH, LED_HEIGHT, LED_RADIUS];
      this.#context.roundRect(left + LED_LEFT, top + LED_TOP, ...size);
      this.#context.fill();
    }
  }
}
