// The tones of a virtual micro:bit. A browser plays nothing before a person has asked for it.

const LOUDNESS = 0.05; // a square wave is loud
const LONGEST_S = 1.5; // without news: the server sends a board's clock each second

export class Sound {
  #context = null; // while it is on
  #volume = null;
  #wave = null;

  get isOn() {
    return this.#context !== null;
  }

  switch(on) {
    this.#context?.close();
    this.#context = on ? new AudioContext() : null;
    if (!on) return;
    this.#wave = new OscillatorNode(this.#context, { type: 'square' });
    this.#volume = new GainNode(this.#context, { gain: 0 });
    this.#wave.connect(this.#volume).connect(this.#context.destination);
    this.#wave.start();
  }

  /** Plays a tone from now on, in Hz; 0 is silence. */
  play(hertz) {
    if (!this.isOn) return;
    const now = this.#context.currentTime;
    if (hertz) this.#wave.frequency.setValueAtTime(hertz, now);
    this.#volume.gain.cancelScheduledValues(0);
    this.#volume.gain.setValueAtTime(hertz ? LOUDNESS : 0, now);
    this.#volume.gain.setValueAtTime(0, now + LONGEST_S);
  }
}
