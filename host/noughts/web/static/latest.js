// Questions of which only the latest matters.

import { get } from './server.js';

const AGAIN_MS = 1000;

export class Latest {
  #asked = 0;
  waiting = false;

  /**
   * The answer, or null if something else was asked in the meantime. A server that is away may come
   * back: then it is asked again. Throws what the server refuses.
   */
  async ask(path) {
    const mine = ++this.#asked;
    this.waiting = true;
    while (mine === this.#asked) {
      try {
        const answer = await get(path);
        if (mine !== this.#asked) break;
        this.waiting = false;
        return answer;
      } catch (error) {
        if (mine !== this.#asked) break;
        if (!error.away) {
          this.waiting = false;
          throw error;
        }
      }
      await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
    }
    return null;
  }
}
