"""The tree that alpha-beta searches, with the branches that it cuts."""

from __future__ import annotations

from dataclasses import dataclass, field

from noughts.engines.search import INFINITE, AlphaBeta, score_of_end
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
    """The tree down to `depth` plies, searched to the end. Scores are as `AlphaBeta` has them."""
    root = Node(position, None)
    root.score = -_visit(root, 0, depth, -INFINITE, INFINITE)
    return root


def _visit(node: Node, ply: int, depth: int, alpha: int, beta: int) -> int:
    """The score for who is to move in a position that is not over."""
    best = -INFINITE
    for cell in node.position.free:
        child = Node(node.position.play(cell), cell)
        node.children.append(child)
        if alpha >= beta:
            continue  # cut: it keeps no score
        end = score_of_end(child.position, ply + 1)
        if end is not None:
            score = end
        elif ply + 1 < depth:
            score = -_visit(child, ply + 1, depth, -beta, -alpha)
        else:
            score = -AlphaBeta().search(child.position, ply + 1, -beta, -alpha)
        child.score = score
        if end is None:
            child.bound = "≤" if score <= alpha else "≥" if score >= beta else ""
        best = max(best, score)
        alpha = max(alpha, best)
    return best
