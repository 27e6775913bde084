"""The game solved again, independently of the solver: nine-character boards, no symmetry."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from functools import cache
from typing import Any

from noughts.game.engine import Engine
from noughts.game.positions import EMPTY, WON, Position

WINS = ("012", "345", "678", "036", "147", "258", "048", "246")

Chances = tuple[Fraction, Fraction]
"""How likely a player wins, and loses."""


def has_won(board: str, side: str) -> bool:
    return any(all(board[int(cell)] == side for cell in line) for line in WINS)


def following(board: str) -> Iterator[tuple[int, str]]:
    """Each free cell, and the board after a mark on it."""
    side = "XO"[board.count(".") % 2 == 0]
    for cell in range(9):
        if board[cell] == ".":
            yield cell, board[:cell] + side + board[cell + 1 :]


@cache
def minimax(board: str) -> int:
    """1, 0 or -1 for the side that is to move."""
    if has_won(board, "XO"[board.count(".") % 2]):
        return -1
    return max((-minimax(board_after) for _, board_after in following(board)), default=0)


@cache
def against_random(board: str, me: str, liking: Callable[[str, Chances], Any]) -> Chances:
    """How likely a player wins and loses against random play, with the moves they like most."""
    for side in "XO":
        if has_won(board, side):
            return Fraction(side == me), Fraction(side != me)
    outcomes = [
        (board_after, against_random(board_after, me, liking))
        for _, board_after in following(board)
    ]
    if not outcomes:
        return Fraction(0), Fraction(0)
    if me == "XO"[len(outcomes) % 2 == 0]:
        return max(outcomes, key=lambda outcome: liking(*outcome))[1]
    won, lost = zip(*(chances for _, chances in outcomes), strict=True)
    return sum(won, Fraction(0)) / len(outcomes), sum(lost, Fraction(0)) / len(outcomes)


Answer = Callable[[Position], Iterable[tuple[int, Fraction]]]
"""Cells, and how likely each is played; with none, it resigns."""


def answers(engine: Engine) -> Answer:
    return lambda position: engine.reply(position).chances()


def alike(cells: Sequence[int]) -> list[tuple[int, Fraction]]:
    """Any of these cells."""
    return [(cell, Fraction(1, len(cells))) for cell in cells]


def ends(x: Answer, o: Answer) -> list[Fraction]:
    """How likely X wins, a draw is, and O wins, computed over every game."""

    @cache
    def ends_after(position: Position) -> list[Fraction]:
        mover = position.ply % 2
        mover_lost = [Fraction(mover == 1), Fraction(0), Fraction(mover == 0)]
        if WON[position.other]:
            return mover_lost
        if position.over:
            return [Fraction(0), Fraction(1), Fraction(0)]
        parts = [
            [chance * part for part in ends_after(position.play(cell))]
            for cell, chance in (x, o)[mover](position)
        ]
        return [sum(chances, Fraction(0)) for chances in zip(*parts, strict=True)] or mover_lost

    return ends_after(EMPTY)
