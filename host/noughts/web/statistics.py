"""Statistics of the games that are kept, and the positions in which people went wrong most."""

from __future__ import annotations

import asyncio
import json
from collections import OrderedDict
from dataclasses import asdict
from pathlib import Path

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from noughts.store.people_moves import met_positions
from noughts.store.queries import GameFilter, games, last_games
from noughts.store.statistics import stats
from noughts.store.store import Store
from noughts.views.game_filter import ChosenGames
from noughts.views.statistics import statistics
from noughts.web.address import choices, chosen_games
from noughts.web.site import Site

_KEPT = 16
"""Answers: as many choices of games as a class looks at."""

_State = list[tuple[int, int, int] | None]


def routes(site: Site) -> list[BaseRoute]:
    """The statistics, as `noughts stats` and `report` count them."""
    counted = CountedStatistics(site.db)

    async def answer(request: Request) -> Response:
        content = await counted.of(chosen_games(request.query_params))
        return Response(content, media_type="application/json")

    return [Route("/api/statistics", answer)]


class CountedStatistics:
    """What was counted is kept until the store changes: of 100,000 games it takes seconds.

    Only one is counted at a time, so that a class that looks at it leaves time for the rest.
    """

    def __init__(self, db: Path) -> None:
        self._db = db
        self._kept: OrderedDict[ChosenGames, tuple[_State, bytes]] = OrderedDict()
        self._counting = asyncio.Lock()

    async def of(self, chosen: ChosenGames) -> bytes:
        """The answer as JSON. Raises `StoreError`."""
        async with self._counting:
            state = _state(self._db)  # before counting: what comes meanwhile makes it out of date
            known, content = self._kept.pop(chosen, (None, b""))
            if known != state:
                content = await run_in_threadpool(_counted, self._db, chosen)
            self._kept[chosen] = state, content
            if len(self._kept) > _KEPT:
                self._kept.popitem(last=False)
            return content


def _state(db: Path) -> _State:
    """What changes whenever somebody writes to the store, or puts another in its place."""
    found: _State = []
    for path in (db, Path(f"{db}-wal")):
        try:
            status = path.stat()
        except OSError:
            found.append(None)
            continue
        # To read a store already makes an empty log.
        content = status.st_size, status.st_mtime_ns, status.st_ino
        found.append(content if status.st_size else None)
    return found


def _counted(db: Path, chosen: ChosenGames) -> bytes:
    which = chosen.filter()
    if not db.exists():
        return json.dumps({"kept": False}).encode()
    with Store(db) as store:
        found = stats(store, which)
        shown: dict[str, object] = {
            "kept": found.games > 0 or any(games(store, GameFilter(), 1)),
            "total": found.games,
            "which": chosen.describe(),
            "choices": choices(store),
        }
        if found.games:
            positions = met_positions(store, which)
            shown |= asdict(statistics(found, last_games(store, which), positions))
    return json.dumps(shown).encode()
