"""A search, one step at a time: what it looks at, what it then knows, and what it cuts.

    enter   a move is tried; if it ends the game, its value is known at once
    value   all that can follow is known, or enough of it: the move has a value
    cut     the moves that are left cannot matter any more
    done    the root's value is known, and the move to play

The steps are read off the tree that the engine itself went through, so they cannot differ from it.
Values and windows are said from the side of the player who makes the move, and plies are counted
from the root.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Literal

from noughts.engines.search import INFINITE, AlphaBeta, in_words
from noughts.engines.tree import MAX_DRAWN, Node, Search, build_tree
from noughts.game.positions import WON, Position

Kind = Literal["enter", "value", "cut", "done"]


@dataclass
class Entry:
    """A board of the tree, in the order in which they are met, and when what of it is known."""

    node: Node
    parent: int | None
    """Its number among the entries; None for the root."""
    entered: int
    """The step from which on it is seen; of a move that is cut, the step that cuts it."""
    valued: int | None = None
    """The step from which on its value is known."""
    best: tuple[int, int | None] | None = None
    """From which step, and until which, it is the best of the moves from its position."""


@dataclass(frozen=True)
class Step:
    """One step: what happens, where, and what is known then."""

    kind: Kind
    entry: int
    text: str
    alpha: int
    beta: int
    """The window of who chooses among the moves that `entry` is one of."""
    nodes: int
    cut: int
    """How many boards have been looked at, and how many moves cut, so far."""


@dataclass
class Walk:
    """A whole search: its boards, and the steps through them."""

    entries: list[Entry]
    steps: list[Step]


def size(position: Position, search: Search) -> tuple[int, int]:
    """How many boards a search looks at, and how many moves it cuts."""
    if search == "minimax":
        return _all_below(position), 0
    reply = AlphaBeta().reply(position)
    return reply.nodes, reply.cut


def smaller(position: Position, search: Search) -> tuple[Position, Search]:
    """What to step through instead of a search with too many boards.

    The same position with alpha-beta, if that fits; else the one after as few best moves as needed.
    """
    while sum(size(position, "alphabeta")) > MAX_DRAWN:
        position = position.play(AlphaBeta().reply(position).cells[0])
    fits = sum(size(position, search)) <= MAX_DRAWN
    return position, search if fits else "alphabeta"


def walk(position: Position, search: Search) -> Walk:
    """The search from an unfinished position, with at most `MAX_DRAWN` boards."""
    return _Walker(search).walk(build_tree(position, 9, search))


class _Walker:
    def __init__(self, search: Search) -> None:
        self._cuts = search == "alphabeta"
        self._walk = Walk([], [])
        self._nodes = self._cut = 0

    def walk(self, root: Node) -> Walk:
        mover, _ = _players(root.position)
        self._enter(root, None)
        text = f"{mover} is to move: which move is best?"
        self._step("enter", 0, text, -INFINITE, INFINITE)
        self._try_moves(root, 0, mover)
        best = next(child for child in root.children if child.best)
        cost = f"{self._nodes} boards were looked at, {_moves(self._cut)} cut."
        text = f"{mover} plays {_cell(best)}: {in_words(best.score or 0)}. {cost}"
        self._walk.entries[0].valued = len(self._walk.steps)
        self._step("done", 0, text, -INFINITE, INFINITE)
        return self._walk

    def _enter(self, node: Node, parent: int | None) -> int:
        self._walk.entries.append(Entry(node, parent, len(self._walk.steps)))
        return len(self._walk.entries) - 1

    def _step(self, kind: Kind, entry: int, text: str, alpha: int, beta: int) -> None:
        self._nodes += kind == "enter"
        self._walk.steps.append(Step(kind, entry, text, alpha, beta, self._nodes, self._cut))

    def _try_moves(self, node: Node, number: int, mover: str) -> None:
        """Try the moves of a board, best so far to be kept, until the rest is cut."""
        alpha, beta = -INFINITE, INFINITE
        best: Entry | None = None
        for child in node.children:
            if child.score is None:
                break
            alpha, beta = child.alpha, child.beta
            entry = self._enter(child, number)
            if not child.position.over:
                window = f" {_window(mover, alpha, beta)}" if self._cuts else ""
                self._step("enter", entry, f"{mover} tries {_cell(child)}.{window}", alpha, beta)
                self._try_moves(child, entry, _players(child.position)[0])
            seen = self._walk.entries[entry]
            seen.valued = len(self._walk.steps)
            better = best is None or child.score > (best.node.score or 0)
            if better:
                if best and best.best:
                    best.best = best.best[0], seen.valued
                best, seen.best = seen, (seen.valued, None)
            # What minimax knows as its best is alpha too, but it makes no use of it.
            raised = max(alpha, child.score) if self._cuts else alpha
            text = f"{_result(child, mover)} {_effect(child, mover, alpha, raised, better)}"
            kind: Kind = "enter" if child.position.over else "value"
            self._step(kind, entry, text, raised, beta)
            alpha = raised
        self._cut_rest(node, number, mover, alpha, beta)

    def _cut_rest(self, node: Node, number: int, mover: str, alpha: int, beta: int) -> None:
        rest = [child for child in node.children if child.score is None]
        if not rest:
            return
        entries = [self._enter(child, number) for child in rest]
        self._cut += len(rest)
        other = "O" if mover == "X" else "X"
        cells = ", ".join(map(_cell, rest))
        text = (
            f"{_moves(len(rest))} cut ({cells}): {other} already has a {in_words(-beta)} with an "
            f"earlier move, and here {mover} has a {in_words(alpha)} for certain. So {other} never "
            "lets it come to this board."
        )
        self._step("cut", entries[0], text, alpha, beta)


@cache
def _all_below(position: Position) -> int:
    if position.over:
        return 1
    return 1 + sum(_all_below(position.play(cell)) for cell in position.free)


def _players(position: Position) -> tuple[str, str]:
    """Who is to move, and the other."""
    return ("O", "X") if position.ply % 2 else ("X", "O")


def _cell(node: Node) -> str:
    assert node.cell is not None
    return str(node.cell + 1)


def _moves(count: int) -> str:
    return f"{count} move{'s' * (count != 1)}"


def _window(mover: str, alpha: int, beta: int) -> str:
    if (alpha, beta) == (-INFINITE, INFINITE):
        return "The window is open: nothing is known yet."
    return f"The window is from {in_words(alpha)} to {in_words(beta)} for {mover}."


def _result(node: Node, mover: str) -> str:
    assert node.score is not None
    worth = f"a {in_words(node.score)} for {mover}"
    if not node.position.over:
        bound = {"≤": "at most ", "≥": "at least "}.get(node.bound, "")
        return f"{mover}'s {_cell(node)} is {bound}{worth}."
    if WON[node.position.other]:
        return f"{mover} plays {_cell(node)} and has a line: {worth}."
    return f"{mover} plays {_cell(node)} and the board is full: a draw."


def _effect(node: Node, mover: str, alpha: int, raised: int, better: bool) -> str:
    if raised > alpha:
        return f"{mover}'s best so far: alpha is now {in_words(raised)}."
    if better and alpha == -INFINITE:
        return f"{mover}'s best so far."
    if better:
        return f"The best here, but {mover} already has a {in_words(alpha)} with an earlier move."
    return f"No better than what {mover} has."
