"""The stored games: a list of them, each one step by step, and their statistics."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import asdict
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlencode

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import QueryParams
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from noughts.errors import NoughtsError, error_message
from noughts.protocol.describe import counted, opponents, won
from noughts.store.boards import searched_for
from noughts.store.people_moves import met_positions
from noughts.store.queries import (
    GameFilter,
    before_and_after,
    count,
    game,
    games,
    last_games,
    seats_played,
)
from noughts.store.statistics import stats
from noughts.store.store import Store
from noughts.store.stored_game import RESULTS
from noughts.views import game_filter
from noughts.views.board import graph
from noughts.views.game_filter import ChosenGames
from noughts.views.games import games_table
from noughts.views.replay import replay
from noughts.views.statistics import statistics
from noughts.web.pages import PAGES, answer
from noughts.web.site import Site

PAGE = 25
"""Games in a page of the list."""
_MAX_VALUES = 20
"""Of one name: SQLite limits how long a condition may be."""
_MAX_DIGITS = 18
"""SQLite's numbers have 63 bits."""
_KEPT = 16
"""Statistics: as many choices of games as a class looks at."""

_Value = TypeVar("_Value")
Values = dict[str, Any]
"""What a template is filled with."""


def routes(site: Site) -> list[BaseRoute]:
    """The pages of stored games."""
    counting = asyncio.Lock()

    async def listed(request: Request) -> Values:
        return await run_in_threadpool(_listed, site.db, request.query_params)

    async def one(request: Request) -> Values:
        number = request.path_params["number"]
        return await run_in_threadpool(_one, site.db, number, request.query_params)

    async def figures(request: Request) -> Values:
        """One choice is counted at a time: a class that looks at it leaves time for the rest."""
        chosen = chosen_games(request.query_params)
        async with counting:
            found = await run_in_threadpool(_counted, site.db, chosen, store_state(site.db))
        return {**found, "query": _query(request.query_params), "report": False}

    def page(name: str, values: Callable[[Request], Awaitable[Values]]) -> Route:
        async def answered(request: Request) -> Response:
            try:
                return answer(request, site, name, **await values(request))
            except (NoughtsError, OSError) as error:
                return answer(request, site, name, 400, error=error_message(error))

        return Route(PAGES[name].address, answered, methods=["GET"])

    return [page("games", listed), page("game", one), page("statistics", figures)]


