"""Puzzles for the page: the task, and the outcome of each move."""

from functools import reduce
from typing import Any

from noughts.errors import NoughtsError
from noughts.game.board import Board
from noughts.game.positions import canonical
from noughts.game.solver import (
    WIN,
    Met,
    Puzzle,
    level,
    puzzle_of,
    score_of_move,
    value,
    variation,
)
from noughts.protocol.describe import CELLS
from noughts.views.board import cell_names
from noughts.views.words import WORTHS, ending


def parsed_puzzle(text: str) -> Puzzle:
    position = Board(text).position
    found = puzzle_of(position)
    if found is None:
        raise NoughtsError("this position has more than one right move, so it is not a puzzle")
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
    replies = [f"{(other, mover)[ply % 2]} {each + 1}" for ply, each in enumerate(line)]
    if not right:
        does = f"turns the {WORTHS[value(before)]} into a {WORTHS[-value(after)]}"
        then = f" Then: {', '.join(replies[1:])}." if replies[1:] else ""
        rest = f" Now {other} can play {line[0] + 1}.{then}"
    else:
        plies = WIN - score_of_move(before, cell)
        does = _wins_in(plies, other) if puzzle.wins else "holds the draw"
        rest = f" With best play: {', '.join(replies)}." if replies else ""
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


def _wins_in(plies: int, other: str) -> str:
    return "wins at once" if plies == 1 else f"wins in {plies} moves, {other}'s included"
