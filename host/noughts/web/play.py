"""The page to play on: how a game stands, what an engine answers, and storing what was played.

The server remembers nothing of a game that goes on: a page sends the whole of it each time.
"""

from __future__ import annotations

import json
import random
import time
from dataclasses import replace
from functools import cache, reduce
from pathlib import Path

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from noughts.engines.registry import engines, known_engine
from noughts.errors import NoughtsError
from noughts.game.board import Board
from noughts.game.engine import Reply
from noughts.game.positions import Position
from noughts.protocol.describe import counted, seat_of
from noughts.protocol.sentences import Game, game_of, outcome
from noughts.store import timestamps
from noughts.store.lines import Received
from noughts.store.store import Store
from noughts.views.board import FRIEND, described, parsed
from noughts.web.safety import answer

BOARD = "page"
"""What the store calls the board on which these games are played."""


def page(request: Request) -> Response:
    return answer(request, "play", opponents=_opponents())


@cache
def _opponents() -> dict[str, str]:
    """What each engine is, by its name: to make them all takes a while."""
    return {name: engine.about for name, engine in engines().items()}


def played(request: Request) -> Response:
    """How a game stands, after the engine's answer if it has to answer."""
    asked = request.query_params
    opponent = asked.get("opponent", FRIEND)
    start, moves = parsed(asked.get("moves", ""), asked.get("position"))
    end = reduce(Board.play, moves, start)
    you = asked.get("you") or end.turn or "X"
    if opponent == FRIEND or you != "O":
        you = "X"
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
    found["remark"] = f"{found['remark']} {reply.remark}".strip()
    return JSONResponse(found)


@cache
def _answered(name: str, position: Position) -> tuple[Reply, float]:
    """An engine's answer, and how long it took when it was first asked.

    Cached: anyone who may watch may ask, and minimax takes a while.
    """
    engine = known_engine(name)
    start = time.perf_counter()
    reply = engine.reply(position)
    return reply, (time.perf_counter() - start) * 1000


async def keep(request: Request) -> Response:
    """Store a game that has ended; answers with its number in the store."""
    stages, db = read(await request.body()), request.app.state.site.db
    return JSONResponse({"game": await run_in_threadpool(_kept, db, stages)})


def read(body: bytes) -> list[Game]:
    """A game that has ended, stage by stage, as a board would have sent it.

    A is the person, or of two the one who began. body: `session` (eight hex digits that name the
    page's run, as a boot id names a board's), `number` (from 1 in that session), `opponent`,
    `first` (whether the person began), `moves`, and `times` (for each move, ms since the game
    began). Raises `NoughtsError` for all that no page sends.
    """
    try:
        sent = json.loads(body)
        opponent, moves, times = sent["opponent"], sent["moves"], [0, *sent["times"]]
        friend = opponent == FRIEND
        seats = "PP" if friend else f"P{seat_of(known_engine(opponent).name)}"
        first = "A" if sent["first"] or friend else "B"
        stages = []
        for plies, ms in enumerate(times):
            end = outcome(map(int, moves[:plies]), first)
            fields = sent["session"], sent["number"], "PP", first, moves[:plies], ms, end
            stages.append(replace(game_of(f"NG,{','.join(map(str, fields))}"), seats=seats))
        if end == "-" or len(times) != len(moves) + 1 or times != sorted(times):
            raise ValueError
    except (ValueError, LookupError, TypeError, RecursionError) as error:
        raise NoughtsError("that is not a game; load the page again") from error
    return stages


def _kept(db: Path, stages: list[Game]) -> int | None:
    began = timestamps.now() - stages[-1].ms
    with Store(db, create=True) as store:
        received = [Received.of(BOARD, stage, began + stage.ms) for stage in stages]
        return store.keep_many(received)[-1].game
