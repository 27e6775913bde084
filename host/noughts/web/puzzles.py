"""Puzzles: find the only move; and what a wrong one allows."""

from __future__ import annotations

import random
import threading
import time
from functools import lru_cache
from pathlib import Path
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from noughts.errors import NoughtsError, StoreError
from noughts.game.board import Board
from noughts.game.positions import EMPTY
from noughts.game.puzzles import LEVELS, draw
from noughts.store.people_moves import met_positions
from noughts.store.queries import GameFilter
from noughts.store.store import Store
from noughts.views.puzzles import Met, level_among, parsed_puzzle, posed
from noughts.web.pages import PAGES, answer
from noughts.web.site import Site

_FRESH_S = 60
"""So long people's moves are remembered: reading 100,000 games takes a second."""
_READING = threading.Lock()


def routes(site: Site) -> list[BaseRoute]:
    """The page."""

    def page(request: Request) -> Response:
        """The puzzle that is asked for, or one of a level, other than the one before."""
        asked = request.query_params
        try:
            met = people_met(site.db)
            wanted = asked.get("level", "")
            if wanted not in ("", *map(str, LEVELS)):
                raise NoughtsError(f"{wanted[:20]!r} is not a level; choose 1, 2 or 3")
            if "position" in asked:
                shown = posed(parsed_puzzle(asked["position"]), met)
                return answer(request, site, "puzzles", wanted=wanted, **shown)
            after = Board(asked["after"]).position if "after" in asked else EMPTY
            aimed = int(wanted) if wanted else random.choice(LEVELS)
            drawn = draw(random.Random(), lambda each: level_among(each, met) == aimed, after)
            query = {"position": drawn.position, "level": wanted, "next": "after" in asked or ""}
            words = urlencode([(name, text) for name, text in query.items() if text])
            return RedirectResponse(f"{PAGES['puzzles'].address}?{words}", 303)
        except NoughtsError as error:
            return answer(request, site, "puzzles", 400, error=str(error))

    return [Route(PAGES["puzzles"].address, page, methods=["GET"])]


def people_met(db: Path) -> Met:
    """What people did in the games of a store: as it was a minute ago at the earliest."""
    with _READING:
        return _met(db, int(time.monotonic() // _FRESH_S))


@lru_cache(1)
def _met(db: Path, minute: int) -> Met:
    try:
        with Store(db) as store:
            found = met_positions(store, GameFilter())
    except StoreError:
        return {}
    return {each.position: (each.met, each.mistakes) for each in found}
