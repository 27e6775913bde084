"""Boards in the players' colours: the marks of a game, and a step of a replay.

A is blue and B is orange, of the set that Okabe and Ito chose for all kinds of colour vision:
https://jfly.uni-koeln.de/color/. Wherever they stand, a letter or a sign says the same.
"""

from collections.abc import Container, Mapping
from typing import Any

from rich.text import Text

from noughts.game.positions import LINES
from noughts.store.stored_game import StoredGame

_FALLING, _RISING = 6, 7
"""The diagonals among the eight lines."""
PLAYERS = {"A": "bold #56b4e9", "B": "bold #e69f00"}


def mark_rows(marks: Mapping[int, str], marked: Container[int]) -> list[Text]:
    """The marks of A and B in three rows; those in the cells `marked` are highlighted."""
    cells = [Text("·", "dim") for _ in range(9)]
    for cell, player in marks.items():
        cells[cell] = Text(player, PLAYERS[player] + " reverse" * (cell in marked))
    return [Text(" ").join(cells[row : row + 3]) for row in (0, 3, 6)]


def step(shown: Mapping[str, Any]) -> Text:
    """A step of a `replay`."""
    made = Text(shown["made"])
    for player, style in PLAYERS.items():
        made.highlight_regex(f"(?<=: ){player}", style)
    text = _board(shown).append("\n\n").append_text(made).append("\n")
    text.append(f"{shown['words']}\n", "bold red" if shown["mistake"] else "")
    return text.append(shown["ending"], "bold")


def _board(shown: Mapping[str, Any]) -> Text:
    """The marks, with the scores of rows and diagonals next to them, and of columns below."""
    cells = [Text(f" {cell + 1} ", "dim") for cell in range(9)]
    for cell, player in shown["players"].items():
        marked = cell == shown["last"] or cell in shown["line"]
        cells[cell] = Text(f" {player} ", PLAYERS[player] + " reverse" * marked)
    rows = [Text("|").join(cells[first : first + 3]) for first in (0, 3, 6)]
    scores = [
        Text(f"{score:+d} " if score else " 0 ", "bold" if abs(score) > 1 else "")
        for _, score in shown["scores"]
    ]

    def named(line: int) -> Text:
        numbers = " ".join(str(cell + 1) for cell in LINES[line])
        name = "row" if line < _FALLING else "diagonal"
        return Text.assemble(scores[line], (f"  {name} {numbers}\n", "dim"))

    rule = "---+---+---\n"
    return Text.assemble(
        " " * 15, named(_RISING),
        rows[0], "    ", named(3), rule,
        rows[1], "    ", named(4), rule,
        rows[2], "    ", named(5), "\n",
        Text(" ").join(scores[:3]), "    ", named(_FALLING), ("columns", "dim"),
    )  # fmt: skip


def wait_s(game: StoredGame, plies: int, speed: float) -> float:
    """Seconds until the next move, at this multiple of the speed of the game."""
    thought_ms = game.thought_ms[plies] if plies < len(game.thought_ms) else None
    return (1000 if thought_ms is None else max(0, thought_ms)) / 1000 / speed
