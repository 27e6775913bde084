"""The pages that store nothing: Play, with the answers of engines, Puzzles, and Learn.

The server remembers nothing of a game that goes on: a page sends the whole of it each time.
"""

import random
import threading
import time
from functools import lru_cache
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response

from noughts.engines.search import Search
from noughts.errors import NoughtsError, StoreError
from noughts.game.board import Board, as_cell
from noughts.game.engine import Reply
from noughts.game.positions import EMPTY, parse_unfinished
from noughts.game.puzzles import LEVELS, PeopleMoves, puzzle_level, random_puzzle
from noughts.protocol.describe import counted
from noughts.store.game_filter import GameFilter
from noughts.store.statistics import met_positions
from noughts.store.store import Store
from noughts.views.analysis import FRIEND, analysis_of
from noughts.views.board_pictures import names_from, swapped, turn_of
from noughts.views.puzzles import parsed_puzzle, posed
from noughts.views.search import SEARCH_NAMES, followed
from noughts.web.engines import answered, offered
from noughts.web.safety import answer

_READING = threading.Lock()


async def page(request: Request) -> Response:
    """The page Play; its script asks for its `state`."""
    return answer(request, "play", opponents=offered())


def state(request: Request) -> Response:
    """The state of a game, after the engine's answer if it is the engine's turn."""
    query = request.query_params
    opponent = query.get("opponent", FRIEND)
    first = "O" if query.get("first") == "O" else "X"
    marks = query.get("position") or "." * 9
    start = Board(marks if first == "X" else swapped(marks))
    moves = list(map(as_cell, query.get("moves", "")))
    end = _played(start, moves)
    turn = turn_of(end, names_from(first))
    you = "O" if opponent != FRIEND and (query.get("you") or turn) == "O" else "X"
    at = query.get("at", "")
    shown_ply = int(at) if at.isdecimal() and len(at) == 1 else len(moves)
    sides = opponent, you, first
    if opponent == FRIEND or end.is_over or turn == you or shown_ply < len(moves):
        return JSONResponse(analysis_of(start, moves, min(shown_ply, len(moves)), *sides))
    reply, took_ms = answered(opponent, end.position)
    cell = reply.choose(random.Random())
    assert cell is not None, "none of the engines that are known by name resigns"
    values = analysis_of(start, [*moves, cell], None, *sides)
    values["cost"] = _how_it_chose(reply, took_ms)
    return JSONResponse(values)


def _played(start: Board, moves: list[int]) -> Board:
    """The board after these moves. Raises `NoughtsError`, in the numbers that people read."""
    board = start
    for number, cell in enumerate(moves, 1):
        if board.is_over:
            raise NoughtsError(f"the game is over before move {number}")
        if cell not in board.legal_moves:
            raise NoughtsError(f"move {number} goes to cell {cell + 1}, which is taken")
        board = board.play(cell)
    return board


def _how_it_chose(reply: Reply, took_ms: float) -> str:
    time_ms = f"{round(took_ms, 2)} ms"
    if reply.nodes:
        boards, cut = counted(reply.nodes, "board"), counted(reply.cut, "move")
        return f"It looked at {boards} and cut {cut}, in {time_ms}."
    equal = len(reply.cells)
    picked = f"one of {equal} equal cells" if equal > 1 else "the only cell that it wanted"
    return f"It did not search: it picked {picked}, in {time_ms}."


def learn(request: Request) -> Response:
    """The search in the address, or a message if it cannot be followed."""
    text = request.query_params.get("position", "..XXOO.XO")
    search: Search = "minimax" if request.query_params.get("search") == "minimax" else "alphabeta"
    values: dict[str, Any] = {"view": None, "message": "", "instead": None, "position": text}
    status = 200
    try:
        position = parse_unfinished(text)
        values |= {"position": position} | followed(position, search)
    except NoughtsError as error:
        values["message"], status = str(error), 400
    return answer(request, "learn", status, **values, search=search, searches=SEARCH_NAMES)


def puzzles(request: Request) -> Response:
    """The puzzle in the address, or a random one of its level, but not the one before."""
    query = request.query_params
    with _READING:
        db = request.app.state.boards.watch.store_path
        people_moves = _people_moves(db, int(time.monotonic() // 60))
    level = query.get("level", "")
    if level not in ("", *map(str, LEVELS)):
        raise NoughtsError(f"{level[:20]!r} is not a level; choose 1, 2 or 3")
    if "position" in query:
        puzzle_values = posed(parsed_puzzle(query["position"]), people_moves)
        return answer(request, "puzzles", chosen_level=level, **puzzle_values)
    previous = Board(query["after"]).position if "after" in query else EMPTY
    drawn_level = int(level) if level else random.choice(LEVELS)
    puzzle = random_puzzle(
        random.Random(),
        lambda position: puzzle_level(position, people_moves) == drawn_level,
        previous,
    )
    fields = {"position": puzzle.position, "level": level, "next": "after" in query or ""}
    words = urlencode([(name, text) for name, text in fields.items() if text])
    return RedirectResponse(f"{request.url.path}?{words}", 303)


@lru_cache(1)
def _people_moves(db: Path, minute: int) -> PeopleMoves:
    """The moves of people in the stored games; reading 100,000 games takes a second.

    minute: makes the cache expire.
    """
    try:
        with Store(db) as store:
            positions = met_positions(store, GameFilter())
    except StoreError:
        return {}
    return {position.position: (position.times_met, position.mistakes) for position in positions}
