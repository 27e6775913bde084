"""Searches for the page Learn: the boards of a search, and the knowledge after each step.

A step tries a move; or it settles a move's value, once enough of what follows is known; or it cuts
the remaining moves, because they cannot matter. After the last step, the root's value is known, and
the move to play.

The steps are read off the tree that the engine itself went through, so they cannot differ from it.
"""

from functools import cache, lru_cache
from typing import NamedTuple

from noughts.engines.search import (
    INFINITE,
    MAX_DRAWN,
    SEARCHES,
    Node,
    Search,
    build_tree,
    format_score,
)
from noughts.game.positions import WON, Position
from noughts.protocol.describe import counted

SEARCH_NAMES: dict[Search, str] = {"alphabeta": "alpha-beta", "minimax": "minimax"}
"""The name of a search in texts."""


@lru_cache(maxsize=32)  # a class follows the same few positions
def followed(position: Position, search: Search) -> dict[str, object]:
    """The view of a search; if it is too large, a message and a position to follow instead.

    From that, the search of alpha-beta is small enough; it comes after as few best moves as needed.
    """
    nodes, cut = _size(position, search)
    if nodes + cut <= MAX_DRAWN:
        shown_search = Steps(position, search)
        boards_and_steps = {"boards": shown_search.boards, "steps": shown_search.steps}
        return {"view": {"position": str(position), "search": search} | boards_and_steps}
    instead = position
    while sum(_size(instead, "alphabeta")) > MAX_DRAWN:
        instead = instead.play(SEARCHES["alphabeta"]().reply(instead).cells[0])
    fewer, _ = _size(instead, "alphabeta")
    message = (
        f"From {position} {SEARCH_NAMES[search]} looks at {nodes:,} boards: too many to follow. "
        f"From {instead} alpha-beta looks at {fewer:,}."
    )
    return {"message": message, "instead": instead}


@cache
def _size(position: Position, search: Search) -> tuple[int, int]:
    reply = SEARCHES[search]().reply(position)
    return reply.nodes, reply.cut


class _BestMove(NamedTuple):
    """The best move from a board so far."""

    score: int
    board: int
    """The number of the board after it."""
    since: int
    """The step at which it became the best."""


class Steps:
    """A whole search from an unfinished position, with at most `MAX_DRAWN` boards, as JSON."""

    def __init__(self, position: Position, search: Search) -> None:
        self.boards: list[dict[str, object]] = []
        """In the order of the search, as in the tree."""
        self.steps: list[dict[str, object]] = []
        self._cuts = search == "alphabeta"
        self._cut = 0
        self.tree, mover = build_tree(position, 9, search), position.turn
        self._enter(self.tree, None)
        self._step(0, f"{mover} is to move: which move is best?")
        self._try_moves(self.tree, 0)
        best = next(child for child in self.tree.children if child.best)
        self.boards[0]["valued"] = len(self.steps)
        cost = f"{counted(self._nodes, 'board')} looked at, {counted(self._cut, 'move')} cut."
        self._step(0, f"{mover} plays {best.number}: {best.value}. {cost}")

    @property
    def _nodes(self) -> int:
        """How many boards were looked at so far."""
        return len(self.boards) - self._cut

    def _enter(self, node: Node, parent: int | None) -> int:
        marks, text, whose = str(node.position), f"{node.position.turn} to move", ""
        if node.cell is not None:
            text, whose = f"{marks[node.cell]} plays {node.number}", f" of {marks[node.cell]}"
        is_open = (node.alpha, node.beta) == (-INFINITE, INFINITE)
        self.boards.append(
            {
                "marks": marks,
                "parent": parent,
                "last": node.cell,
                "text": text,
                "line": node.position.won_cells,
                "value": None if node.score is None else node.value,
                "whose": f"Window{whose}, from alpha to beta",
                "window": None if is_open else f"window: {_window(node.alpha, node.beta)}",
                # The steps at which it appears, at which its value is known, and between which it
                # is the best move from its position, if ever.
                "entered": len(self.steps),
                "valued": None,
                "best": None,
            }
        )
        return len(self.boards) - 1

    def _step(self, board: int, text: str, alpha: int = -INFINITE, beta: int = INFINITE) -> None:
        """alpha, beta: the window of the player who chooses between `board` and its siblings."""
        self.steps.append(
            {
                "board": board,
                "text": text,
                "alpha": alpha,
                "beta": beta,
                "window": _window(alpha, beta),
                "nodes": self._nodes,
                "cut": self._cut,
            }
        )

    def _try_moves(self, node: Node, number: int) -> None:
        """Try the moves of a board, remembering the best, until the rest is cut."""
        mover = node.position.turn
        best: _BestMove | None = None
        for child in node.children:
            if child.score is None:
                break
            alpha, beta = child.alpha, child.beta
            board = self._enter(child, number)
            if not child.position.over:
                window = f" {_window_in_words(alpha, beta, mover)}" if self._cuts else ""
                self._step(board, f"{mover} tries {child.number}.{window}", alpha, beta)
                self._try_moves(child, board)
            valued = len(self.steps)
            self.boards[board]["valued"] = valued
            is_better = best is None or child.score > best.score
            if is_better:
                if best:
                    self.boards[best.board]["best"] = [best.since, valued]
                best = _BestMove(child.score, board, valued)
                self.boards[board]["best"] = [valued, None]
            # Minimax has a best value too, but does not use it as alpha.
            raised = max(alpha, child.score) if self._cuts else alpha
            text = f"{_result(child, mover)} {_effect(mover, alpha, raised, is_better)}"
            self._step(board, text, raised, beta)
        rest = [child for child in node.children if child.score is None]
        if not rest:
            return
        first, *_ = [self._enter(child, number) for child in rest]
        self._cut += len(rest)
        other = "O" if mover == "X" else "X"
        cells = ", ".join(str(child.number) for child in rest)
        text = (
            f"{counted(len(rest), 'move')} cut ({cells}): {other} already has a "
            f"{format_score(-beta)} with an earlier move, and here {mover} has a "
            f"{format_score(raised)} for certain. So {other} would never let it come to this board."
        )
        self._step(first, text, raised, beta)


def _window(alpha: int, beta: int) -> str:
    return f"{format_score(alpha)} to {format_score(beta)}"


def _window_in_words(alpha: int, beta: int, mover: str) -> str:
    if (alpha, beta) == (-INFINITE, INFINITE):
        return f"Nothing is known yet for {mover}: anything from a loss to a win."
    least = "a loss" if alpha == -INFINITE else f"a {format_score(alpha)}"
    most = "a win" if beta == INFINITE else f"a {format_score(beta)}"
    return f"For {mover}, only results between {least} and {most} still matter: the window."


def _result(node: Node, mover: str) -> str:
    assert node.score is not None
    value_words = f"a {format_score(node.score)} for {mover}"
    if not node.position.over:
        bound = {"≤": "at most ", "≥": "at least "}.get(node.bound, "")
        return f"{mover}'s {node.number} is {bound}{value_words}."
    if WON[node.position.other]:
        return f"{mover} plays {node.number} and has a line: {value_words}."
    return f"{mover} plays {node.number} and the board is full: a draw."


def _effect(mover: str, alpha: int, raised: int, is_better: bool) -> str:
    if raised > alpha:
        return f"{mover}'s best so far: alpha is now {format_score(raised)}."
    if not is_better:
        return f"No better than {mover}'s best so far."
    return f"{mover}'s best so far on this board."
