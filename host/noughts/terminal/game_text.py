"""A game as text: its marks, and each step of a replay with its scores and what it was worth.

The scores are the array of `device/rules.py`.
"""

from __future__ import annotations

from collections.abc import Container, Mapping

from rich.text import Text

from noughts.game.positions import LINES, after
from noughts.game.review import Reviewed
from noughts.protocol.describe import judged
from noughts.protocol.sentences import score_array
from noughts.store.replay_words import ending, marks, played
from noughts.store.stored_game import StoredGame
from noughts.terminal.palette import PLAYERS

_UNHEARD_MS = 1000
_FALLING, _RISING = 6, 7
"""The diagonals among the eight lines."""
HELP = """\
The number at the end of each row, column and diagonal is its score: a mark of player A counts +1, \
a mark of player B -1. At +3 player A has won, at -3 player B.
1 to 9 are the free cells. The last move is marked, and at the end the row that won.

right left   a move forward or back
home end     to the beginning, to the end
space        play it as fast as it was played, or stop
q            leave"""


def mark_rows(marks: Mapping[int, str], marked: Container[int], empty: str = "·") -> list[Text]:
    """The marks of A and B, by cell, in three rows; those in the cells `marked` stand out."""
    cells = [Text(empty, "dim") for _ in range(9)]
    for cell, player in marks.items():
        cells[cell] = Text(player, PLAYERS[player] + " reverse" * (cell in marked))
    return [Text(" ").join(cells[row : row + 3]) for row in (0, 3, 6)]


def step(game: StoredGame, reviewed: list[Reviewed], plies: int) -> Text:
    """How things stood after so many moves, and what to say of the last of them."""
    text = _board(game, plies)
    text.append("\n\n")
    if plies == 0:
        text.append(f"{game.first} begins.\n\n")
    else:
        _say(text, game, reviewed[plies - 1], plies - 1)
    if plies == len(game.moves):
        text.append(ending(game), "bold")
    return text


def _board(game: StoredGame, plies: int) -> Text:
    standing = marks(game, plies)
    counts = score_array(standing)
    last = int(game.moves[plies - 1]) if plies else None
    line = after(map(int, game.moves[:plies])).won_cells
    text = Text(" " * 15).append_text(_labelled(counts, _RISING))
    for row in range(3):
        for column in range(3):
            cell = 3 * row + column
            if cell in standing:
                style = PLAYERS[standing[cell]] + " reverse" * (cell == last or cell in line)
                text.append(f" {standing[cell]} ", style)
            else:
                text.append(f" {cell + 1} ", "dim")
            text.append("|" if column < 2 else "    ")
        text.append_text(_labelled(counts, 3 + row))
        if row < 2:
            text.append("---+---+---\n")
    text.append("\n")
    for column in range(3):
        text.append_text(_score(counts[column])).append(" ")
    text.append("   ").append_text(_labelled(counts, _FALLING))
    return text.append("columns", "dim")


def _labelled(counts: list[int], line: int) -> Text:
    """The score of a line of the board, and which line that is."""
    cells = " ".join(str(cell + 1) for cell in LINES[line])
    name = "row" if line < _FALLING else "diagonal"
    return _score(counts[line]).append(f"  {name} {cells}\n", "dim")


def _score(score: int) -> Text:
    return Text(f"{score:+d} " if score else " 0 ", "bold" if abs(score) >= 2 else "")


def _say(text: Text, game: StoredGame, move: Reviewed, ply: int) -> None:
    player, rest = game.player(ply), played(game, ply)[1:]
    text.append(f"Move {ply + 1} of {len(game.moves)}: ")
    text.append(player, PLAYERS[player]).append(f"{rest}\n")
    verdict, better = judged(move)
    text.append(verdict, "bold red" if move.mistake else "")
    text.append(f" {better}\n" if better else "\n")


def wait_s(game: StoredGame, plies: int, speed: float) -> float:
    """Seconds until the next move, at so many times the speed at which it was played."""
    thought_ms = game.thought_ms[plies] if plies < len(game.thought_ms) else None
    return (_UNHEARD_MS if thought_ms is None else max(0, thought_ms)) / 1000 / speed
