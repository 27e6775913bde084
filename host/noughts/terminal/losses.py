"""How an engine loses: in words, and its games as pictures side by side."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

from noughts.game.positions import after
from noughts.game.proof import Proof, Seat
from noughts.game.review import Verdict, review, verdict
from noughts.terminal.layout import board

_WIDTH = 11
_GAP = "   "
_IN_A_ROW = 5
"""In 80 columns."""
_MISTAKES = (Verdict.MISTAKE, Verdict.BLUNDER)

Line = tuple[int, ...]


class Losses:
    """Of an engine that loses some game.

    shown: the games that are shown as pictures: `none`, the `shortest` one, or from each seat the
    `likeliest` one against the best opponent there is.
    """

    def __init__(self, name: str, proof: Proof, shown: str) -> None:
        self._name, self._seats = name, proof.seats
        self._first = min(
            (seat for seat in proof.seats if seat.losing_line is not None),
            key=lambda seat: len(seat.losing_line or ()),
        )
        games: dict[bool, Line | None] = {}
        if shown == "shortest":
            games = {self._first.first: self._first.losing_line}
        elif shown == "likeliest":
            games = {seat.first: seat.likeliest_loss for seat in proof.seats}
        self._likeliest = shown == "likeliest"
        self._shown = {first: line for first, line in games.items() if line}

    def shortest(self) -> str:
        """The seat and the moves of a shortest game that is lost."""
        seat, line = self._first, self._first.losing_line or ()
        if self._shown.get(seat.first) == line:
            how = "as below"
        elif line:
            how = f"when cells {_cells(line)} are played ({after(line)})"
        else:
            how = "when it resigns at once"
        return f"loses moving {order(seat)}, {how}"

    def chances(self) -> list[str]:
        """For each seat from which the engine may lose, how likely it does, and how."""
        return [
            f"moving {order(seat)}, it loses {_percent(seat.loss_chance)} of games against random "
            f"play, {_percent(seat.greatest_loss_chance)} against its best opponent, "
            f"most often {self._most_often(seat.first, seat.likeliest_loss)}"
            for seat in self._seats
            if seat.likeliest_loss is not None
        ]

    def _most_often(self, first: bool, line: Line) -> str:
        if not line:
            return "at once"
        return "as below" if self._shown.get(first) == line else f"by cells {_cells(line)}"

    def pictures(self) -> Iterator[str]:
        """The games that are shown, a picture for each move, with the engine's mistakes."""
        for seat in self._seats:
            line = self._shown.get(seat.first)
            if not line:
                continue
            who = f"{self._name}, as {'X' if seat.first else 'O'},"
            about = f"{who} loses this game (? and ?? are its mistakes):"
            if self._likeliest:
                about = (
                    f"{who} loses {_percent(seat.likeliest_loss_chance)} of games against its best "
                    "opponent like this;\nno other loss is more frequent (? and ?? are its "
                    "mistakes):"
                )
            resigns = "" if after(line).over else f"\n\n{who} resigns here"
            yield f"{about}\n\n{_pictures(line, seat.first)}{resigns}"


def order(seat: Seat) -> str:
    """Which seat it is."""
    return "first" if seat.first else "second"


def _cells(line: Sequence[int]) -> str:
    return " ".join(str(cell + 1) for cell in line)


def _percent(chance: Fraction) -> str:
    """Exact to two places, but that what may happen is not 0%, and what may not is not 100%."""
    text = f"{float(chance):.2%}"
    if text == "0.00%" and chance:
        return "less than 0.01%"
    return "more than 99.99%" if text == "100.00%" and chance < 1 else text


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
