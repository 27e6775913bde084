"""Boards: pictures, and games of the page Play with hints, verdicts and a graph."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

from noughts.engines.search import format_score
from noughts.game import solver
from noughts.game.board import Board
from noughts.game.positions import EMPTY, Position
from noughts.game.review import review, verdict
from noughts.game.solver import WIN, score_of_move, win_chance_after
from noughts.protocol.describe import CELLS, line_names
from noughts.views.words import ending, judged


@dataclass(frozen=True)
class Picture:
    """A small board, drawn."""

    marks: str
    """X, O and `.`."""
    title: str
    """The board in words, for screen readers."""
    labels: tuple[str, ...] = ("",) * 9
    """The text in each free cell."""
    grounds: tuple[str, ...] = ("",) * 9
    """Each cell's CSS class: `line`, `win`, `draw`, `loss`, `heat0` to `heat4`, or none."""


@dataclass(frozen=True, kw_only=True)
class Judged:
    """A game before its first move, or after one, with the verdict on it."""

    score: int
    """The game's value to X or A: 10 less the plies to their win, or the opposite."""
    text: str
    """For screen readers."""
    cell: int | None = None
    name: str = ""
    """Who made the move: X or O, A or B."""
    where: str = ""
    verdict: str = ""
    called: str = ""
    mistake: bool = False
    words: str = ""


_SWAPPED = str.maketrans("XO", "OX")
_NBSP = "\N{NO-BREAK SPACE}"
_HEATS = 4
"""Steps of the heat map above the coolest."""

FRIEND = "friend"
"""A second person at the same computer."""


def described(
    start: Board,
    moves: Sequence[int],
    at: int | None = None,
    opponent: str = FRIEND,
    you: str = "X",
    first: str = "X",
) -> dict[str, Any]:
    """A game of a person as `you` (X or O) so far, as JSON; at: after how many moves it is shown.

    first: the mark of the side that began. start and moves know only who moved first, as
    `position` does in the answer. Cells are 0 to 8, and what is written in words counts from 1.
    """
    names = names_from(first)
    boards = list(accumulate(moves, Board.play, initial=start))
    last = len(moves)
    at = last if at is None else at
    board, end = boards[at], boards[-1]
    turns = [turn_of(each, names) for each in boards]
    marks = drawn(board.position, names)
    persons = [opponent == FRIEND or turn == you for turn in turns]
    stops = [ply for ply in range(last + 1) if persons[ply] or ply == last]
    graph = history(moves, start.position, names)
    playable = persons[at] and not board.is_over
    winner = names["XO".index(end.winner)] if end.winner else None
    headline, remark = _situation(end, winner, turns[-1], graph[-1], opponent, you)
    if at < last:
        where = f"after move {at} of {last}" if at else "at the beginning"
        headline, remark = f"Looking back: {where}", "Play on from here." if playable else ""
    return {
        "opponent": opponent,
        "you": you,
        "first": first,
        "moves": "".join(map(str, moves)),
        "at": at,
        "marks": marks,
        "position": str(board.position),
        "turn": turns[at],
        "names": cell_names(marks),
        "hints": _hints(board.position) if playable else {},
        "playable": playable,
        "last": moves[at - 1] if at else None,
        "line": board.position.won_cells,
        "headline": headline,
        "remark": remark,
        "undo": max((ply for ply in stops if ply < at), default=None),
        "redo": min((ply for ply in stops if ply > at), default=None),
        "graph": list(map(vars, graph)),
        "over": end.is_over,
        "winner": winner,
    }


def _situation(
    board: Board, winner: str | None, turn: str | None, last: Judged, opponent: str, you: str
) -> tuple[str, str]:
    """The situation after the last move: a headline and a remark."""
    friend = opponent == FRIEND
    if winner:
        headline = "You won" if winner == you else "You lost"
        return f"{ending(winner) if friend else headline}: {line_names(board.position)}", ""
    if board.is_over:
        return ending(None).capitalize(), ""
    if friend:
        return f"{turn}’s turn", ""
    shown = opponent[:1].upper() + opponent[1:]
    remark = "" if last.cell is None else f"{shown} plays {last.cell + 1}, {last.where}."
    return f"Your turn: you are {you}", remark


def names_from(first: str) -> str:
    """Both marks, first that of the side which began."""
    return "XO" if first == "X" else "OX"


def turn_of(board: Board, names: str) -> str | None:
    """Whose turn it is, by name; None when the game is over."""
    return names["XO".index(board.turn)] if board.turn else None


def drawn(position: Position, names: str) -> str:
    """A position with X for the side in `names` that is X or A; names: first who moved first."""
    marks = str(position)
    return marks if names[0] in "XA" else swapped(marks)


def swapped(marks: str) -> str:
    """Marks with X for O, and O for X."""
    return marks.upper().translate(_SWAPPED)


def cell_names(marks: str) -> list[str]:
    """Each cell's name for screen readers."""
    return [
        f"{cell + 1}, {CELLS[cell]}, {'free' if mark == '.' else mark}"
        for cell, mark in enumerate(marks)
    ]


def _hints(position: Position) -> dict[int, dict[str, Any]]:
    """The hint for each free cell: its value, and its chance of winning against random play."""
    scores = {cell: score_of_move(position, cell) for cell in position.free}
    chances = {cell: win_chance_after(position, cell) for cell in position.free}
    least, most = min(chances.values()), max(chances.values())
    best = max((scores[cell], chances[cell]) for cell in position.free)
    return {
        cell: {
            "best": (scores[cell], chances[cell]) == best,
            "value": format_score(scores[cell]).replace(" ", _NBSP),
            "chance": f"{100 * float(chances[cell]):.3g}%",
            "heat": _HEATS - round(_HEATS * (most - chances[cell]) / (most - least or 1)),
        }
        for cell in position.free
    }


def history(moves: Sequence[int], start: Position = EMPTY, names: str = "XO") -> list[Judged]:
    """The game before its first move, and after each.

    names: the side that moved first, and the other: X and O, or the players A and B.
    """
    score, worth = _evaluated(start, names)
    points = [Judged(score=score, text=f"before the first move: {worth}")]
    for ply, move in enumerate(review(moves, start), 1):
        score, worth = _evaluated(move.position.play(move.cell), names)
        name, where, found = names[move.position.ply % 2], CELLS[move.cell], verdict(move)
        points.append(
            Judged(
                score=score,
                text=f"after move {ply}, {name} {where}, {found.name.lower()}: {worth}",
                cell=move.cell,
                name=name,
                where=where,
                verdict=found.value,
                called=found.name.lower(),
                mistake=move.mistake,
                words=judged(move),
            )
        )
    return points


def _evaluated(position: Position, names: str) -> tuple[int, str]:
    """The value to X or A, and in words."""
    to_mover = solver.score(position)
    mover, other = names[position.ply % 2], names[1 - position.ply % 2]
    score = to_mover if mover in "XA" else -to_mover
    if position.over:
        return score, ending(other if to_mover else None)
    if not score:
        return 0, "a draw with best play"
    return score, f"{mover if to_mover > 0 else other} wins in {WIN - abs(score)}"


def board_text(marks: str, players: str = "XO") -> str:
    """Nine marks in words, for screen readers."""
    cells = {who: [str(n) for n, mark in enumerate(marks, 1) if mark == who] for who in players}
    return "; ".join(f"{who} has {', '.join(own) or 'no cell'}" for who, own in cells.items())
