"""What a page is told of a game: the board, what each free cell is worth, how it came to this."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any

from noughts.engines.search import WIN, AlphaBeta, format_score, score_of_move
from noughts.errors import IllegalMoveError
from noughts.game.board import Board
from noughts.game.positions import EMPTY, WON, Position
from noughts.game.review import Reviewed, review, verdict
from noughts.game.solver import win_chance_after
from noughts.protocol.describe import judged, line_names

NAMES = (
    "top left", "top middle", "top right",
    "middle left", "centre", "middle right",
    "bottom left", "bottom middle", "bottom right",
)  # fmt: skip
"""Of the cells."""


@dataclass(frozen=True)
class Picture:
    """A small board, drawn."""

    marks: str
    """X, O and `.`."""
    title: str
    """The board in words, for those who do not see it."""
    labels: tuple[str, ...] = ("",) * 9
    """What stands in each free cell."""
    grounds: tuple[str, ...] = ("",) * 9
    """Each cell's class of colour: `line`, `win`, `draw`, `loss`, `heat0` to `heat5`."""


_HEATS = 4
"""Steps of the heat map above the coolest."""

_cached_score = cache(score_of_move)


def parsed(moves: str, start: str | None) -> tuple[Board, list[int]]:
    """Where a game began, and its moves. Raises `NoughtsError` for what the rules do not allow."""
    first = board = Board(start) if start else Board()
    cells = []
    for number, text in enumerate(moves[:10], 1):
        if board.is_over:
            raise IllegalMoveError(f"the game ends with move {number - 1}; leave out the others")
        try:
            if text not in "012345678":
                raise IllegalMoveError(f"{text!r} is not a cell; choose one of 0 to 8")
            board = board.play(int(text))
        except IllegalMoveError as error:
            raise IllegalMoveError(f"move {number}: {error}") from None
        cells.append(int(text))
    return first, cells


def described(start: Board, moves: Sequence[int]) -> dict[str, Any]:
    """A game so far, as JSON: cells are 0 to 8, and what is written in words counts from 1."""
    board = start
    for cell in moves:
        board = board.play(cell)
    marks = str(board.position)
    return {
        "moves": list(moves),
        "marks": marks,
        "turn": board.turn,
        "names": [_name(cell, mark, board.is_over) for cell, mark in enumerate(marks)],
        "cells": {} if board.is_over else _cells(board.position),
        "history": [_judged(move) for move in review(moves, start.position)],
        "graph": graph(moves, start.position),
        "result": _result(board) if board.is_over else None,
    }


def _name(cell: int, mark: str, over: bool) -> str:
    """What a screen reader calls a cell."""
    return f"{cell + 1}, {NAMES[cell]}, {mark if mark != '.' else 'empty' if over else 'free'}"


def _cells(position: Position) -> dict[int, dict[str, Any]]:
    """Of each free cell, what a hint can show: its value, and its chance against random play."""
    scores = {cell: _cached_score(position, cell) for cell in position.free}
    chances = {cell: win_chance_after(position, cell) for cell in position.free}
    least, most = min(chances.values()), max(chances.values())
    best = max((scores[cell], chances[cell]) for cell in position.free)
    return {
        cell: {
            "best": (scores[cell], chances[cell]) == best,
            "value": format_score(scores[cell]),
            "chance": percent(chances[cell]),
            "heat": round((chances[cell] - least) / (most - least) * _HEATS)
            if most > least
            else _HEATS,
        }
        for cell in position.free
    }


def percent(share: Fraction) -> str:
    r"""A share as people read it: `100 %` only of all, `0 %` only of nothing.

    >>> percent(Fraction(191, 192)), percent(Fraction(9999, 10000)), percent(Fraction(1))
    ('99.5\xa0%', '99.9\xa0%', '100\xa0%')
    >>> percent(Fraction(1, 10000)), percent(Fraction(0))
    ('0.1\xa0%', '0\xa0%')
    """
    tenths = round(share * 1000)
    if 0 < share < 1:
        tenths = min(max(tenths, 1), 999)
    return f"{tenths / 10:g}\N{NO-BREAK SPACE}%"


def _judged(move: Reviewed) -> dict[str, Any]:
    found = verdict(move)
    what, better = judged(move)
    return {
        "cell": move.cell,
        "mark": "XO"[move.before.ply % 2],
        "name": NAMES[move.cell],
        "verdict": found.value,
        "called": found.name.lower(),
        "words": f"{what} {better}".strip(),
    }


def graph(moves: Sequence[int], start: Position = EMPTY) -> list[dict[str, Any]]:
    """What the game was worth to X before the first move, and after each.

    score: 10 less the plies to X's win, or the opposite; text: all that there is to say of it.
    """
    score, worth = _evaluated(start)
    points = [{"score": score, "text": f"before the first move: {worth}", "mistake": False}]
    for ply, move in enumerate(review(moves, start), 1):
        score, worth = _evaluated(move.before.play(move.cell))
        named = f"{'XO'[move.before.ply % 2]} {NAMES[move.cell]}, {verdict(move).name.lower()}"
        text = f"after move {ply}, {named}: {worth}"
        points.append({"score": score, "text": text, "mistake": move.mistake})
    return points


@cache
def _evaluated(position: Position) -> tuple[int, str]:
    sign = 1 if position.ply % 2 == 0 else -1
    if position.over:
        score = -sign * WIN if WON[position.other] else 0
        return score, f"{'X' if score > 0 else 'O'} has won" if score else "a draw"
    score = (AlphaBeta().reply(position).score or 0) * sign
    if not score:
        return 0, "a draw with best play"
    return score, f"{'X' if score > 0 else 'O'} wins in {WIN - abs(score)}"


def _result(board: Board) -> dict[str, Any]:
    return {
        "winner": board.winner,
        "lines": line_names(board.position),
        "cells": board.position.won_cells,
    }


def board_text(marks: str) -> str:
    """Nine marks for those who do not see them."""
    words = ["free" if mark == "." else mark for mark in marks]
    rows = ("top", words[:3]), ("middle", words[3:6]), ("bottom", words[6:])
    return "; ".join(f"{name} row: {', '.join(row)}" for name, row in rows)