def _listed(db: Path, query: QueryParams) -> Values:
    """A page of the games that the address chooses, the newest first."""
    chosen, wanted = chosen_games(query), page_number(query)
    which = chosen.listed()
    if not db.exists():
        return _chooser(None, chosen, 0) | {"query": _query(query)}
    with Store(db) as store:
        total = count(store, which)
        pages = max(1, -(-total // PAGE))
        page = min(wanted, pages)  # a link may be older than the store
        values = _chooser(store, chosen, total)
        found = games_table(games(store, which, PAGE, (page - 1) * PAGE))
    if pages > 1:
        values["summary"] += f", page {page} of {pages:,}"
    steps = {"Newest": 1, "Newer": page - 1, "Older": page + 1, "Oldest": pages}
    links = [
        (text, _query(query, page=to))
        for text, to in steps.items()
        if 1 <= to <= pages and to != page
    ]
    return values | {"games": found, "links": links, "query": _query(query)}


def _one(db: Path, number: str, query: QueryParams) -> Values:
    """A game of the store; its neighbours are among those that the address chooses."""
    wanted, which = game_number(number), chosen_games(query).listed()
    with Store(db) as store:
        found = game(store, wanted)
        before, after = before_and_after(store, which, found)
    shown = replay(found)
    steps = [asdict(step) | {"said": step.said} for step in shown.steps]
    moved = graph([int(cell) for cell in found.moves])
    neighbours = {"Game before": before, "Game after": after}
    links = [(text, f"/games/{to}{_query(query)}") for text, to in neighbours.items() if to]
    return {
        "title": f"Game {wanted}",
        "game": shown,
        "view": {"steps": steps, "thought_ms": shown.thought_ms, "graph": moved},
        "links": [*links, ("All games", f"/games{_query(query)}")],
    }


@lru_cache(_KEPT)
def _counted(db: Path, chosen: ChosenGames, state: object) -> Values:
    """The statistics of these games while the store is in this state: counting takes seconds."""
    if not db.exists():
        return _chooser(None, chosen, 0)
    which = chosen.filter()
    with Store(db) as store:
        found = stats(store, which)
        values = _chooser(store, chosen, found.games)
        if found.games:
            positions = met_positions(store, which)
            values["found"] = statistics(found, last_games(store, which), positions)
        return values


def store_state(db: Path) -> object:
    """What changes whenever somebody writes to the store, or puts another in its place."""
    found = []
    for path in (db, Path(f"{db}-wal")):
        try:
            status = path.stat()
        except OSError:
            continue
        if status.st_size:  # to read a store already makes an empty log
            found.append((path, status.st_size, status.st_mtime_ns, status.st_ino))
    return tuple(found)


def _chooser(store: Store | None, chosen: ChosenGames, total: int) -> Values:
    """What the form offers, and how many games there are."""
    stored = total > 0 or (store is not None and any(games(store, GameFilter(), 1)))
    which = chosen.describe()
    played = {*(seats_played(store) if store else ()), *filter(None, [chosen.seats])}
    none = "No game matches." if stored else "No game is stored yet."
    return {
        "chosen": chosen,
        "total": total,
        "stored": stored,
        "summary": f"{counted(total, 'game')}{f': {which}' if which else ''}" if total else none,
        "boards": searched_for(store) if store else (),
        "opponents": [(seats, opponents(seats)) for seats in sorted(played)],
        "results": [(result, won(result)) for result in RESULTS],
    }


def _query(query: QueryParams, **more: int) -> str:
    """The address's choice of games, to be handed on; begins with `?`, or is empty."""
    chosen = [(name, text) for name, text in query.multi_items() if name != "page" and text.strip()]
    words = urlencode([*chosen, *more.items()])
    return f"?{words}" if words else ""


def chosen_games(query: QueryParams) -> ChosenGames:
    """Which games the address chooses, in the words of `noughts games`; what is empty is left out.

    Raises `NoughtsError`.
    """
    return ChosenGames(
        boards=tuple(_all(query, "board", str)),
        seats=_last(query, "seats", game_filter.seats),
        results=tuple(dict.fromkeys(_all(query, "result", game_filter.result))),
        since=_last(query, "since", game_filter.day),
        until=_last(query, "until", game_filter.day),
    )


def page_number(query: QueryParams) -> int:
    """Which page of the list, from 1. Raises `NoughtsError`."""
    return _last(query, "page", _page) or 1


def game_number(text: str) -> int:
    """Which game of the store. Raises `NoughtsError`."""
    if not _is_number(text):
        raise NoughtsError(f"{text[:20]!r} is not a game; choose one from the list of games")
    return int(text)


def _page(text: str) -> int:
    if not _is_number(text) or int(text) == 0:
        raise ValueError(f"{text[:20]!r} is not a page; the first is 1")
    return int(text)


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) <= _MAX_DIGITS


def _all(query: QueryParams, name: str, parse: Callable[[str], _Value]) -> list[_Value]:
    given = [text for text in query.getlist(name) if text.strip()]
    if len(given) > _MAX_VALUES:
        raise NoughtsError(f"{name}: {len(given)} are too many; give at most {_MAX_VALUES}")
    try:
        return [parse(text) for text in given]
    except ValueError as error:
        raise NoughtsError(f"{name}: {error}") from error


def _last(query: QueryParams, name: str, parse: Callable[[str], _Value]) -> _Value | None:
    """Of several the last counts, as on the command line."""
    given = _all(query, name, parse)
    return given[-1] if given else None
