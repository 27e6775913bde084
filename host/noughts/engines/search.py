"""Searching the game tree, depth first: minimax, alpha-beta, and alpha-beta with a table.

A win is worth 10 less the plies that it takes, a loss the opposite, a draw 0. So quick wins and
slow losses are preferred. All three find the same score, and play the first move in reading order
that has it.

nodes   boards looked at, the first one included: 549,946 for minimax from the empty board
cut     moves that were not searched, because an earlier one had already refuted the position
window  scores up to `alpha`, or from `beta` on, cannot change the move
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Literal

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
    seat = "N"
    about = "every line of play to its end"
    perfect = True
    _prunes = False

    def __init__(self, visited: Visited | None = None) -> None:
        """visited: gets each move that is searched, after the moves below it."""
        self._visited = visited

    def reply(self, position: Position) -> Reply:
        """The first of the best moves, and the cost of finding it."""
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
            marks_after = mover | bit
            if WON[marks_after]:
                nodes += 1
                score = win
            elif marks_after | other == FULL:
                nodes += 1
                score = 0
            else:
                score = -self._search(other, marks_after, ply + 1, -beta, -alpha)
            if self._visited:
                self._visited(Position(other, marks_after), bit, ply, score, alpha, beta)
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
    """Minimax without the moves that cannot matter."""

    name = "alphabeta"
    seat = "C"
    about = "minimax without the moves that cannot matter"
    _prunes = True


class Transposition(AlphaBeta):
    """Alpha-beta that remembers the scores of positions, up to symmetry.

    It remembers bounds of the score, and uses those that decide. Scores count plies from the root,
    so they hold for one search: in that, a position is always equally far from the root.
    """

    name = "transposition"
    seat = "T"
    about = "alpha-beta that remembers positions, up to symmetry"

    def reply(self, position: Position) -> Reply:
        """The same move as `AlphaBeta`, for fewer nodes."""
        self._bounds: dict[Position, tuple[int, int]] = {}
        return super().reply(position)

    def _search(self, mover: int, other: int, ply: int, alpha: int, beta: int) -> int:
        if not ply:
            return super()._search(mover, other, ply, alpha, beta)
        key = canonical(Position(mover, other))
        least, most = self._bounds.get(key, (-INFINITE, INFINITE))
        if least >= beta or most <= alpha or least == most:
            self._nodes += 1
            return most if most <= alpha else least
        score = super()._search(mover, other, ply, alpha, beta)
        self._bounds[key] = (score if score > alpha else least, score if score < beta else most)
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


Search = Literal["alphabeta", "minimax"]
SEARCHES = {"alphabeta": AlphaBeta, "minimax": Minimax}

MAX_DRAWN = 500
"""Boards in a picture. Nobody could follow more, and they would print on dozens of pages."""


@dataclass
class Node:
    """A position in the tree, and the move that led to it."""

    position: Position
    cell: int | None
    """The move, None at the root."""
    score: int | None = None
    """For the player who made the move, or at the root the one to move; None if it was cut."""
    alpha: int = -INFINITE
    beta: int = INFINITE
    """The window in which the move was searched, as scores for the player who made it."""
    best: bool = False
    """Whether the search plays this move."""
    children: list[Node] = field(default_factory=list)

    @property
    def number(self) -> int:
        """The cell, counted from 1."""
        assert self.cell is not None
        return self.cell + 1

    @property
    def bound(self) -> str:
        """`≤` or `≥` if the score is only a bound: the search stopped once it could not matter."""
        if self.score is None or self.position.over:
            return ""
        return "≤" if self.score <= self.alpha else "≥" if self.score >= self.beta else ""

    @property
    def value(self) -> str:
        """The score in words, with its bound."""
        return f"{self.bound} {format_score(self.score or 0)}".strip()

    def __iter__(self) -> Iterator[Node]:
        """The node and all below it, in the order of the search."""
        yield self
        for child in self.children:
            yield from child


def build_tree(position: Position, depth: int, search: Search) -> Node:
    """The tree of a complete search down to `depth` plies, with the branches that it cut."""
    searched_moves: list[list[Node]] = [[] for _ in range(10)]
    """By ply, the moves searched so far from the current position."""

    def visited(
        position_after: Position, bit: int, ply: int, score: int, alpha: int, beta: int
    ) -> None:
        if ply < depth:
            node = Node(position_after, bit.bit_length() - 1, score, alpha, beta)
            node.children = (
                _with_those_cut(position_after, searched_moves[ply + 1]) if ply + 1 < depth else []
            )
            searched_moves[ply].append(node)
        searched_moves[ply + 1] = []

    score = SEARCHES[search](visited).reply(position).score
    return Node(position, None, score, children=_with_those_cut(position, searched_moves[0]))


def _with_those_cut(position: Position, searched: list[Node]) -> list[Node]:
    """The moves that were searched, and after them those that were cut, without a score."""
    if searched:
        max(searched, key=lambda node: node.score or 0).best = True
    free = () if position.over else position.free
    cut = free[len(searched) :]
    return searched + [Node(position.play(cell), cell) for cell in cut]
