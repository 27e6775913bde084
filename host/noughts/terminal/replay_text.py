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

from noughts.game.review import Reviewed
from noughts.protocol.describe import judged
from noughts.protocol.sentences import score_array
from noughts.store.replay_words import ending, marks, played, won_cells
from noughts.store.stored_game import StoredGame
from noughts.terminal.palette import PLAYERS

_UNHEARD_MS = 1000


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
    line = won_cells(counts)
    text = Text(" " * 15).append_text(_score(counts[7])).append("\n")
    for row in range(3):
        for column in range(3):
            cell = 3 * row + column
            if cell in standing:
                style = PLAYERS[standing[cell]] + " reverse" * (cell == last or cell in line)
                text.append(f" {standing[cell]} ", style)
            else:
                text.append(f" {cell + 1} ", "dim")
            text.append("|" if column < 2 else "    ")
        text.append_text(_score(counts[3 + row])).append("\n")
        if row < 2:
            text.append("---+---+---\n")
    text.append("\n")
    for column in range(3):
        text.append_text(_score(counts[column])).append(" ")
    return text.append("   ").append_text(_score(counts[6]))


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
