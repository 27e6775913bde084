"""The analysis of a game: hints, verdicts and a graph, for the page Play and for replays."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from noughts.engines.search import format_score
from noughts.game import solver
from noughts.game.board import Board
from noughts.game.positions import EMPTY, Position
from noughts.game.review import review, verdict
from noughts.game.solver import WIN, score_of_move, win_chance_after
from noughts.protocol.describe import CELLS, line_names
from noughts.views.board_pictures import cell_names, marks_for, names_from, turn_of
from noughts.views.words import ending, verdict_text


@dataclass(frozen=True, kw_only=True)
class MoveAnalysis:
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
    verdict_name: str = ""
    mistake: bool = False
    words: str = ""


_NBSP = "\N{NO-BREAK SPACE}"
_HEATS = 4
"""Steps of the heat map above the coolest."""

FRIEND = "friend"
"""A second person at the same computer."""


def analysis_of(
    start: Board,
    moves: Sequence[int],
    at: int | None = None,
    opponent: str = FRIEND,
    you: str = "X",
    first: str = "X",
) -> dict[str, object]:
    """A game of a person as `you` (X or O) so far, as JSON; at: after how many moves it is shown.

    first: the mark of the side that began. start and moves know only who moved first, as
    `position` does in the answer. Cells are 0 to 8, and what is written in words counts from 1.
    """
    names = names_from(first)
    boards = list(accumulate(moves, Board.play, initial=start))
    last = len(moves)
    at = last if at is None else at
    board, end = boards[at], boards[-1]
    turns = [turn_of(board, names) for board in boards]
    marks = marks_for(board.position, names)
    # Undo and redo stop where a person is to move, not in the middle of an engine's answer.
    persons = [opponent == FRIEND or turn == you for turn in turns]
    stops = [ply for ply in range(last + 1) if persons[ply] or ply == last]
    graph = history(moves, start.position, names, None if opponent == FRIEND else you)
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
    board: Board, winner: str | None, turn: str | None, last: MoveAnalysis, opponent: str, you: str
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


def _hints(position: Position) -> dict[int, dict[str, object]]:
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


def history(
    moves: Sequence[int], start: Position = EMPTY, names: str = "XO", you: str | None = None
) -> list[MoveAnalysis]:
    """The game before its first move, and after each.

    names: the side that moved first, and the other: X and O, or the players A and B. you: the
    name of the reader, if they played.
    """
    score, value_text = _evaluated(start, names)
    points = [MoveAnalysis(score=score, text=f"before the first move: {value_text}")]
    for ply, move in enumerate(review(moves, start), 1):
        score, value_text = _evaluated(move.position.play(move.cell), names)
        name, where, move_verdict = names[move.position.ply % 2], CELLS[move.cell], verdict(move)
        points.append(
            MoveAnalysis(
                score=score,
                text=f"after move {ply}, {name} {where}, {move_verdict.name.lower()}: {value_text}",
                cell=move.cell,
                name=name,
                where=where,
                verdict=move_verdict.value,
                verdict_name=move_verdict.name.lower(),
                mistake=move.mistake,
                words=verdict_text(move, "you" if name == you else name),
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
