"""A game as text: its marks, and each step of a replay with its scores and what it was worth.

The scores are the array of `device/rules.py`.
"""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence

from rich.text import Text

from noughts.game.positions import LINES
from noughts.store.stored_game import StoredGame
from noughts.terminal.palette import PLAYERS
from noughts.views.replay import ReplayStep

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


def step(steps: Sequence[ReplayStep], plies: int) -> Text:
    """How things stood after so many moves, and what to say of the last of them."""
    shown = steps[plies]
    text = _board(shown)
    text.append("\n\n")
    if shown.last is None:
        text.append(f"{shown.made}\n\n")
    else:
        player = shown.players[shown.last]
        move, rest = shown.made.split(f": {player}", 1)
        text.append(f"{move}: ").append(player, PLAYERS[player]).append(f"{rest}\n")
        text.append(shown.verdict, "bold red" if shown.mistake else "")
        text.append(f" {shown.better}\n" if shown.better else "\n")
    text.append(shown.ending, "bold")
    return text


def _board(shown: ReplayStep) -> Text:
    counts = [line.score for line in shown.scores]
    text = Text(" " * 15).append_text(_labelled(counts, _RISING))
    for row in range(3):
        for column in range(3):
            cell = 3 * row + column
            if player := shown.players.get(cell):
                marked = cell == shown.last or cell in shown.line
                text.append(f" {player} ", PLAYERS[player] + " reverse" * marked)
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


def wait_s(game: StoredGame, plies: int, speed: float) -> float:
    """Seconds until the next move, at so many times the speed at which it was played."""
    thought_ms = game.thought_ms[plies] if plies < len(game.thought_ms) else None
    return (_UNHEARD_MS if thought_ms is None else max(0, thought_ms)) / 1000 / speed
