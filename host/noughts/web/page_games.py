"""Keeping the games that are played on the page."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from noughts.engines.registry import known_engine
from noughts.errors import NoughtsError
from noughts.protocol.describe import seat_of
from noughts.protocol.sentences import Game, outcome
from noughts.store import timestamps
from noughts.store.lines import Received
from noughts.store.store import Store
from noughts.views.board import parsed
from noughts.web.play import FRIEND
from noughts.web.site import Site

BOARD = "page"
"""What the store calls the board on which these games are played."""
_MAX_MS = 7 * 86_400_000
"""A week: nobody thinks for longer about one game."""
_MAX_NUMBER = 999_999_999
_SESSION = re.compile("[0-9A-F]{8}")


def routes(site: Site) -> list[BaseRoute]:
    """Addresses of this part."""

    async def keep(request: Request) -> Response:
        played = read(await request.body())
        number = await run_in_threadpool(_kept, site, played)
        return JSONResponse({"game": number})

    return [Route("/api/games", keep, methods=["POST"])]


@dataclass(frozen=True)
class PlayedGame:
    """A game that has ended, as the page tells it."""

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
        """The game as a board would have told it: A is the person, or of two the one who began."""
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
    board = start
    for cell in cells:
        board = board.play(cell)
    if not board.is_over or len(times) != len(cells):
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
        told = [Received.of(BOARD, stage, began + stage.ms) for stage in played.stages()]
        return store.keep_many(told)[-1].game
