"""The tree of a search, with the branches that alpha-beta cuts.

Values and windows are for the player who makes the move; plies are counted from the root.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

from noughts.engines.search import INFINITE, AlphaBeta, Minimax, format_score
from noughts.errors import NoughtsError
from noughts.game.positions import WON, Position, parse

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
    """Its value to the player who made the move, in plies from the root; None if it was cut."""
    alpha: int = -INFINITE
    beta: int = INFINITE
    """The window in which the move was searched, as scores to who made it."""
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
        """The score in words; at the root, for the player to move."""
        score = self.score or 0
        return f"{self.bound} {format_score(-score if self.cell is None else score)}".strip()

    def __iter__(self) -> Iterator[Node]:
        """The node and all below it, in the order of the search."""
        yield self
        for child in self.children:
            yield from child


def unfinished(text: str) -> Position:
    """The unfinished position that nine characters describe. Raises `NoughtsError`."""
    position = parse(text)
    if not position.over:
        return position
    winner = "O" if position.turn == "X" else "X"
    ending = f"{winner} has already won" if WON[position.other] else "the game is drawn"
    raise NoughtsError(f"in {position} {ending}; give an unfinished position")


def build_tree(position: Position, depth: int, search: Search) -> Node:
    """The tree of a complete search, down to `depth` plies."""
    made: list[list[Node]] = [[] for _ in range(10)]
    """By ply, the moves searched so far from the current position."""

    def visited(after: Position, bit: int, ply: int, score: int, alpha: int, beta: int) -> None:
        if ply < depth:
            node = Node(after, bit.bit_length() - 1, score, alpha, beta)
            node.children = _with_those_cut(after, made[ply + 1]) if ply + 1 < depth else []
            made[ply].append(node)
        made[ply + 1] = []

    score = SEARCHES[search](visited).reply(position).score or 0
    return Node(position, None, -score, children=_with_those_cut(position, made[0]))


def _with_those_cut(position: Position, searched: list[Node]) -> list[Node]:
    """The moves that were searched, and after them those that were cut, without a score."""
    if searched:
        max(searched, key=lambda node: node.score or 0).best = True
    free = () if position.over else position.free
    cut = free[len(searched) :]
    return searched + [Node(position.play(cell), cell) for cell in cut]
