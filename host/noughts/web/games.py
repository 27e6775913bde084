"""The games that are kept: a table of them, and each one step by step."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from noughts.protocol.describe import opponents, won
from noughts.store.queries import GameFilter, before_and_after, count, game, games
from noughts.store.store import Store
from noughts.store.stored_game import StoredGame
from noughts.web.address import choices, chosen_games, game_number, page_number
from noughts.web.game_steps import about, evaluations, moves, steps
from noughts.web.site import Site

PAGE = 25
"""Games in a page of the table."""


def routes(site: Site) -> list[BaseRoute]:
    """The table, and each game."""

    def listed(request: Request) -> Response:
        return JSONResponse(_listed(site.db, request))

    def one(request: Request) -> Response:
        return JSONResponse(_one(site.db, request))

    return [Route("/api/games", listed), Route("/api/games/{number}", one)]


def _listed(db: Path, request: Request) -> dict[str, object]:
    """A page of the games that the address chooses, the newest first."""
    chosen, wanted_page = chosen_games(request.query_params), page_number(request.query_params)
    which = chosen.listed()
    if not db.exists():
        return {"kept": False}
    with Store(db) as store:
        total = count(store, which)
        pages = max(1, -(-total // PAGE))
        page = min(wanted_page, pages)  # a link may be older than the store
        return {
            "kept": total > 0 or any(games(store, GameFilter(), 1)),
            "total": total,
            "which": chosen.describe(),
            "page": page,
            "pages": pages,
            "games": _rows(games(store, which, PAGE, (page - 1) * PAGE)),
            "choices": choices(store),
        }


def _rows(found: Iterable[StoredGame]) -> list[dict[str, object]]:
    return [
        {
            "number": each.id,
            "began": str(each.when),
            "opponents": opponents(each.seats),
            "first": each.first,
            "result": won(each.result),
            "moves": len(each.moves),
            "seconds": round(each.ms / 1000),
            "board": each.called,
        }
        for each in found
    ]


def _one(db: Path, request: Request) -> dict[str, object]:
    """A game of the store; its neighbours are among those that the address chooses."""
    number = game_number(request.path_params["number"])
    which = chosen_games(request.query_params).listed()
    with Store(db) as store:
        found = game(store, number)
        before, after = before_and_after(store, which, found)
    return {
        "number": found.id,
        "before": before,
        "after": after,
        **about(found),
        "moves": moves(found),
        "steps": steps(found),
        "evaluations": evaluations(found),
    }
