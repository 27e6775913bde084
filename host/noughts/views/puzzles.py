"""Puzzles for the page: the task, and the outcome of each move."""

from collections.abc import Mapping
from functools import reduce
from typing import Any

from noughts.engines.search import format_score
from noughts.errors import NoughtsError
from noughts.game.board import Board
from noughts.game.positions import Position, canonical
from noughts.game.solver import Puzzle, level, puzzle_of, score_of_move, value, variation
from noughts.protocol.describe import CELLS
from noughts.views.board import cell_names
from noughts.views.words import WORTHS, ending

Met = Mapping[Position, tuple[int, int]]
"""By canonical position: how many times people moved there, and how many times they went wrong."""


def parsed_puzzle(text: str) -> Puzzle:
    position = Board(text).position
    found = puzzle_of(position)
    if found is None:
        raise NoughtsError(f"{position} is not a puzzle; in one, exactly one move is right")
    return found


def level_among(puzzle: Puzzle, met: Met) -> int:
    """The level of a puzzle, given how people did in it."""
    return level(puzzle, *met.get(canonical(puzzle.position), (0, 0)))


def posed(puzzle: Puzzle, met: Met) -> dict[str, Any]:
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
    return {"view": view, "about": f"{'★' * level_among(puzzle, met)} {people}".strip()}


def _answer(puzzle: Puzzle, cell: int) -> dict[str, Any]:
    after = puzzle.position.play(cell)
    line = variation(after)
    board = reduce(Board.play, line, Board.of(after))
    right = cell == puzzle.right
    mark = str(after)[cell]
    return {
        "marks": str(after),
        "name": f"{cell + 1}, {CELLS[cell]}, {mark}, {'right' if right else 'wrong'}",
        "headline": "Right!" if right else f"Wrong: {cell + 1} is not the move.",
        "why": _explained(puzzle, cell, line),
        "end": {
            "marks": str(board.position),
            "line": board.winning_line or (),
            "title": f"How it ends: {ending(board.winner)}",
        },
    }


def _explained(puzzle: Puzzle, cell: int, line: list[int]) -> str:
    position = puzzle.position
    mover, other = "XO" if position.ply % 2 == 0 else "OX"
    named = f"{cell + 1}, {CELLS[cell]},"
    score = format_score(score_of_move(position, cell))
    goes_on = ", ".join(f"{(other, mover)[ply % 2]} {each + 1}" for ply, each in enumerate(line))
    if cell == puzzle.right:
        what = f"is a {score}" if puzzle.wins else "holds the draw"
        text = f"{mover} at {named} {what}."
        return f"{text} With best play: {goes_on}." if line else text
    value_after = -value(position.play(cell))
    turns = f"turns the {WORTHS[value(position)]} into a {WORTHS[value_after]}"
    return f"{mover} at {named} {turns}. It allows: {goes_on}."
