"""The pages that store nothing: Play, with the answers of engines, Puzzles, and Learn.

The server remembers nothing of a game that goes on: a page sends the whole of it each time.
"""

import random
import threading
import time
from functools import cache, lru_cache, reduce
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response

from noughts.engines.registry import engines, known_engine
from noughts.engines.search import Search
from noughts.errors import NoughtsError, StoreError
from noughts.game.board import Board, as_cell
from noughts.game.engine import Reply
from noughts.game.positions import EMPTY, Position, parse_unfinished
from noughts.game.solver import LEVELS, Met, draw, level
from noughts.protocol.describe import counted
from noughts.store.queries import GameFilter
from noughts.store.statistics import met_positions
from noughts.store.store import Store
from noughts.views.board import FRIEND, described
from noughts.views.puzzles import parsed_puzzle, posed
from noughts.views.search import CALLED, followed
from noughts.web.safety import answer

_READING = threading.Lock()


async def page(request: Request) -> Response:
    return answer(request, "play", opponents=engines().values())


def played(request: Request) -> Response:
    """The state of a game, after the engine's answer if it is the engine's turn."""
    asked = request.query_params
    opponent = asked.get("opponent", FRIEND)
    start = Board(asked.get("position") or "." * 9)
    moves = list(map(as_cell, asked.get("moves", "")))
    end = reduce(Board.play, moves, start)
    second = opponent != FRIEND and (asked.get("you") or end.turn) == "O"
    you = "O" if second else "X"
    at = asked.get("at", "")
    shown = int(at) if at.isdecimal() and len(at) == 1 else len(moves)
    if opponent == FRIEND or end.is_over or end.turn == you or shown < len(moves):
        return JSONResponse(described(start, moves, min(shown, len(moves)), opponent, you))
    reply, took_ms = _answered(opponent, end.position)
    cell = reply.choose(random.Random())
    assert cell is not None, "none of the engines that are known by name resigns"
    found = described(start, [*moves, cell], None, opponent, you)
    how = (
        f"{reply.nodes:,} positions visited, {reply.cut:,} moves cut"
        if reply.nodes
        else f"no search; one of {counted(len(reply.cells), 'cell')}"
    )
    found["cost"] = f"{opponent}: {how}; {round(took_ms, 2)} ms."
    return JSONResponse(found)


@cache
def _answered(name: str, position: Position) -> tuple[Reply, float]:
    """An engine's answer, and the time that it took when first asked.

    Cached: anyone who may watch may ask, and minimax takes a while.
    """
    engine = known_engine(name)
    start = time.perf_counter()
    reply = engine.reply(position)
    return reply, (time.perf_counter() - start) * 1000


def learn(request: Request) -> Response:
    """The search in the address, or a message if it cannot be followed."""
    text = request.query_params.get("position", "..XXOO.XO")
    search: Search = "minimax" if request.query_params.get("search") == "minimax" else "alphabeta"
    shown: dict[str, Any] = {"view": None, "message": "", "instead": None, "position": text}
    status = 200
    try:
        position = parse_unfinished(text)
        shown |= {"position": position} | followed(position, search)
    except NoughtsError as error:
        shown["message"], status = str(error), 400
    return answer(request, "learn", status, **shown, search=search, searches=CALLED)


def puzzles(request: Request) -> Response:
    """The puzzle in the address, or a random one of its level, but not the one before."""
    asked = request.query_params
    with _READING:
        met = _people_met(request.app.state.site.db, int(time.monotonic() // 60))
    wanted = asked.get("level", "")
    if wanted not in ("", *map(str, LEVELS)):
        raise NoughtsError(f"{wanted[:20]!r} is not a level; choose 1, 2 or 3")
    if "position" in asked:
        shown = posed(parsed_puzzle(asked["position"]), met)
        return answer(request, "puzzles", wanted=wanted, **shown)
    after = Board(asked["after"]).position if "after" in asked else EMPTY
    chosen = int(wanted) if wanted else random.choice(LEVELS)
    drawn = draw(random.Random(), lambda each: level(each, met) == chosen, after)
    query = {"position": drawn.position, "level": wanted, "next": "after" in asked or ""}
    words = urlencode([(name, text) for name, text in query.items() if text])
    return RedirectResponse(f"{request.url.path}?{words}", 303)


@lru_cache(1)
def _people_met(db: Path, minute: int) -> Met:
    """The moves of people in the stored games; reading 100,000 games takes a second."""
    try:
        with Store(db) as store:
            found = met_positions(store, GameFilter())
    except StoreError:
        return {}
    return {each.position: (each.met, each.mistakes) for each in found}
