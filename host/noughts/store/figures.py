"""What statistics and people's moves show: facts, rows of tables, and sentences.

The report and the page in the browser have them in common; each draws them in its own way.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from noughts.game.solver import hard_moves, value
from noughts.protocol.describe import CELLS, WORTHS, counted, either, opponents, seated
from noughts.store.people_moves import MetPosition
from noughts.store.statistics import BoardStats, Player, Stats, in_order, players_in_order
from noughts.store.stored_game import RESULTS
from noughts.store.timestamps import UNKNOWN, When

Value = str | int | float | None


@dataclass(frozen=True)
class Table:
    """A table: what its columns are called, its rows, and what to know of it."""

    head: tuple[str, ...]
    rows: list[tuple[Value, ...]]
    note: str = ""


def facts(found: Stats) -> list[tuple[str, str]]:
    """The figures that matter most: each a number, and what it counts."""
    people = sum(board.people.games for board in found.boards)
    mistakes = sum(board.people.mistakes for board in found.boards)
    won, drawn, lost = map(sum, zip(*(each.against_chip() for each in found.boards), strict=True))
    shown = [_counted(found.games, "game"), _counted(len(found.boards), "board")]
    if won + drawn + lost:
        shown.append((f"{won:,} – {drawn:,} – {lost:,}", "won, drawn, lost against the chip"))
    if people:
        shown.append((f"{mistakes / people:.2f}", "mistakes a game, of each person"))
    if found.told_late:
        shown.append((f"{found.told_late:,}", "recovered after they were over"))
    if found.by_radio:
        shown.append((f"{found.by_radio:,}", "by radio alone"))
    return shown


def _counted(number: int, noun: str) -> tuple[str, str]:
    figure, _, what = counted(number, noun).partition(" ")
    return figure, what


def results(found: Stats) -> Table:
    """How games ended, by who played as A and B, and who began."""
    head = ("A against B", "began", "games", "A won", "B won", "draw", "abandoned", "unfinished")
    return Table(
        head,
        [
            (opponents(seats), first, ends.total(), *(ends[end] for end in RESULTS.values()))
            for seats, first, ends in in_order(found)
        ],
    )


def boards(found: Sequence[BoardStats], last: Mapping[str, When]) -> Table:
    """A row for each board; last: by board, when its latest game was played."""
    head = (
        "board", "games", "won", "drawn", "lost", "two people", "not ended", "mistakes", "a game",
        "last game began",
    )  # fmt: skip
    rows: list[tuple[Value, ...]] = [
        (
            board.called,
            board.games,
            *board.against_chip(),
            board.between_people(),
            board.ended("x") + board.ended("-"),
            board.people.mistakes,
            board.people.mistakes_a_game,
            str(last.get(board.board, UNKNOWN)),
        )
        for board in found
    ]
    return Table(
        head,
        rows,
        "Won, drawn and lost are games of a person against the chip; two people: games between "
        "them that were won or drawn. Mistakes are those of people in all of these.",
    )


def players(found: Stats) -> Table:
    """A row for each kind of player: a person, and the chip's levels."""
    head = ("", "games", "moves", "mistakes", "a game", "median s", "interquartile range")
    return Table(
        head,
        [_player(seat, player) for seat, player in players_in_order(found)],
        "Games that were won or drawn; seconds for a move, in all games. A game between two people "
        "counts once for each of them.",
    )


def _player(seat: str, player: Player) -> tuple[Value, ...]:
    quartiles = player.quartiles_ms()
    times: tuple[Value, Value] = (None, None)
    if quartiles is not None:
        low, median, high = (ms / 1000 for ms in quartiles)
        times = (f"{median:.1f}", f"{low:.1f} to {high:.1f}")
    counts = player.games, player.moves, player.mistakes, player.mistakes_a_game
    return (seated(seat), *counts, *times)


def lengths(found: Stats) -> Table:
    """How many games that were won or drawn had so many moves."""
    rows: list[tuple[Value, ...]] = [(length, found.lengths[length]) for length in range(5, 10)]
    return Table(("moves", "games"), rows, "Games that were won or drawn.")


def first_moves(openings: Sequence[int]) -> str:
    """Where people began, in a sentence; there must be a game."""
    total = sum(openings)
    corners = sum(openings[cell] for cell in (0, 2, 6, 8))
    edges = total - corners - openings[4]
    return (
        f"Where people began {counted(total, 'game')}: {openings[4] / total:.0%} in the centre, "
        f"{corners / total:.0%} in a corner, {edges / total:.0%} on an edge."
    )


def mistakes(positions: Sequence[MetPosition]) -> Table:
    """By the move of the game, how many of people's moves were mistakes."""
    moves, wrong = [0] * 9, [0] * 9
    for each in positions:
        moves[each.position.ply] += each.met
        wrong[each.position.ply] += each.mistakes
    return Table(
        ("move of the game", "moves of people", "mistakes", "share"),
        [
            (ply + 1, moves[ply], wrong[ply], f"{wrong[ply] / moves[ply]:.0%}")
            for ply in range(9)
            if moves[ply]
        ],
        "A mistake is a move that turns a win into a draw or a loss, or a draw into a loss. "
        "Counted are the moves of people in games that were won or drawn.",
    )


POSITIONS_NOTE = (
    "Where people made most mistakes, the commonest first. X moved first; positions that are "
    "the same turned or mirrored are counted together. The cells are numbered 1 to 9."
)


def to_move(met: MetPosition) -> str:
    """Whose turn it is in a position: X or O, and X moved first."""
    return "XO"[met.position.ply % 2]


def position(met: MetPosition) -> tuple[str, str, str]:
    """Of a position with mistakes: how many there were, which was the commonest, what is right."""
    mover, other = "XO" if to_move(met) == "X" else "OX"
    cell, count = met.commonest_mistake
    answer = f"{other} answers {either(hard_moves(met.position.play(cell)))}"
    turns = f"turns a {WORTHS[value(met.position)]} into a {WORTHS[met.kept(cell)]}"
    how_many = f"{counted(met.mistakes, 'mistake')} in {counted(met.met, 'game')}"
    where = f"{cell + 1}, {CELLS[cell]} ({counted(count, 'time')})"
    return (
        f"{mover} to move: {how_many} ({met.mistakes / met.met:.0%}).",
        f"Most often wrong: {where}; it {turns}: {answer}.",
        f"Right: {either(met.right)}.",
    )
