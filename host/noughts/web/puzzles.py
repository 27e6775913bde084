"""Puzzles: find the only move; and what a wrong one allows."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Mapping
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from noughts.engines.search import format_score, score_of_move, variation
from noughts.errors import NoughtsError, StoreError
from noughts.game.board import Board
from noughts.game.positions import EMPTY, Position, canonical
from noughts.game.puzzles import LEVELS, Puzzle, draw, level, puzzle_of
from noughts.game.solver import value
from noughts.protocol.describe import WORTHS
from noughts.store.people_moves import met_positions
from noughts.store.queries import GameFilter
from noughts.store.store import Store
from noughts.views.board import NAMES, cell_names
from noughts.web.site import Site

_FRESH_S = 60.0
"""So long people's moves are remembered: reading 100,000 games takes a second."""

Met = Mapping[Position, tuple[int, int]]
"""By canonical position: how many people had to move there, and how many went wrong."""


def routes(site: Site) -> list[BaseRoute]:
    """Addresses of this part."""
    people = _People(site)

    def puzzle(request: Request) -> Response:
        """A puzzle: the one that is asked for, or one of a level, other than the one before."""
        asked = request.query_params
        met = people.met()
        if "position" in asked:
            return JSONResponse(_posed(_asked(asked["position"]), met))
        after = Board(asked["after"]).position if "after" in asked else EMPTY
        wanted = asked.get("level", "")
        if wanted not in ("", *map(str, LEVELS)):
            raise NoughtsError(f"{wanted[:20]!r} is not a level; choose 1, 2 or 3")
        aimed = int(wanted) if wanted else random.choice(LEVELS)
        drawn = draw(random.Random(), lambda each: _level(each, met) == aimed, after)
        return JSONResponse(_posed(drawn, met))

    return [
        Route("/api/puzzle", puzzle, methods=["GET"]),
        Route("/api/puzzle/answer", _answer, methods=["GET"]),
    ]


class _People:
    """What people did in the positions of the store's games."""

    def __init__(self, site: Site) -> None:
        self._site = site
        self._lock = threading.Lock()
        self._met: Met = {}
        self._until_s = 0.0

    def met(self) -> Met:
        """As it was a minute ago at the earliest; nothing where there is no store to read."""
        with self._lock:
            if time.monotonic() >= self._until_s:
                try:
                    with Store(self._site.db) as store:
                        found = met_positions(store, GameFilter())
                    self._met = {each.position: (each.met, each.mistakes) for each in found}
                except StoreError:
                    self._met = {}
                self._until_s = time.monotonic() + _FRESH_S
            return self._met


def _asked(text: str) -> Puzzle:
    position = Board(text).position
    found = puzzle_of(position)
    if found is None:
        raise NoughtsError(f"{position} is not a puzzle; in one, exactly one move is right")
    return found


def _level(puzzle: Puzzle, met: Met) -> int:
    return level(puzzle, *met.get(canonical(puzzle.position), (0, 0)))


def _posed(puzzle: Puzzle, met: Met) -> dict[str, Any]:
    moved, wrong = met.get(canonical(puzzle.position), (0, 0))
    board = Board.of(puzzle.position)
    aim = "wins" if puzzle.wins else "does not lose"
    return {
        "position": str(puzzle.position),
        "names": cell_names(board),
        "turn": board.turn,
        "task": f"{board.turn} to move: find the only move that {aim}.",
        "level": _level(puzzle, met),
        "people": f"In the stored games, {wrong:,} of {moved:,} went wrong here." if moved else "",
    }


def _answer(request: Request) -> Response:
    """Whether a cell is the right one, and why; without a cell, which one is."""
    asked = request.query_params
    puzzle = _asked(asked.get("position", ""))
    text = asked.get("cell", str(puzzle.right))
    if text not in map(str, puzzle.position.free):
        raise NoughtsError(f"{text[:20]!r} is not a free cell of {puzzle.position}")
    cell = int(text)
    after = puzzle.position.play(cell)
    line = variation(after)
    end = after
    for each in line:
        end = end.play(each)
    board = Board.of(end)
    return JSONResponse(
        {
            "right": cell == puzzle.right,
            "cell": cell,
            "words": _explained(puzzle, cell, line),
            "end": {
                "marks": str(end),
                "line": board.winning_line or (),
                "title": f"How it ends: {_ending(board)}",
            },
        }
    )


def _explained(puzzle: Puzzle, cell: int, line: list[int]) -> str:
    position = puzzle.position
    mover, other = "XO" if position.ply % 2 == 0 else "OX"
    named = f"{cell + 1}, {NAMES[cell]},"
    score = format_score(score_of_move(position, cell))
    goes_on = ", ".join(f"{(other, mover)[ply % 2]} {each + 1}" for ply, each in enumerate(line))
    if cell == puzzle.right:
        what = f"is a {score}" if puzzle.wins else "holds the draw"
        text = f"{mover} at {named} {what}."
        return f"{text} With best play: {goes_on}." if line else text
    kept = -value(position.play(cell))
    turns = f"turns the {WORTHS[value(position)]} into a {WORTHS[kept]}"
    return f"{mover} at {named} {turns}. It allows: {goes_on}."


def _ending(board: Board) -> str:
    return f"{board.winner} wins" if board.winner else "a draw"
