// Questions of which only the latest matters.

import { get } from './server.js';

const AGAIN_MS = 1000;

export class Latest {
  constructor() {
    this.asked = 0;
    this.waiting = false;
  }

  /** What an answer that is on its way says does not matter any more. */
  forget() {
    this.asked += 1;
    this.waiting = false;
  }

  /**
   * The answer, or null if something else was asked meanwhile. A server that is away may come back:
   * then it is asked again. Throws what the server refuses.
   */
  async ask(path) {
    this.forget();
    const mine = this.asked;
    this.waiting = true;
    for (;;) {
      try {
        const answer = await get(path);
        if (mine !== this.asked) return null;
        this.waiting = false;
        return answer;
      } catch (error) {
        if (mine !== this.asked) return null;
        if (!error.away) {
          this.waiting = false;
          throw error;
        }
      }
      await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
      if (mine !== this.asked) return null;
    }
  }
}
