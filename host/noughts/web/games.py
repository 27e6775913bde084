"""The games that are kept: a table of them, and each one step by step."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from noughts.store.queries import GameFilter, before_and_after, count, game, games
from noughts.store.store import Store
from noughts.views.board import evaluations
from noughts.views.games import game_row
from noughts.views.replay import replay
from noughts.web.address import choices, chosen_games, game_number, page_number
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
            "games": [
                asdict(game_row(each)) for each in games(store, which, PAGE, (page - 1) * PAGE)
            ],
            "choices": choices(store),
        }


def _one(db: Path, request: Request) -> dict[str, object]:
    """A game of the store; its neighbours are among those that the address chooses."""
    number = game_number(request.path_params["number"])
    which = chosen_games(request.query_params).listed()
    with Store(db) as store:
        found = game(store, number)
        before, after = before_and_after(store, which, found)
    shown = replay(found)
    return {
        "before": before,
        "after": after,
        **asdict(shown),
        "steps": [asdict(step) | {"said": step.said} for step in shown.steps],
        "evaluations": evaluations(list(map(int, found.moves))),
    }
