"""Stored games for replay: the facts of a game, and the situation after each move.

Wherever players A and B play, A's marks are drawn as X and B's as O, whoever began.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import accumulate

from noughts.game.board import Board
from noughts.protocol.describe import LINE_NAMES, line_names, seated_in_full, won
from noughts.protocol.sentences import score_array
from noughts.store.stored_game import StoredGame
from noughts.views.analysis import MoveAnalysis, history
from noughts.views.board_pictures import Picture, board_text, cell_names, marks_for
from noughts.views.words import SIGNS, ending, value_words

_PLAYERS = str.maketrans("XO", "AB")
_STOPPED = {
    "-": "Nothing more of this game was received.",
    "x": "The game was abandoned here.",
    "=": "A draw.",
}
"""By a game's `end`, if nobody has won."""


@dataclass(frozen=True, kw_only=True)
class ReplayStep(MoveAnalysis):
    """The situation after a number of moves."""

    marks: str
    """X for A and O for B."""
    players: Mapping[int, str]
    """By taken cell: A or B."""
    names: list[str]
    line: list[int]
    """The winning cells, if somebody has won."""
    scores: list[tuple[str, int]]
    """With the names of their lines."""
    value_words: Mapping[int, str]
    """By free cell, its value to the player to move."""
    next: str | None
    made: str
    """The last move, or who begins."""
    thought: str
    """The time for the move; empty if not known."""
    ending: str


@dataclass(frozen=True)
class Replay:
    """A whole game, with one more step than moves, and a picture of its end."""

    number: int
    result: str
    first: str
    """The mark of the player who began: X or O."""
    players: list[tuple[str, str, str]]
    """Their signs, A or B, and a description."""
    details: list[tuple[str, str]]
    steps: list[ReplayStep]
    picture: Picture


def replay(game: StoredGame) -> Replay:
    """A stored game, step by step."""
    moves = list(map(int, game.moves))
    boards = list(accumulate(moves, Board.play, initial=Board()))
    end = boards[-1].position
    line = ["line" if cell in end.won_cells else "" for cell in range(9)]
    names = "AB" if game.first == "A" else "BA"
    marks = marks_for(end, names)
    return Replay(
        game.id,
        won(game.result),
        "X" if game.first == "A" else "O",
        [
            (sign, player, seated_in_full(seat))
            for sign, player, seat in zip(SIGNS, "AB", game.seats, strict=True)
        ],
        _details(game),
        [
            _step(game, point, board, plies)
            for plies, (point, board) in enumerate(
                zip(history(moves, names=names), boards, strict=True)
            )
        ],
        Picture(marks, board_text(marks.translate(_PLAYERS), "AB"), grounds=tuple(line)),
    )


def heading(game: StoredGame) -> str:
    """The facts of a game in two lines."""
    a, b = map(seated_in_full, game.seats)
    who = f"game {game.id}: A is {a}, B is {b}; {game.first} began; {won(game.result)}"
    return f"{who}\n{', '.join(text for _, text in _details(game))}"


def _details(game: StoredGame) -> list[tuple[str, str]]:
    details = [("Began", str(game.when)), ("Board", game.display_name)]
    if game.by_radio:
        details.append(("Received", "its last moves by radio only, where anyone nearby can send"))
    if game.hardware:
        details.append(("Kind", f"micro:bit {game.hardware}"))
        if "H" in game.seats:
            details.append(("Hard uses", f"table {game.table_id}"))
    details.append(("Number", f"game {game.number} since the board was switched on"))
    details.append(("Lasted", f"{game.ms / 1000:.1f} s"))
    return details


def _step(game: StoredGame, point: MoveAnalysis, board: Board, plies: int) -> ReplayStep:
    end = _STOPPED.get(game.end) or f"{ending(game.end)}: {line_names(board.position)}."
    players = {int(cell): game.player(ply) for ply, cell in enumerate(game.moves[:plies])}
    marks = marks_for(board.position, "AB" if game.first == "A" else "BA")
    thought, move_text = "", f"{game.first} begins."
    if point.cell is not None:
        ms = game.thought_ms[plies - 1]
        thought = "" if ms is None else f"{ms / 1000:.1f} s"
        after_s = thought and f", after {thought}"
        played = f"{players[point.cell]} plays {point.cell + 1}, {point.where}{after_s}."
        move_text = f"Move {plies} of {len(game.moves)}: {played}"
    return ReplayStep(
        **vars(point),
        marks=marks,
        players=players,
        names=cell_names(marks),
        line=board.position.won_cells,
        scores=list(zip(LINE_NAMES, score_array(players), strict=True)),
        value_words={} if board.is_over else value_words(board.position),
        next=None if board.is_over else game.player(plies),
        made=move_text,
        thought=thought,
        ending=end if plies == len(game.moves) else "",
    )
