"""Stored games: the list, each game step by step, statistics, and storing new games."""

import json
import re
import sys
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlencode

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import QueryParams
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from noughts.engines.built_in import built_in_engine
from noughts.errors import GameNotFoundError, NoughtsError, StoreError, printable
from noughts.protocol import data_log
from noughts.protocol.describe import counted, opponents, seat_of, skipped_rows, won
from noughts.protocol.sentences import Game, body, outcome, parse
from noughts.recording.data_logs import name_of_copy
from noughts.recording.watch import Watch
from noughts.store import game_filter, queries, timestamps
from noughts.store.game_filter import GameFilter
from noughts.store.lines import Received, Stored
from noughts.store.queries import searched_for
from noughts.store.statistics import met_positions, stats
from noughts.store.store import Store
from noughts.store.stored_game import RESULTS
from noughts.views.analysis import FRIEND
from noughts.views.class_report import statistics
from noughts.views.game_list import days, describe, games_table, listable
from noughts.views.replay import replay
from noughts.web.safety import answer, error_answer

BOARD = "page"
"""The board of the page's own games in the store."""
PAGE = 25
"""Games on a page of the list."""

_Value = TypeVar("_Value")


def list_page(request: Request) -> Response:
    """One page of the games chosen by the address, the newest first."""
    query = request.query_params
    requested_filter, page_number = requested_games(query), query.get("page", "")
    shown_filter = listable(requested_filter)
    with Store(request.app.state.boards.watch.store_path) as store:
        total = queries.count(store, shown_filter)
        unfinished = (
            queries.count(store, requested_filter) - total
            if total and not requested_filter.results
            else 0
        )
        pages = max(1, -(-total // PAGE))
        # The address may be older than the store, or typed.
        is_number = re.fullmatch("[1-9][0-9]{0,17}", page_number)
        page = min(int(page_number), pages) if is_number else 1
        values = _chooser(store, requested_filter, total)
        table = games_table(queries.games(store, shown_filter, PAGE, (page - 1) * PAGE))
    if unfinished:
        values["summary"] += f", and {counted(unfinished, 'unfinished game')} not listed"
    if pages > 1:
        values["summary"] += f", page {page} of {pages:,}"
    steps = {"Newest": 1, "Newer": page - 1, "Older": page + 1, "Oldest": pages}
    links = [
        (text, _query(query, page=to))
        for text, to in steps.items()
        if 1 <= to <= pages and to != page
    ]
    return answer(request, "games", **values, games=table, links=links, query=_query(query))


def game_page(request: Request) -> Response:
    """A stored game, with links to its neighbours among those chosen by the address."""
    number, query = request.path_params["number"], request.query_params
    not_found = f"there is no game {str(number)[:30]}"
    if number > sys.maxsize:  # SQLite's largest too
        return error_answer(request.scope, 404, not_found)
    db: Path = request.app.state.boards.watch.store_path
    shown_filter = listable(requested_games(query))
    try:
        with Store(db) as store:
            game = queries.game(store, number)
            previous, following = queries.before_and_after(store, shown_filter, game)
    except StoreError as error:
        # The error's own text names a command, but the page lists the games itself.
        why = not_found if isinstance(error, GameNotFoundError) else str(error)
        return error_answer(request.scope, 404, request.app.state.site.for_all_readers(why))
    replayed = replay(game)
    neighbours = {"Previous game": previous, "Next game": following}
    links = [(text, f"/games/{to}{_query(query)}") for text, to in neighbours.items() if to]
    return answer(
        request,
        "game",
        title=f"Game {number}",
        game=replayed,
        view={
            "steps": list(map(vars, replayed.steps)),
            "first": replayed.first,
            "thought_ms": game.thought_ms,
        },
        links=[*links, ("All games", f"/games{_query(query)}")],
    )


async def statistics_page(request: Request) -> Response:
    """Statistics. Only one request counts at a time, so that a class does not block the rest."""
    db: Path = request.app.state.boards.watch.store_path
    query = request.query_params
    requested_filter = requested_games(query)
    async with request.app.state.counting:
        values = await run_in_threadpool(_counted, db, requested_filter, store_state(db))
    return answer(request, "statistics", **values, query=_query(query), report=False)


@lru_cache(16)  # enough for a class
def _counted(db: Path, requested_filter: GameFilter, state: object) -> dict[str, Any]:
    """The statistics of these games with the store in this state; counting takes seconds."""
    with Store(db) as store:
        counts = stats(store, requested_filter)
        values = _chooser(store, requested_filter, counts.games)
        if counts.games:
            positions = met_positions(store, requested_filter)
            values["figures"] = statistics(
                counts, queries.last_games(store, requested_filter), positions
            )
        return values


def store_state(db: Path) -> object:
    """A value that changes whenever the store is written or replaced."""
    files = [path.stat() for path in (db, Path(f"{db}-wal")) if path.exists()]
    # Even reading a store makes an empty log.
    return tuple((file.st_size, file.st_mtime_ns, file.st_ino) for file in files if file.st_size)


def _chooser(store: Store, requested_filter: GameFilter, total: int) -> dict[str, Any]:
    """The choices of the form, and the number of games."""
    stored = total > 0 or any(queries.games(store, GameFilter(), 1))
    which = describe(requested_filter)
    played = {*queries.seats_played(store), *filter(None, [requested_filter.seats])}
    none = "No game matches." if stored else "No game is stored yet."
    return {
        "chosen": requested_filter,
        "days": days(requested_filter),
        "total": total,
        "stored": stored,
        "summary": f"{counted(total, 'game')}{f': {which}' if which else ''}" if total else none,
        "boards": searched_for(store),
        "opponents": [(seats, opponents(seats)) for seats in sorted(played)],
        "results": [(result, won(result)) for result in RESULTS],
    }


def _query(query: QueryParams, **more: int) -> str:
    """The address's choice of games for links; begins with `?`, or is empty."""
    fields = [(name, text) for name, text in query.multi_items() if name != "page" and text.strip()]
    words = urlencode([*fields, *more.items()])
    return f"?{words}" if words else ""


def requested_games(query: QueryParams) -> GameFilter:
    """The games chosen by the address, in the words of `noughts games`; empty fields are ignored.

    Raises `NoughtsError`.
    """
    since, until = (_last(query, name, game_filter.parse_day) for name in ("since", "until"))
    return GameFilter(
        boards=tuple(_all(query, "board", str)),
        seats=_last(query, "seats", game_filter.parse_seats),
        results=tuple(dict.fromkeys(_all(query, "result", game_filter.parse_result))),
        since=since and since[0],
        until=until and until[1],
        moved=True,
    )


def _all(query: QueryParams, name: str, parse: Callable[[str], _Value]) -> list[_Value]:
    texts = query.getlist(name)[-20:]  # SQLite limits the length of a condition
    try:
        return [parse(text) for text in texts if text.strip()]
    except ValueError as error:
        raise NoughtsError(f"{name}: {error}") from error


def _last(query: QueryParams, name: str, parse: Callable[[str], _Value]) -> _Value | None:
    """The last of several, as on the command line."""
    values = _all(query, name, parse)
    return values[-1] if values else None


async def store_game(request: Request) -> Response:
    """Store a game that was played on the page, and answer with its number in the store.

    `until_end` says why the store in use is a temporary one, if it is.
    """
    stages = stages_of(await request.body())
    began = timestamps.now() - stages[-1].ms
    received = [Received.of(BOARD, stage, began + stage.ms) for stage in stages]
    watch: Watch = request.app.state.boards.watch
    *_, stored = await run_in_threadpool(_stored, watch.store_path, received)
    return JSONResponse({"game": stored.game, "until_end": watch.error})


def stages_of(sent_game: bytes) -> list[Game]:
    """A game that has ended, stage by stage, as a board would have sent it.

    A is the person, or of two the one who began. sent_game: JSON with `session` (eight hex digits
    that name the page's run, as a boot id names a board's), `number` (from 1 in that session),
    `opponent`, `first` (whether the person began), `moves`, and `times` (for each move, ms since
    the game began). Raises `NoughtsError` for all that no page sends.
    """
    try:
        sent = json.loads(sent_game)
        opponent, moves, times = sent["opponent"], sent["moves"], [0, *sent["times"]]
        friend = opponent == FRIEND
        seats = "PP" if friend else f"P{seat_of(built_in_engine(opponent).name)}"
        first = "A" if sent["first"] or friend else "B"
        stages = []
        for plies, ms in enumerate(times):
            end = outcome(moves[:plies], first)
            stage = Game(
                boot=sent["session"],
                number=sent["number"],
                seats=seats,
                first=first,
                moves=tuple(map(int, moves[:plies])),
                ms=ms,
                end=end,
            )
            # Nothing that the page has sent is trusted before it is parsed as a sentence.
            game = parse(body(stage)).sentence
            assert isinstance(game, Game)
            stages.append(game)
        is_whole = end != "-" and len(times) == len(moves) + 1 and times == sorted(times)
        if not (isinstance(moves, str) and is_whole):
            raise ValueError
    except (ValueError, LookupError, TypeError, RecursionError) as error:
        raise NoughtsError("that is not a game; reload the page") from error
    return stages


async def store_log(request: Request) -> Response:
    """Store the games of a V2's data log, the body, and answer with their number."""
    name = printable(request.query_params.get("name", "")[:100])
    log = await run_in_threadpool(data_log.read, await request.body(), name)
    if not log.games:
        return JSONResponse({"text": f"{name}: no games yet"})
    board, at = name_of_copy(name), timestamps.now()
    received = [Received.of(board, game, at, late=True) for game in log.games]
    db: Path = request.app.state.boards.watch.store_path
    stored = await run_in_threadpool(_stored, db, received)
    new = sum(line.new for line in stored)
    text = f"{name}: {counted(len(log.games), 'game')}, {new:,} new"
    if log.first_skipped is not None:
        text += f"; {skipped_rows(log.skipped, log.first_skipped)}"
    return JSONResponse({"text": text})


def _stored(db: Path, received: list[Received]) -> list[Stored]:
    with Store(db, create=True) as store:
        return store.add_many(received)
