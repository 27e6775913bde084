"""Searching the game tree, depth first: minimax, alpha-beta, and alpha-beta with a table.

A win is worth 10 less the plies that it takes, a loss the opposite, a draw 0: so the quicker win
and the slower loss are preferred. All three find the same score, and play the first move in reading
order that has it.

nodes   positions visited, the root included: 549,946 for minimax from the empty board
cut     moves that were never looked at, because an earlier one already refuted the position
window  alpha-beta knows that scores up to `low`, and from `high` on, cannot change the move
"""

from __future__ import annotations

from noughts.engines.engine import Reply
from noughts.positions import CELLS, FULL, WON, Position, canonical

WIN = 10
_INFINITE = 100

_FREE_BITS = tuple(tuple(1 << cell for cell in CELLS[FULL & ~mask]) for mask in range(FULL + 1))
"""For the marks on the board, the free cells as masks, in reading order."""


class Minimax:
    """Every line of play to its end."""

    name = "minimax"
    about = "every line of play to its end"
    perfect = True

    def reply(self, position: Position) -> Reply:
        """The first of the best moves."""
        self._nodes = 1
        scores = {}
        for cell in position.free:
            scores[cell] = self._child(position.mover | 1 << cell, position.other, 1)
        best = max(scores.values())
        cell = next(cell for cell, score in scores.items() if score == best)
        return Reply((cell,), self._nodes, 0, best)

    def _child(self, mine: int, theirs: int, ply: int) -> int:
        """The score, for who has just marked `mine`, of the position that arose."""
        if WON[mine]:
            self._nodes += 1
            return WIN - ply
        if mine | theirs == FULL:
            self._nodes += 1
            return 0
        return -self._search(theirs, mine, ply)

    def _search(self, mover: int, other: int, ply: int) -> int:
        # Ends are scored where they arise: half of all nodes are ends, and calls cost most.
        best = -_INFINITE
        ply += 1
        nodes = 1
        for bit in _FREE_BITS[mover | other]:
            mine = mover | bit
            if WON[mine]:
                nodes += 1
                score = WIN - ply
            elif mine | other == FULL:
                nodes += 1
                score = 0
            else:
                score = -self._search(other, mine, ply)
            if score > best:
                best = score
        self._nodes += nodes
        return best


class AlphaBeta:
    """Minimax without the moves that cannot matter."""

    name = "alphabeta"
    about = "minimax without the moves that cannot matter"
    perfect = True

    def reply(self, position: Position) -> Reply:
        """The first of the best moves."""
        self._nodes = 0
        self._cut = 0
        self._best = -1
        score = self._search(position.mover, position.other, 0, -_INFINITE, _INFINITE)
        return Reply((self._best,), self._nodes, self._cut, score)

    def _search(self, mover: int, other: int, ply: int, low: int, high: int) -> int:
        best = -_INFINITE
        nodes = 1
        bits = _FREE_BITS[mover | other]
        for count, bit in enumerate(bits, 1):
            mine = mover | bit
            if WON[mine]:
                nodes += 1
                score = WIN - ply - 1
            elif mine | other == FULL:
                nodes += 1
                score = 0
            else:
                score = -self._search(other, mine, ply + 1, -high, -low)
            if score > best:
                best = score
                if not ply:
                    self._best = bit.bit_length() - 1
                if best > low:
                    low = best
                    if low >= high:
                        self._cut += len(bits) - count
                        break
        self._nodes += nodes
        return best


class Transposition(AlphaBeta):
    """Alpha-beta that remembers positions, those alike under symmetry as one.

    Scores depend on the ply, so what is remembered is the score from the position on, with whether
    it is exact or a bound; it is used where it decides, and forgotten with the next reply.
    """

    name = "transposition"
    about = "alpha-beta that remembers positions, but for symmetry"
    perfect = True

    def reply(self, position: Position) -> Reply:
        """The first of the best moves."""
        self._known: dict[Position, tuple[int, int]] = {}
        return super().reply(position)

    def _search(self, mover: int, other: int, ply: int, low: int, high: int) -> int:
        if not ply:
            return super()._search(mover, other, ply, low, high)
        key = canonical(Position(mover, other))
        least, most = self._known.get(key, (-_INFINITE, _INFINITE))
        least, most = _later(least, ply), _later(most, ply)
        if least >= high or least == most:
            self._nodes += 1
            return least
        if most <= low:
            self._nodes += 1
            return most
        score = super()._search(mover, other, ply, low, high)
        if score > low:
            least = score
        if score < high:
            most = score
        self._known[key] = (_sooner(least, ply), _sooner(most, ply))
        return score


def _later(score: int, ply: int) -> int:
    """A score from a position on as one from the root, `ply` plies earlier."""
    if abs(score) in (0, _INFINITE):
        return score
    return score - ply if score > 0 else score + ply


def _sooner(score: int, ply: int) -> int:
    """The opposite."""
    if abs(score) in (0, _INFINITE):
        return score
    return score + ply if score > 0 else score - ply
