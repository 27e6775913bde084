"""Games that an engine loses, as pictures side by side."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import reduce

from noughts.game.positions import EMPTY, Position
from noughts.game.proof import Seat
from noughts.game.review import review
from noughts.game.verdict import Verdict, verdict
from noughts.terminal.layout import board

_WIDTH = 11
_GAP = "   "
_IN_A_ROW = 5
"""In 80 columns."""
_MISTAKES = (Verdict.MISTAKE, Verdict.BLUNDER)


def losing_game(seat: Seat) -> str:
    """The shortest game that is lost from a seat, a picture for each move; the loser's mistakes."""
    return _pictures(seat.losing_line or (), seat.first)


def likeliest_loss(name: str, seat: Seat, percent: Callable[[Fraction], str]) -> str:
    """The game by which an engine loses most often to its best opponent, and how often that is."""
    line = seat.likeliest_loss or ()
    resigns = "" if reduce(Position.play, line, EMPTY).over else "\n\nHere it resigns."
    return (
        f"{name}, as {'X' if seat.first else 'O'}, loses {percent(seat.likeliest_loss_chance)} "
        f"of games against its best opponent like this;\n"
        "no other loss is more frequent (? and ?? are its mistakes):\n\n"
        f"{_pictures(line, seat.first)}{resigns}"
    )


def _pictures(line: Sequence[int], first: bool) -> str:
    pictures = []
    for ply, move in enumerate(review(line)):
        found = verdict(move)
        own = (ply % 2 == 0) == first
        mark = f" {found.value}" if own and found in _MISTAKES else ""
        after = board(move.before.play(move.cell), {}, move.cell)
        pictures.append([f"{'XO'[ply % 2]} {move.cell + 1}{mark}", *after.splitlines()])
    rows = [pictures[at : at + _IN_A_ROW] for at in range(0, len(pictures), _IN_A_ROW)]
    return "\n\n".join(
        "\n".join(
            _GAP.join(line.ljust(_WIDTH) for line in lines).rstrip()
            for lines in zip(*row, strict=True)
        )
        for row in rows
    )
