"""A step of a replayed game as text: the board with its eight scores, and what the move was worth.

                -1     the diagonal that rises        A's marks count +1 and B's -1; at 3 or -3
 1 | 2 | B      -1     the rows                       somebody has won. This is the score array
---+---+---                                           of `device/rules.py`.
 A | A | 6      +2
---+---+---
 7 | B | 9      -1

+1   0  -1      +1     the columns, and the diagonal that falls
"""

from __future__ import annotations

from rich.text import Text

from noughts.game.positions import LINES
from noughts.game.review import Reviewed
from noughts.protocol.describe import CELLS, LINE_NAMES, SEATS, WORTHS, either, won
from noughts.store import timestamps
from noughts.store.stored_game import StoredGame
from noughts.terminal.palette import PLAYERS

_UNHEARD_MS = 1000


def heading(game: StoredGame) -> str:
    """What is known of the game as a whole, in two lines."""
    a, b = (SEATS[seat] for seat in game.seats)
    on = f"micro:bit {game.hardware}, table {game.table_id}, " if game.hardware else ""
    return (
        f"game {game.id}: A is {a}, B is {b}; {game.first} began; {won(game.result)}\n"
        f"{timestamps.local(game.started)}, {on}{game.called}, its game {game.number} of "
        f"boot {game.boot}"
    )


def step(game: StoredGame, reviewed: list[Reviewed], plies: int) -> Text:
    """How things stood after so many moves, and what to say of the last of them."""
    text = _board(game, plies)
    text.append("\n\n")
    if plies == 0:
        text.append(f"{game.first} begins.\n\n")
    else:
        _say(text, game, reviewed[plies - 1], plies - 1)
    if plies == len(game.moves):
        text.append(_ending(game), "bold")
    return text


def _marks(game: StoredGame, plies: int) -> dict[int, str]:
    return {int(cell): game.player(ply) for ply, cell in enumerate(game.moves[:plies])}


def _scores(marks: dict[int, str]) -> list[int]:
    """The board's score array, see `device/rules.py`."""
    return [sum({"A": 1, "B": -1}[marks[cell]] for cell in line if cell in marks) for line in LINES]


def _board(game: StoredGame, plies: int) -> Text:
    marks = _marks(game, plies)
    scores = _scores(marks)
    last = int(game.moves[plies - 1]) if plies else None
    won_cells = {
        cell for line, score in zip(LINES, scores, strict=True) if abs(score) == 3 for cell in line
    }
    text = Text(" " * 15).append_text(_score(scores[7])).append("\n")
    for row in range(3):
        for column in range(3):
            cell = 3 * row + column
            if cell in marks:
                style = PLAYERS[marks[cell]] + " reverse" * (cell == last or cell in won_cells)
                text.append(f" {marks[cell]} ", style)
            else:
                text.append(f" {cell + 1} ", "dim")
            text.append("|" if column < 2 else "    ")
        text.append_text(_score(scores[3 + row])).append("\n")
        if row < 2:
            text.append("---+---+---\n")
    text.append("\n")
    for column in range(3):
        text.append_text(_score(scores[column])).append(" ")
    return text.append("   ").append_text(_score(scores[6]))


def _score(score: int) -> Text:
    return Text(f"{score:+d} " if score else " 0 ", "bold" if abs(score) >= 2 else "")


def _say(text: Text, game: StoredGame, move: Reviewed, ply: int) -> None:
    player = game.player(ply)
    text.append(f"Move {ply + 1} of {len(game.moves)}: ")
    text.append(player, PLAYERS[player])
    text.append(f" plays {move.cell + 1}, {CELLS[move.cell]}")
    thought_ms = game.thought_ms[ply] if ply < len(game.thought_ms) else None
    text.append("" if thought_ms is None else f", after {thought_ms / 1000:.1f} s")
    text.append(".\n")
    if move.mistake:
        text.append(
            f"A mistake: it turns a {WORTHS[move.worth]} into a {WORTHS[move.kept]}.", "bold red"
        )
        text.append(f" Best: {either(move.best)}.\n")
    else:
        text.append(f"{_verdict(move)}\n")


def _verdict(move: Reviewed) -> str:
    """What a move was that gave nothing away."""
    lost, worth = move.worth < 0, WORTHS[move.worth]
    after = "; the position was already lost" if lost else f": it keeps the {worth}"
    if move.cell in move.best:
        alone = len(move.best) == 1
        which = "The best move" if alone else f"One of the best moves, {either(move.best)}"
        return f"{which}{after}."
    kept = "The position was already lost" if lost else f"It keeps the {worth}"
    return f"{kept}; against mistakes, {either(move.best)} wins more often."


def _ending(game: StoredGame) -> str:
    if game.end == "-":
        return "Nothing more was heard of this game."
    if game.end == "x":
        return "The game was abandoned here."
    if game.end == "=":
        return "A draw."
    scores = _scores(_marks(game, len(game.moves)))
    names = [name for name, score in zip(LINE_NAMES, scores, strict=True) if abs(score) == 3]
    return f"{game.end} wins: {' and '.join(names)}."


def wait_s(game: StoredGame, plies: int, speed: float) -> float:
    """Seconds until the next move, at so many times the speed at which it was played."""
    thought_ms = game.thought_ms[plies] if plies < len(game.thought_ms) else None
    return (_UNHEARD_MS if thought_ms is None else max(0, thought_ms)) / 1000 / speed
