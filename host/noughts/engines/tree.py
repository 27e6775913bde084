"""The tree that alpha-beta searches, with the branches that it cuts."""

from __future__ import annotations

from dataclasses import dataclass, field

from noughts.engines.search import AlphaBeta
from noughts.game.positions import Position


@dataclass
class Node:
    """A position in the tree, and the move that led to it."""

    position: Position
    cell: int | None
    """The move, None at the root."""
    score: int | None = None
    """What it is worth to who made the move, in plies from the root; None if it was cut."""
    bound: str = ""
    """`≤` or `≥` if the score is only a bound: the search stopped once it could not matter."""
    children: list[Node] = field(default_factory=list)


def build_tree(position: Position, depth: int) -> Node:
    """The tree down to `depth` plies, as the search itself goes through it to its end."""
    made: list[list[Node]] = [[] for _ in range(10)]
    """By ply, the moves that were searched since the position that they lead from."""

    def visited(after: Position, bit: int, ply: int, score: int, alpha: int, beta: int) -> None:
        bound = ""
        if not after.over:
            bound = "≤" if score <= alpha else "≥" if score >= beta else ""
        if ply < depth:
            node = Node(after, bit.bit_length() - 1, score, bound)
            node.children = _with_those_cut(after, made[ply + 1]) if ply + 1 < depth else []
            made[ply].append(node)
        made[ply + 1] = []

    score = AlphaBeta(visited).reply(position).score
    return Node(position, None, None if score is None else -score, "", made[0])


def _with_those_cut(position: Position, searched: list[Node]) -> list[Node]:
    """The moves that were searched, and behind them those that were cut: they have no score."""
    free = () if position.over else position.free
    cut = free[len(searched) :]
    return searched + [Node(position.play(cell), cell) for cell in cut]
