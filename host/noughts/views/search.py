"""A search as the page Learn steps through it: its boards, and what is known after each step."""

from dataclasses import asdict
from functools import lru_cache
from typing import Any

from noughts.engines.search import INFINITE, format_score
from noughts.engines.search_tree import MAX_DRAWN, Node, Search, Step, Steps, size, smaller
from noughts.game.board import Board
from noughts.game.positions import Position

SEARCHES: dict[Search, str] = {"alphabeta": "alpha-beta", "minimax": "minimax"}
"""And what people call them."""


@lru_cache(maxsize=32)  # a class follows the same few positions
def followed(position: Position, search: Search) -> dict[str, Any]:
    """The view of a search; of one that is too large a message, and what to follow instead."""
    nodes, cut = size(position, search)
    if nodes + cut > MAX_DRAWN:
        return _too_large(position, search, nodes, cut)
    found = Steps(position, search)
    view = {
        "position": str(position),
        "search": search,
        "nodes": nodes,
        "cut": cut,
        "boards": [_board(node) for node in found.boards],
        "steps": [asdict(step) | {"window": _window(step)} for step in found.steps],
    }
    return {"position": str(position), "view": view}


def _too_large(position: Position, search: Search, nodes: int, cut: int) -> dict[str, Any]:
    instead, by = smaller(position, search)
    looked_at, left_out = size(instead, by)
    moves = f" and cuts {cut:,} moves" if cut else ""
    if instead == position:
        advice = f"Take {SEARCHES[by]}, which looks at {looked_at:,} and cuts {left_out:,} moves"
    else:
        more = instead.ply - position.ply
        count = f"{more} best moves" if more > 1 else "one best move"
        advice = f"Take the position after {count}, where {SEARCHES[by]} looks at {looked_at:,}"
    return {
        "position": str(position),
        "message": f"From {position} {SEARCHES[search]} looks at {nodes:,} boards{moves}: "
        f"too many to follow. {advice}.",
        "instead": {"position": str(instead), "search": by},
    }


def _window(at: Node | Step) -> str:
    return f"{format_score(at.alpha)} to {format_score(at.beta)}"


def _board(node: Node) -> dict[str, object]:
    marks = str(node.position)
    mover = None if node.cell is None else marks[node.cell]
    is_open = (node.alpha, node.beta) == (-INFINITE, INFINITE)
    return {
        "marks": marks,
        "parent": node.parent,
        "last": node.cell,
        "text": f"{node.position.turn} to move"
        if node.cell is None
        else f"{mover} plays {node.cell + 1}",
        "line": Board.of(node.position).winning_line or (),
        "value": _value(node),
        "whose": f"Window{f' of {mover}' if mover else ''}, from alpha to beta",
        "window": None if is_open else f"window: {_window(node)}",
        "entered": node.entered,
        "valued": node.valued,
        "best": node.leads,
    }


def _value(node: Node) -> str | None:
    """The move's value to the player who makes it; at the root, to the player to move."""
    if node.score is None:
        return None
    if node.cell is None:
        return format_score(-node.score)
    return node.value
