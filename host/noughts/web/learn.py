"""The page that steps through a search: its boards, and what is known after each step."""

from __future__ import annotations

import json
from functools import lru_cache

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from noughts.engines.search import INFINITE, format_score
from noughts.engines.tree import MAX_DRAWN, Entry, Search, Step, Steps, size, smaller, unfinished
from noughts.errors import NoughtsError
from noughts.game.board import Board
from noughts.game.positions import Position
from noughts.web.site import Site

_CALLED: dict[Search, str] = {"alphabeta": "alpha-beta", "minimax": "minimax"}


def routes(site: Site) -> list[BaseRoute]:
    """What the page asks."""
    return [Route("/api/search", _search, methods=["GET"])]


def _search(request: Request) -> Response:
    position = unfinished(request.query_params.get("position", ""))
    named = request.query_params.get("search", "alphabeta")
    search = next((known for known in _CALLED if known == named), None)
    if search is None:
        raise NoughtsError(f"{named[:20]!r} is not a search; choose one of {', '.join(_CALLED)}")
    return Response(_answer(position, search), media_type="application/json")


@lru_cache(maxsize=32)  # a class follows the same few positions
def _answer(position: Position, search: Search) -> bytes:
    nodes, cut = size(position, search)
    if nodes + cut > MAX_DRAWN:
        return json.dumps(_too_large(position, search, nodes, cut)).encode()
    found = Steps(position, search)
    facts = {
        "position": str(position),
        "search": search,
        "mover": "XO"[position.ply % 2],
        "nodes": nodes,
        "cut": cut,
        "boards": [_board(entry) for entry in found.entries],
        "steps": [_step(step) for step in found.steps],
    }
    return json.dumps(facts, ensure_ascii=False, separators=(",", ":")).encode()


def _too_large(position: Position, search: Search, nodes: int, cut: int) -> dict[str, object]:
    instead, by = smaller(position, search)
    looked_at, left_out = size(instead, by)
    moves = f" and cuts {cut:,} moves" if cut else ""
    if instead == position:
        advice = f"Take {_CALLED[by]}, which looks at {looked_at:,} and cuts {left_out:,} moves"
    else:
        more = instead.ply - position.ply
        count = f"{more} best moves" if more > 1 else "one best move"
        advice = f"Take the position after {count}, where {_CALLED[by]} looks at {looked_at:,}"
    return {
        "position": str(position),
        "search": search,
        "large": f"From {position} {_CALLED[search]} looks at {nodes:,} boards{moves}: too many to "
        f"follow. {advice}.",
        "instead": {"position": str(instead), "search": by},
    }


def _board(entry: Entry) -> dict[str, object]:
    node = entry.node
    marks = str(node.position)
    window = (node.alpha, node.beta)
    return {
        "marks": marks,
        "parent": entry.parent,
        "cell": node.cell,
        "mover": None if node.cell is None else marks[node.cell],
        "line": Board.of(node.position).winning_line or (),
        "value": _value(entry),
        "window": None
        if window == (-INFINITE, INFINITE)
        else [format_score(bound) for bound in window],
        "entered": entry.entered,
        "valued": entry.valued,
        "best": entry.best,
    }


def _value(entry: Entry) -> str | None:
    """What the move is worth to who makes it; at the root, to who is to move."""
    node = entry.node
    if node.score is None:
        return None
    if node.cell is None:
        return format_score(-node.score)
    return f"{node.bound} {format_score(node.score)}".strip()


def _step(step: Step) -> dict[str, object]:
    window = {"alpha": step.alpha, "beta": step.beta}
    return {
        "kind": step.kind,
        "board": step.entry,
        "text": step.text,
        **window,
        "window": [format_score(bound) for bound in window.values()],
        "nodes": step.nodes,
        "cut": step.cut,
    }
