// What the page says of a game: how it stands, what the engine did, and the list of moves.

import { element } from './elements.js';

export const FRIEND = 'friend';

/**
 * How the game stands after its last move, as a headline and a remark; `did`: what the engine
 * answered, if it has.
 */
export function situation({ opponent, you }, { result, turn, history }, did) {
  const friend = opponent === FRIEND;
  const remark = did?.remark ?? '';
  if (result) {
    const { winner, lines } = result;
    if (!winner) return { headline: 'A draw', remark };
    const what = friend ? `${winner} has won` : winner === you ? 'You won' : 'You lost';
    return { headline: `${what}: ${lines}`, remark };
  }
  if (friend) return { headline: `${turn}’s turn`, remark: '' };
  const move = history.at(-1);
  const before = move && did ? `${opponent} plays ${move.cell + 1}, ${move.name}. ${remark}` : '';
  return { headline: `Your turn: you are ${you}`, remark: before };
}

export function lookingBack({ at, moves }, mine) {
  const where = at ? `after move ${at} of ${moves.length}` : 'at the beginning';
  return { headline: `Looking back: ${where}`, remark: mine ? 'Play here to go on differently.' : '' };
}

/** The games of this session with one opponent; nothing before one has ended. */
export function scoreWords({ score: { won, lost, drawn }, game: { opponent } }) {
  if (!won && !lost && !drawn) return '';
  const [you, other] = opponent === FRIEND ? ['X', 'O'] : ['you', opponent];
  return `Score: ${you} ${won}, ${other} ${lost}, draws ${drawn}`;
}

/** What an engine's answer cost. */
export function cost({ engine, nodes, cut, ms, choices }) {
  const many = (number) => number.toLocaleString('en');
  const how = nodes
    ? `${many(nodes)} positions visited, ${many(cut)} moves cut`
    : `no search; one of ${choices} ${choices === 1 ? 'cell' : 'cells'}`;
  return `${engine}: ${how}; ${ms} ms.`;
}

/** List items with a button for the start and one for each move, with its verdict. */
export function stepButtons(history, at, choose) {
  const button = (ply, ...content) =>
    element(
      'button',
      { type: 'button', 'aria-current': ply === at ? 'step' : null, onclick: () => choose(ply) },
      ...content,
    );
  const moves = history.map((move, ply) =>
    button(
      ply + 1,
      `${move.mark} ${move.cell + 1}`,
      element('span', { class: `called ${move.called}`, 'aria-hidden': 'true' }, move.verdict),
      element('span', { class: 'hidden-text' }, ` ${move.name}, ${move.called}`),
    ),
  );
  return [button(0, 'Start'), ...moves].map((each) => element('li', {}, each));
}
