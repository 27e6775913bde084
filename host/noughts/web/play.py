"""The page to play on: how a game stands, what an engine answers, and keeping what was played.

The server remembers nothing of a game that goes on: a page sends the whole of it each time.
"""

from __future__ import annotations

import json
import random
import re
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from noughts.engines.registry import engines, known_engine
from noughts.errors import NoughtsError
from noughts.game.board import Board
from noughts.game.engine import Reply
from noughts.game.positions import Position
from noughts.protocol.describe import counted, seat_of
from noughts.protocol.sentences import Game, outcome
from noughts.store import timestamps
from noughts.store.lines import Received
from noughts.store.store import Store
from noughts.views.board import FRIEND, described, parsed
from noughts.web.pages import PAGES, answer
from noughts.web.site import Site

BOARD = "page"
"""What the store calls the board on which these games are played."""
_MAX_MS = 7 * 86_400_000
"""A week: nobody thinks for longer about one game."""
_MAX_NUMBER = 999_999_999
_SESSION = re.compile("[0-9A-F]{8}")


def routes(site: Site) -> list[BaseRoute]:
    """Addresses of this part."""

    async def page(request: Request) -> Response:
        return answer(request, site, "play", opponents=_opponents())

    async def keep(request: Request) -> Response:
        played = read(await request.body())
        number = await run_in_threadpool(_kept, site, played)
        return JSONResponse({"game": number})

    return [
        Route(PAGES["play"].address, page, methods=["GET"]),
        Route("/api/play", _play, methods=["GET"]),
        Route("/api/games", keep, methods=["POST"]),
    ]


@cache
def _opponents() -> dict[str, str]:
    """What each engine is, by its name: to make them all takes a while."""
    return {name: engine.about for name, engine in engines().items()}


def _play(request: Request) -> Response:
    """How a game stands, after the engine's answer if it has to answer."""
    asked = request.query_params
    opponent = asked.get("opponent", FRIEND)
    start, moves = parsed(asked.get("moves", ""), asked.get("position"))
    end = _end(start, moves)
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


def _end(start: Board, moves: Sequence[int]) -> Board:
    for cell in moves:
        start = start.play(cell)
    return start


@cache
def _answered(name: str, position: Position) -> tuple[Reply, float]:
    """An engine's answer, and how long it took when it was first asked.

    Cached: anyone who may watch may ask, and minimax takes a while.
    """
    engine = known_engine(name)
    start = time.perf_counter()
    reply = engine.reply(position)
    return reply, (time.perf_counter() - start) * 1000


@dataclass(frozen=True)
class PlayedGame:
    """A game that has ended, as the page sends it."""

    session: str
    """Eight hex digits that name the page's run, as a boot id names a board's."""
    number: int
    """Counts from 1 in that session."""
    opponent: str
    """An engine's name, or `friend`."""
    first: bool
    """Whether the person began; of two people, always."""
    moves: tuple[int, ...]
    times: tuple[int, ...]
    """For each move, ms since the game began."""

    def stages(self) -> list[Game]:
        """The game as a board would have sent it: A is the person, or of two the one who began."""
        seats = "PP" if self.opponent == FRIEND else f"P{seat_of(self.opponent)}"
        first = "A" if self.first else "B"
        return [
            Game(
                self.session,
                self.number,
                seats,
                first,
                self.moves[:plies],
                (0, *self.times)[plies],
                outcome(self.moves[:plies], first),
            )
            for plies in range(len(self.moves) + 1)
        ]


def read(body: bytes) -> PlayedGame:
    """What a page has sent. Raises `NoughtsError` for all that no page sends."""
    try:
        match json.loads(body):
            case {
                "session": str(session),
                "number": int(number),
                "opponent": str(opponent),
                "first": bool(first),
                "moves": str(moves),
                "times": list(times),
            } if _SESSION.fullmatch(session) and _is_number(number) and _plausible(times):
                pass
            case _:
                raise ValueError
    except (ValueError, RecursionError) as error:
        raise NoughtsError("that is not a game; load the page again") from error
    if opponent != FRIEND:
        known_engine(opponent)
    start, cells = parsed(moves, None)
    if not _end(start, cells).is_over or len(times) != len(cells):
        raise NoughtsError("only a finished game is stored; play it to its end")
    return PlayedGame(
        session, number, opponent, first or opponent == FRIEND, tuple(cells), tuple(times)
    )


def _is_number(number: int) -> bool:
    return type(number) is int and 1 <= number <= _MAX_NUMBER


def _plausible(times: list[Any]) -> bool:
    return all(type(ms) is int and 0 <= ms <= _MAX_MS for ms in times) and times == sorted(times)


def _kept(site: Site, played: PlayedGame) -> int | None:
    """The game's number in the store."""
    began = timestamps.now() - played.times[-1]
    with Store(site.db, create=True) as store:
        received = [Received.of(BOARD, stage, began + stage.ms) for stage in played.stages()]
        return store.keep_many(received)[-1].game
