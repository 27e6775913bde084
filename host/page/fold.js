// The games that follow from the lines of one boot and game number: a pure function of a set, the
// one of host/noughts/store/fold.py, whose table says what belongs to one game.
//
//   line    { board, radio, late, at, seats, first, moves, ms, end }
//   radio   whether it came by radio, where anyone nearby can send
//   late    whether the game had ended some time before: it was resent, or comes from a log
//   at      when it was first received, in ms since 1970; null if unknown

/** Compares two arrays as Python compares tuples. */
function compare(a, b) {
  const at = a.findIndex((value, index) => value !== b[index]);
  return at < 0 ? 0 : a[at] < b[at] ? -1 : 1;
}

const sortedBy = (items, key) => [...items].sort((a, b) => compare(key(a), key(b)));

/** How far the game has come. During a game, this only grows. */
const progress = ({ moves, end, ms }) => [moves.length, Number(end === 'x'), ms];

const textOf = ({ seats, first, moves, ms, end }) => [seats, first, moves, ms, end].join();

/** By cable first, then those that have come furthest; equal texts next to each other. */
const order = (line) => [Number(line.radio), ...progress(line).map((part) => -part), textOf(line)];

/** The games of these lines, which have one boot and game number. */
export function fold(lines) {
  const games = [];
  for (const line of sortedBy(lines, order)) {
    const fitting = games.filter((game) => fits(line, game));
    if (!fitting.length) games.push([line]);
    else sortedBy(fitting, (game) => distance(line, game))[0].push(line);
  }
  return games.map((game) => summary(sortedBy(game, progress)));
}

/** Whether a line agrees with all lines of a game so far. */
function fits(line, game) {
  // A line that can precede the earliest line by cable can precede all of them.
  const others = line.radio ? game : game.slice(-1);
  return others.every((other) => areOfOneGame(...sortedBy([line, other], progress)));
}

function areOfOneGame(earlier, later) {
  if (textOf(earlier) === textOf(later)) return true;
  const sameHead = earlier.seats === later.seats && earlier.first === later.first;
  const goesOn =
    earlier.end === '-' && earlier.ms <= later.ms && later.moves.startsWith(earlier.moves);
  // Two times for one move contradict each other. Before the first move, any time will do.
  const oneTime = earlier.moves.length < later.moves.length || later.end === 'x' || !later.moves;
  return sameHead && goesOn && oneTime;
}

/** How far away a fitting game is: the line goes to the nearest one. */
function distance(line, game) {
  const later = sortedBy(game.map(progress), (key) => key).filter(
    (key) => compare(key, progress(line)) >= 0,
  );
  const [plies, abandoned, ms] = later[0] ?? [Infinity, 1, 0];
  // Lines with as many moves come slowest first, so the slower of two games comes first too.
  return [Number(game[0].radio), plies, abandoned, -ms];
}

/** The game of these lines; the last line has come furthest. */
function summary(lines) {
  const last = lines.at(-1);
  const cable = lines.filter((line) => !line.radio);
  const times = Array(1 + last.moves.length).fill(null);
  for (const line of lines) if (line.end !== 'x') times[line.moves.length] = line.ms;
  const [board] = sortedBy([...new Set(lines.map((line) => line.board))], precedence);
  const furthest = cable.length
    ? compare(progress(cable.at(-1)).slice(0, 2), progress(last).slice(0, 2))
    : -1;
  const { seats, first, moves, ms, end } = last;
  const dates = liveDates(cable) ?? liveDates(lines) ?? lateDates(lines);
  return {
    board,
    seats,
    first,
    moves,
    times: times.slice(1),
    ms,
    end,
    ...dates,
    byRadio: furthest < 0,
  };
}

function liveDates(lines) {
  const live = lines.filter((line) => line.at !== null && !line.late);
  if (!live.length) return null;
  const started = Math.min(...live.map((line) => line.at - line.ms));
  return { started, heard: Math.max(...live.map((line) => line.at)), playedBefore: null };
}

function lateDates(lines) {
  const times = lines.map((line) => line.at).filter((at) => at !== null);
  const earliest = times.length ? Math.min(...times) : null;
  return { started: null, heard: earliest, playedBefore: earliest };
}

/** A game received under several boards is stored under the one with the least value. */
function precedence(board) {
  return [Number(isByRadio(board)), Number(!board.includes('usb-')), board.length, board];
}

/** Whether a board's name says that it was received by radio. */
export function isByRadio(board) {
  return /^(?:[^/:\\]+\/)*radio-[0-9A-F]{8}$/.test(board);
}
