"""The tree that a search goes through, with the branches that alpha-beta cuts, and its steps.

    enter   a move is tried; if it ends the game, its value is known at once
    value   all that can follow is known, or enough of it: the move has a value
    cut     the moves that are left cannot matter any more
    done    the root's value is known, and the move to play

The steps are read off the tree that the engine itself went through, so they cannot differ from it.
Values and windows are for the player who makes the move; plies are counted from the root.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import Literal

from noughts.engines.search import INFINITE, AlphaBeta, Minimax, format_score
from noughts.errors import NoughtsError
from noughts.game.positions import WON, Position, parse

Search = Literal["alphabeta", "minimax"]
_SEARCHES = {"alphabeta": AlphaBeta, "minimax": Minimax}

MAX_DRAWN = 500
"""Boards in a picture. Beyond, nobody follows it, and printers print dozens of pages."""


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
    """Whether it is the move that the search plays, of those from the same position."""
    children: list[Node] = field(default_factory=list)
    # The rest is for `Steps`: of boards in the order in which they are met.
    parent: int | None = None
    """Its number among the boards; None for the root."""
    entered: int = 0
    """The step from which on it is seen; of a move that is cut, the step that cuts it."""
    valued: int | None = None
    """The step from which on its value is known."""
    leads: tuple[int, int | None] | None = None
    """From which step, and until which, it is the best of the moves from its position."""

    @property
    def number(self) -> int:
        """The cell as people count, from 1."""
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
        return f"{self.bound} {format_score(self.score or 0)}".strip()

    def __iter__(self) -> Iterator[Node]:
        """The node and all below it, in the order in which they were met."""
        yield self
        for child in self.children:
            yield from child


def unfinished(text: str) -> Position:
    """The position that nine characters describe, in which somebody is to move.

    Raises `NoughtsError` for any other text.
    """
    position = parse(text)
    if not position.over:
        return position
    winner = "O" if position.turn == "X" else "X"
    ending = f"{winner} has already won" if WON[position.other] else "the game is drawn"
    raise NoughtsError(f"in {position} {ending}; give an unfinished position")


def build_tree(position: Position, depth: int, search: Search = "alphabeta") -> Node:
    """The tree down to `depth` plies, as the search itself goes through it to its end."""
    made: list[list[Node]] = [[] for _ in range(10)]
    """By ply, the moves that were searched since the position that they lead from."""

    def visited(after: Position, bit: int, ply: int, score: int, alpha: int, beta: int) -> None:
        if ply < depth:
            node = Node(after, bit.bit_length() - 1, score, alpha, beta)
            node.children = _with_those_cut(after, made[ply + 1]) if ply + 1 < depth else []
            made[ply].append(node)
        made[ply + 1] = []

    score = _SEARCHES[search](visited).reply(position).score
    return Node(
        position, None, None if score is None else -score,
        children=_with_those_cut(position, made[0]),
    )  # fmt: skip


def _with_those_cut(position: Position, searched: list[Node]) -> list[Node]:
    """The moves that were searched, and behind them those that were cut: they have no score."""
    if searched:
        max(searched, key=lambda node: node.score or 0).best = True
    free = () if position.over else position.free
    cut = free[len(searched) :]
    return searched + [Node(position.play(cell), cell) for cell in cut]


@dataclass(frozen=True)
class Step:
    kind: Literal["enter", "value", "cut", "done"]
    board: int
    text: str
    alpha: int
    beta: int
    """The window of who chooses among the moves that `board` is one of."""
    nodes: int
    cut: int
    """How many boards have been looked at, and how many moves cut, so far."""


@cache
def size(position: Position, search: Search) -> tuple[int, int]:
    reply = _SEARCHES[search]().reply(position)
    return reply.nodes, reply.cut


def smaller(position: Position, search: Search) -> tuple[Position, Search]:
    """What to step through instead of a search with too many boards.

    The same position with alpha-beta, if that fits; else the one after as few best moves as needed.
    """
    while sum(size(position, "alphabeta")) > MAX_DRAWN:
        position = position.play(AlphaBeta().reply(position).cells[0])
    fits = sum(size(position, search)) <= MAX_DRAWN
    return position, search if fits else "alphabeta"


class Steps:
    """A whole search from an unfinished position, with at most `MAX_DRAWN` boards."""

    def __init__(self, position: Position, search: Search) -> None:
        self.boards: list[Node] = []
        self.steps: list[Step] = []
        self._cuts = search == "alphabeta"
        self._nodes = self._cut = 0
        root, mover = build_tree(position, 9, search), position.turn
        self._enter(root, None)
        self._step("enter", 0, f"{mover} is to move: which move is best?")
        self._try_moves(root, 0)
        best = next(child for child in root.children if child.best)
        root.valued = len(self.steps)
        cost = f"{self._nodes} boards were looked at, {_moves(self._cut)} cut."
        self._step("done", 0, f"{mover} plays {best.number}: {best.value}. {cost}")

    def _enter(self, node: Node, parent: int | None) -> int:
        node.parent, node.entered = parent, len(self.steps)
        self.boards.append(node)
        return len(self.boards) - 1

    def _step(
        self,
        kind: Literal["enter", "value", "cut", "done"],
        board: int,
        text: str,
        alpha: int = -INFINITE,
        beta: int = INFINITE,
    ) -> None:
        self._nodes += kind == "enter"
        self.steps.append(Step(kind, board, text, alpha, beta, self._nodes, self._cut))

    def _try_moves(self, node: Node, number: int) -> None:
        """Try the moves of a board, remembering the best, until the rest is cut."""
        mover = node.position.turn
        alpha, beta = -INFINITE, INFINITE
        best: Node | None = None
        for child in node.children:
            if child.score is None:
                break
            alpha, beta = child.alpha, child.beta
            board = self._enter(child, number)
            if not child.position.over:
                window = f" {_window(mover, alpha, beta)}" if self._cuts else ""
                self._step("enter", board, f"{mover} tries {child.number}.{window}", alpha, beta)
                self._try_moves(child, board)
            child.valued = len(self.steps)
            better = best is None or child.score > (best.score or 0)
            if better:
                if best and best.leads:
                    best.leads = best.leads[0], child.valued
                best, child.leads = child, (child.valued, None)
            # What minimax knows as its best is alpha too, but it makes no use of it.
            raised = max(alpha, child.score) if self._cuts else alpha
            text = f"{_result(child, mover)} {_effect(mover, alpha, raised, better)}"
            self._step("enter" if child.position.over else "value", board, text, raised, beta)
            alpha = raised
        rest = [child for child in node.children if child.score is None]
        if not rest:
            return
        first, *_ = [self._enter(child, number) for child in rest]
        self._cut += len(rest)
        other = "O" if mover == "X" else "X"
        cells = ", ".join(str(child.number) for child in rest)
        text = (
            f"{_moves(len(rest))} cut ({cells}): {other} already has a {format_score(-beta)} with "
            f"an earlier move, and here {mover} has a {format_score(alpha)} for certain. So "
            f"{other} never lets it come to this board."
        )
        self._step("cut", first, text, alpha, beta)


def _moves(count: int) -> str:
    return f"{count} move{'s' * (count != 1)}"


def _window(mover: str, alpha: int, beta: int) -> str:
    if (alpha, beta) == (-INFINITE, INFINITE):
        return "The window is open: nothing is known yet."
    return f"The window is from {format_score(alpha)} to {format_score(beta)} for {mover}."


def _result(node: Node, mover: str) -> str:
    assert node.score is not None
    worth = f"a {format_score(node.score)} for {mover}"
    if not node.position.over:
        bound = {"≤": "at most ", "≥": "at least "}.get(node.bound, "")
        return f"{mover}'s {node.number} is {bound}{worth}."
    if WON[node.position.other]:
        return f"{mover} plays {node.number} and has a line: {worth}."
    return f"{mover} plays {node.number} and the board is full: a draw."


def _effect(mover: str, alpha: int, raised: int, better: bool) -> str:
    if raised > alpha:
        return f"{mover}'s best so far: alpha is now {format_score(raised)}."
    if not better:
        return f"No better than {mover}'s best so far."
    if alpha == -INFINITE:
        return f"{mover}'s best so far."
    return f"The best here, but {mover} already has a {format_score(alpha)} with an earlier move."
