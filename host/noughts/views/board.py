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
    """The game's value to X: 10 less the plies to X's win, or the opposite."""
    text: str
    """For screen readers."""
    cell: int | None = None
    mark: str = ""
    where: str = ""
    verdict: str = ""
    called: str = ""
    mistake: bool = False
    words: str = ""


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
) -> dict[str, Any]:
    """A game of a person as `you` (X or O) so far, as JSON; at: after how many moves it is shown.

    Cells are 0 to 8, and what is written in words counts from 1.
    """
    boards = list(accumulate(moves, Board.play, initial=start))
    last = len(moves)
    at = last if at is None else at
    board, end = boards[at], boards[-1]
    marks = str(board.position)
    persons = [opponent == FRIEND or each.turn == you for each in boards]
    stops = [ply for ply in range(last + 1) if persons[ply] or ply == last]
    graph = history(moves, start.position)
    playable = persons[at] and not board.is_over
    headline, remark = _situation(end, graph[-1], opponent, you)
    if at < last:
        where = f"after move {at} of {last}" if at else "at the beginning"
        headline, remark = f"Looking back: {where}", "Play on from here." * playable
    return {
        "opponent": opponent,
        "you": you,
        "moves": "".join(map(str, moves)),
        "at": at,
        "marks": marks,
        "turn": board.turn,
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
        "winner": end.winner,
    }


def _situation(board: Board, last: Judged, opponent: str, you: str) -> tuple[str, str]:
    """The situation after the last move: a headline and a remark."""
    friend = opponent == FRIEND
    if board.winner:
        headline = "You won" if board.winner == you else "You lost"
        return f"{ending(board.winner) if friend else headline}: {line_names(board.position)}", ""
    if board.is_over:
        return ending(board.winner).capitalize(), ""
    if friend:
        return f"{board.turn}’s turn", ""
    remark = "" if last.cell is None else f"{opponent} plays {last.cell + 1}, {last.where}."
    return f"Your turn: you are {you}", remark


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
            "value": f"best play: {format_score(scores[cell]).replace(' ', _NBSP)}",
            "chance": f"wins {100 * float(chances[cell]):.3g}% against random play",
            "heat": _HEATS - round(_HEATS * (most - chances[cell]) / (most - least or 1)),
        }
        for cell in position.free
    }


def history(moves: Sequence[int], start: Position = EMPTY) -> list[Judged]:
    """The game before its first move, and after each."""
    score, worth = _evaluated(start)
    points = [Judged(score=score, text=f"before the first move: {worth}")]
    for ply, move in enumerate(review(moves, start), 1):
        score, worth = _evaluated(move.before.play(move.cell))
        mark, where, found = move.before.turn, CELLS[move.cell], verdict(move)
        points.append(
            Judged(
                score=score,
                text=f"after move {ply}, {mark} {where}, {found.name.lower()}: {worth}",
                cell=move.cell,
                mark=mark,
                where=where,
                verdict=found.value,
                called=found.name.lower(),
                mistake=move.mistake,
                words=judged(move),
            )
        )
    return points


def _evaluated(position: Position) -> tuple[int, str]:
    score = solver.score(position) * (1 if position.turn == "X" else -1)
    if position.over:
        return score, ending(Board.of(position).winner)
    if not score:
        return 0, "a draw with best play"
    return score, f"{'X' if score > 0 else 'O'} wins in {WIN - abs(score)}"


def board_text(marks: str, players: str = "XO") -> str:
    """Nine marks in words, for screen readers."""
    cells = {who: [str(n) for n, mark in enumerate(marks, 1) if mark == who] for who in players}
    return "; ".join(f"{who} has {', '.join(own) or 'no cell'}" for who, own in cells.items())
