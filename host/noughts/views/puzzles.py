"""Puzzles for the page: the task, and the outcome of each move."""

from functools import reduce
from typing import Any

from noughts.engines.search import format_score
from noughts.errors import NoughtsError
from noughts.game.board import Board
from noughts.game.positions import canonical
from noughts.game.solver import Met, Puzzle, level, puzzle_of, score_of_move, value, variation
from noughts.protocol.describe import CELLS
from noughts.views.board import cell_names
from noughts.views.words import WORTHS, ending


def parsed_puzzle(text: str) -> Puzzle:
    position = Board(text).position
    found = puzzle_of(position)
    if found is None:
        raise NoughtsError(f"{position} is not a puzzle; a puzzle has exactly one right move")
    return found


def posed(puzzle: Puzzle, met: Met) -> dict[str, Any]:
    moved, wrong = met.get(canonical(puzzle.position), (0, 0))
    marks = str(puzzle.position)
    aim = "wins" if puzzle.wins else "does not lose"
    people = f"In the stored games, {wrong:,} of {moved:,} went wrong here." if moved else ""
    view = {
        "marks": marks,
        "names": cell_names(marks),
        "task": f"{puzzle.position.turn} to move: find the only move that {aim}.",
        "right": puzzle.right,
        "answers": {cell: _answer(puzzle, cell) for cell in puzzle.position.free},
    }
    return {"view": view, "about": f"{'★' * level(puzzle, met)} {people}".strip()}


def _answer(puzzle: Puzzle, cell: int) -> dict[str, Any]:
    before, right = puzzle.position, cell == puzzle.right
    after = before.play(cell)
    line = variation(after)
    end = reduce(Board.play, line, Board.of(after))
    mover, other = "XO" if before.turn == "X" else "OX"
    goes_on = ", ".join(f"{(other, mover)[ply % 2]} {each + 1}" for ply, each in enumerate(line))
    if not right:
        does = f"turns the {WORTHS[value(before)]} into a {WORTHS[-value(after)]}"
        rest = f" It allows: {goes_on}."
    else:
        score = format_score(score_of_move(before, cell))
        does = f"is a {score}" if puzzle.wins else "holds the draw"
        rest = f" With best play: {goes_on}." if line else ""
    named = f"{cell + 1}, {CELLS[cell]},"
    return {
        "marks": str(after),
        "name": f"{named} {mover}, {'right' if right else 'wrong'}",
        "headline": "Right!" if right else f"Wrong: {cell + 1} is not the move.",
        "why": f"{mover} at {named} {does}.{rest}",
        "end": {
            "marks": str(end.position),
            "line": end.position.won_cells,
            "title": f"How it ends: {ending(end.winner)}",
        },
    }
