"""Puzzles: find the only move; and what a wrong one allows."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
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
from noughts.web.pages import PAGES, answer
from noughts.web.site import Site

_FRESH_S = 60
"""So long people's moves are remembered: reading 100,000 games takes a second."""
_READING = threading.Lock()

Met = Mapping[Position, tuple[int, int]]
"""By canonical position: how many people had to move there, and how many went wrong."""


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
                shown = _posed(_asked(asked["position"]), met)
                return answer(request, site, "puzzles", wanted=wanted, **shown)
            after = Board(asked["after"]).position if "after" in asked else EMPTY
            aimed = int(wanted) if wanted else random.choice(LEVELS)
            drawn = draw(random.Random(), lambda each: _level(each, met) == aimed, after)
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
    people = f"In the stored games, {wrong:,} of {moved:,} went wrong here." if moved else ""
    view = {
        "marks": str(puzzle.position),
        "names": cell_names(board),
        "task": f"{board.turn} to move: find the only move that {aim}.",
        "right": puzzle.right,
        "answers": {cell: _answer(puzzle, cell) for cell in puzzle.position.free},
    }
    return {"view": view, "about": f"{'★' * _level(puzzle, met)} {people}".strip()}


def _answer(puzzle: Puzzle, cell: int) -> dict[str, Any]:
    """What a move leads to."""
    after = puzzle.position.play(cell)
    line = variation(after)
    end = after
    for each in line:
        end = end.play(each)
    board = Board.of(end)
    right = cell == puzzle.right
    mark = str(after)[cell]
    return {
        "marks": str(after),
        "name": f"{cell + 1}, {NAMES[cell]}, {mark}, {'right' if right else 'wrong'}",
        "said": "Right!" if right else f"Wrong: {cell + 1} is not the move.",
        "why": _explained(puzzle, cell, line),
        "end": {
            "marks": str(end),
            "line": board.winning_line or (),
            "title": f"How it ends: {_ending(board)}",
        },
    }


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
