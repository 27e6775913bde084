"""The page to play on: what a position is worth, and what an engine answers.

The server remembers nothing: a page sends the whole game each time.
"""

from __future__ import annotations

import random
import time
from functools import cache
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from noughts.engines.registry import engines, known_engine
from noughts.game.engine import Reply
from noughts.game.positions import Position
from noughts.views.board import described, parsed
from noughts.web.safety import may_change
from noughts.web.site import Site

FRIEND = "friend"


def routes(site: Site) -> list[BaseRoute]:
    """Addresses of this part."""

    def players(request: Request) -> Response:
        """Whom one can play against, and whether games from there are kept."""
        address = request.client.host if request.client else ""
        listed = [{"name": FRIEND, "about": "at this computer"}]
        listed += [{"name": name, "about": each.about} for name, each in engines().items()]
        return JSONResponse({"players": listed, "keeps": may_change(site, address)})

    return [
        Route("/api/players", players, methods=["GET"]),
        Route("/api/position", _position, methods=["GET"]),
        Route("/api/reply", _reply, methods=["GET"]),
    ]


def _position(request: Request) -> Response:
    asked = request.query_params
    return JSONResponse(described(*parsed(asked.get("moves", ""), asked.get("start"))))


def _reply(request: Request) -> Response:
    """The game after an engine's answer, if it has to answer, and what the answer cost."""
    asked = request.query_params
    name = asked.get("engine", "")
    start, moves = parsed(asked.get("moves", ""), asked.get("start"))
    board = start
    for cell in moves:
        board = board.play(cell)
    did: dict[str, Any] | None = None
    if not board.is_over:
        reply, took_ms = _answered(name, board.position)
        chosen = reply.choose(random.Random())
        assert chosen is not None, "none of the engines that are known by name resigns"
        moves.append(chosen)
        did = {
            "engine": name,
            "cell": chosen,
            "choices": len(reply.cells),
            "nodes": reply.nodes,
            "cut": reply.cut,
            "ms": round(took_ms, 2),
            "remark": reply.remark,
        }
    return JSONResponse({"did": did, "game": described(start, moves)})


@cache
def _answered(name: str, position: Position) -> tuple[Reply, float]:
    """An engine's answer, and how long it took when it was first asked.

    Cached: whoever may look on may ask, and minimax takes a while.
    """
    engine = known_engine(name)
    start = time.perf_counter()
    reply = engine.reply(position)
    return reply, (time.perf_counter() - start) * 1000
