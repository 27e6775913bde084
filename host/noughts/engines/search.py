"""Searching the game tree, depth first: minimax, alpha-beta, and alpha-beta with a table.

A win is worth 10 less the plies that it takes, a loss the opposite, a draw 0. So quick wins and
slow losses are preferred. All three find the same score, and play the first move in reading order
that has it.

nodes   positions visited, including the root: 549,946 for minimax from the empty board
cut     moves that were not searched, because an earlier one had already refuted the position
window  scores up to `alpha`, or from `beta` on, cannot change the move
"""

from collections.abc import Callable

from noughts.game.engine import Engine, Reply
from noughts.game.positions import CELLS, FULL, WON, Position, canonical
from noughts.game.solver import WIN

INFINITE = 100

_FREE_BITS = tuple(tuple(1 << cell for cell in CELLS[FULL & ~mask]) for mask in range(FULL + 1))
"""For the marks on the board, the free cells as masks, in reading order."""


Visited = Callable[[Position, int, int, int, int, int], object]
"""Called with the position after a move, the move as a mask, its ply, its score to its player, and
the window of its search. The score is exact between `alpha` and `beta`, else it is a bound."""


class Minimax(Engine):
    """Searches every line of play to its end."""

    name = "minimax"
    about = "every line of play to its end"
    perfect = True
    _prunes = False

    def __init__(self, visited: Visited | None = None) -> None:
        """visited: gets each move that is searched, after the moves below it."""
        self._visited = visited

    def reply(self, position: Position) -> Reply:
        self._nodes = self._cut = 0
        self._best = -1
        score = self._search(position.mover, position.other, 0, -INFINITE, INFINITE)
        return Reply((self._best,), self._nodes, self._cut, score)

    def _search(self, mover: int, other: int, ply: int, alpha: int, beta: int) -> int:
        # Ends are scored without a call: half of all nodes are ends, and calls cost most.
        best = -INFINITE
        nodes = 1
        win = WIN - ply - 1
        bits = _FREE_BITS[mover | other]
        for bit in bits:
            mine = mover | bit
            if WON[mine]:
                nodes += 1
                score = win
            elif mine | other == FULL:
                nodes += 1
                score = 0
            else:
                score = -self._search(other, mine, ply + 1, -beta, -alpha)
            if self._visited:
                self._visited(Position(other, mine), bit, ply, score, alpha, beta)
            if score > best:
                best = score
                if not ply:
                    self._best = bit.bit_length() - 1
                if self._prunes and best > alpha:
                    alpha = best
                    if alpha >= beta:
                        self._cut += len(bits) - bits.index(bit) - 1
                        break
        self._nodes += nodes
        return best


class AlphaBeta(Minimax):
    """Minimax that skips the moves that cannot change the result (alpha-beta)."""

    name = "alphabeta"
    about = "minimax without the moves that cannot matter"
    _prunes = True


class Transposition(AlphaBeta):
    """Alpha-beta that remembers the scores of positions, up to symmetry.

    It remembers bounds of the score as seen from the position, because scores depend on the ply.
    They are used if they decide, and forgotten before the next reply.
    """

    name = "transposition"
    about = "alpha-beta that remembers positions, up to symmetry"

    def reply(self, position: Position) -> Reply:
        self._known: dict[Position, tuple[int, int]] = {}
        return super().reply(position)

    def _search(self, mover: int, other: int, ply: int, alpha: int, beta: int) -> int:
        if not ply:
            return super()._search(mover, other, ply, alpha, beta)
        key = canonical(Position(mover, other))
        least, most = self._known.get(key, (-INFINITE, INFINITE))
        least, most = _later(least, ply), _later(most, ply)
        if least >= beta or least == most:
            self._nodes += 1
            return least
        if most <= alpha:
            self._nodes += 1
            return most
        score = super()._search(mover, other, ply, alpha, beta)
        if score > alpha:
            least = score
        if score < beta:
            most = score
        self._known[key] = (_later(least, -ply), _later(most, -ply))
        return score


def format_score(score: int) -> str:
    """A score in words, for the player who makes the move; plies are counted from the root.

    >>> format_score(9), format_score(0), format_score(-6), format_score(-INFINITE)
    ('win in 1', 'draw', 'loss in 4', '−∞')
    """
    if abs(score) == INFINITE:
        return "∞" if score > 0 else "−∞"
    if not score:
        return "draw"
    return f"{'win' if score > 0 else 'loss'} in {WIN - abs(score)}"


def _later(score: int, plies: int) -> int:
    """A score, seen from a position this many plies earlier; from a later one if negative."""
    if abs(score) in (0, INFINITE):
        return score
    return score - plies if score > 0 else score + plies
