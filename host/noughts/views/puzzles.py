"""Puzzles for the page: the task, and the outcome of each move."""

from functools import reduce
from typing import Any

from noughts.errors import NoughtsError
from noughts.game.board import Board
from noughts.game.positions import canonical
from noughts.game.puzzles import PeopleMoves, Puzzle, puzzle_level, puzzle_of
from noughts.game.solver import WIN, score_of_move, value, variation
from noughts.protocol.describe import CELLS
from noughts.views.board_pictures import cell_names
from noughts.views.words import VALUE_WORDS, ending


def parsed_puzzle(text: str) -> Puzzle:
    """The puzzle in nine characters. Raises `NoughtsError` if there is none."""
    position = Board(text).position
    puzzle = puzzle_of(position)
    if position.over:
        raise NoughtsError("this position is over, so it is not a puzzle")
    if puzzle is None and len(position.free) == 1:
        raise NoughtsError("this position has only one free cell, so it is not a puzzle")
    if puzzle is None:
        raise NoughtsError("this position has more than one right move, so it is not a puzzle")
    return puzzle


def posed(puzzle: Puzzle, people_moves: PeopleMoves) -> dict[str, Any]:
    """A puzzle as the page shows it: the task, and the answer to each move."""
    moved, wrong = people_moves.get(canonical(puzzle.position), (0, 0))
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
    return {"view": view, "about": f"{'★' * puzzle_level(puzzle, people_moves)} {people}".strip()}


def _answer(puzzle: Puzzle, cell: int) -> dict[str, object]:
    position, right = puzzle.position, cell == puzzle.right
    position_after = position.play(cell)
    best_replies = variation(position_after)
    end = reduce(Board.play, best_replies, Board.of(position_after))
    mover, other = "XO" if position.turn == "X" else "OX"
    replies = [f"{(other, mover)[ply % 2]} {cell + 1}" for ply, cell in enumerate(best_replies)]
    if not right:
        value_word = VALUE_WORDS[value(position)]
        value_word_after = VALUE_WORDS[-value(position_after)]
        effect = f"turns the {value_word} into a {value_word_after}"
        later = f" Then: {', '.join(replies[1:])}." if replies[1:] else ""
        what_follows = f" Now {other} can play {best_replies[0] + 1}.{later}"
    else:
        plies = WIN - score_of_move(position, cell)
        effect = _wins_in(plies, other) if puzzle.wins else "holds the draw"
        what_follows = f" With best play: {', '.join(replies)}." if replies else ""
    cell_name = f"{cell + 1}, {CELLS[cell]},"
    return {
        "marks": str(position_after),
        "name": f"{cell_name} {mover}, {'right' if right else 'wrong'}",
        "headline": "Right!" if right else f"Wrong: {cell + 1} is not the move.",
        "why": f"{mover} at {cell_name} {effect}.{what_follows}",
        "end": {
            "marks": str(end.position),
            "line": end.position.won_cells,
            "title": f"How it ends: {ending(end.winner)}",
        },
    }


def _wins_in(plies: int, other: str) -> str:
    return "wins at once" if plies == 1 else f"wins in {plies} moves, {other}'s included"
