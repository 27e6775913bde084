// What this tab remembers of a game besides its moves: when they were made, and whether it is kept.

import { post } from './server.js';

const PLACE = 'noughts-game';

/** The times of a game, which is stored the first time that it ends, and the score of the session. */
export class Record {
  constructor() {
    const saved = read();
    this.session = saved.session ?? newSession();
    this.number = saved.number ?? 0;
    this.game = saved.game ?? null;
    this.score = saved.score ?? { won: 0, lost: 0, drawn: 0 };
  }

  /** A new game; `whole`: it begins with the empty board. */
  begin(opponent, you, whole) {
    if (opponent !== this.game?.opponent) this.score = { won: 0, lost: 0, drawn: 0 };
    this.number += 1;
    this.game = { opponent, you, began: Date.now(), moves: '', times: [], whole, over: false, kept: '' };
    this.save();
  }

  /** Whether the game in this tab's memory is the one that the page's address names. */
  fits(opponent, you, moves) {
    const game = this.game;
    return game !== null && game.opponent === opponent && game.you === you && game.moves === moves;
  }

  /** The game as it stands now: moves were added, or taken back. */
  note(moves) {
    const game = this.game;
    const shared = [...moves].findIndex((cell, ply) => cell !== game.moves[ply]);
    const times = game.times.slice(0, shared < 0 ? moves.length : shared);
    while (times.length < moves.length) {
      times.push(Math.max(times.at(-1) ?? 0, Date.now() - game.began, 0));
    }
    game.moves = moves;
    game.times = times;
    this.save();
  }

  /** Counts and stores a game that has ended; says in words what became of it. */
  async keep(keeps, winner) {
    const game = this.game;
    if (game.over) return game.kept;
    game.over = true;
    this.score[winner === null ? 'drawn' : winner === game.you ? 'won' : 'lost'] += 1;
    if (!game.whole) game.kept = 'A game from a given position is not stored.';
    else if (!keeps) game.kept = 'Games from another computer are not stored.';
    else {
      try {
        const played = {
          session: this.session,
          number: this.number,
          opponent: game.opponent,
          first: game.you === 'X',
          moves: game.moves,
          times: game.times,
        };
        const { game: number } = await post('/api/games', played);
        game.kept = `Stored as game ${number}.`;
        game.stored = number;
      } catch (error) {
        game.kept = `This game is not stored: ${error.message}`;
      }
    }
    this.save();
    return game.kept;
  }

  save() {
    const { session, number, game, score } = this;
    try {
      sessionStorage.setItem(PLACE, JSON.stringify({ session, number, game, score }));
    } catch {
      // Without it a reload forgets the times; all else goes on.
    }
  }
}

function read() {
  try {
    return JSON.parse(sessionStorage.getItem(PLACE)) ?? {};
  } catch {
    return {};
  }
}

/** Eight hex digits, as boards draw for each of their runs. */
function newSession() {
  const [number] = crypto.getRandomValues(new Uint32Array(1));
  return number.toString(16).toUpperCase().padStart(8, '0');
}
