"""Simulated classes of people with a habit, who play against the chip on hard.

They show what learning gains (docs/measurements.md): each class plays some games, and a table is
learned from them. The chances are computed over all possible games.

    PYTHONPATH=tools/harness python tools/classes.py 100
"""

import argparse
from collections.abc import Callable, Sequence
from random import Random
from statistics import fmean

from noughts.brain import Table, choose, make_table
from noughts.brain.learn import Habits, by_table, estimate, fit
from noughts.game.people import PeopleGame
from noughts.game.positions import EMPTY, LINES, Position
from noughts.game.solver import value

Lines = Sequence[tuple[int, ...]]
Person = Callable[[Position], Sequence[int]]
"""The cells from which a person picks at random."""


def _third(position: Position, marks: int, lines: Lines = LINES) -> tuple[int, ...]:
    """The cells that complete a line with these marks."""
    return tuple(
        cell
        for cell in position.free
        if any(
            cell in line and sum(marks >> line_cell & 1 for line_cell in line) == 2
            for line in lines
        )
    )


def centre_first(position: Position) -> tuple[int, ...]:
    """Takes the centre if it is free; otherwise completes rows, or blocks them."""
    if 4 in position.free:
        return (4,)
    return _third(position, position.mover) or blocks_only(position)


def blind_to_diagonals(position: Position) -> tuple[int, ...]:
    mine, theirs = (
        _third(position, marks, LINES[:6]) for marks in (position.mover, position.other)
    )
    return mine or theirs or position.free


def blocks_only(position: Position) -> tuple[int, ...]:
    """Finishes its own lines only by chance."""
    return _third(position, position.other) or position.free


def played(person: Person, table: Table, games: int, seed: int) -> list[PeopleGame]:
    """Games of a person against the chip, who take turns to begin."""
    random = Random(seed)
    people_games: list[PeopleGame] = []
    for number in range(games):
        begins, position = number % 2 == 0, EMPTY
        moves: list[int] = []
        while not position.over:
            mine = (len(moves) % 2 == 0) == begins
            cells = person(position) if mine else choose(position, table).cells
            moves.append(random.choice(cells))
            position = position.play(moves[-1])
        people_games.append(PeopleGame(tuple(moves), (begins, not begins)))
    return people_games


def win_chance(person: Person, chip: Person, of_moves: Callable[..., float] = fmean) -> float:
    """How likely the chip is to win a game, computed over every possible game.

    of_moves: combines the chances of the chip's moves, if it has several.
    """

    def won(position: Position, chip_to_move: bool) -> float:
        if position.over:
            return float(value(position) < 0 and not chip_to_move)
        cells = chip(position) if chip_to_move else person(position)
        chances = [won(position.play(cell), not chip_to_move) for cell in cells]
        return of_moves(chances) if chip_to_move else fmean(chances)

    return (won(EMPTY, True) + won(EMPTY, False)) / 2


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("count", type=int, help="games of each class to learn from")
    hard, count = make_table(), parser.parse_args().count
    print("| the class | chance before | predicted gain, 95% interval | chance after | gain |")
    print("| --- | --- | --- | --- | --- |")
    for what, who in (
        ("takes the centre first", centre_first),
        ("never sees diagonals", blind_to_diagonals),
        ("blocks, but finishes no line", blocks_only),
        ("plays at random", lambda position: position.free),
    ):
        games = played(who, hard, count, seed=1)
        predicted = estimate(games, hard)
        assert predicted is not None, "more games are needed"
        low, high = (f"{100 * gain:+.1f}" for gain in predicted.gain)
        tables = hard, fit(Habits(games))
        percent_before, percent_after = (100 * win_chance(who, by_table(table)) for table in tables)
        cells = what, f"{percent_before:.1f}%", f"{low} to {high} points", f"{percent_after:.1f}%"
        print(f"| {' | '.join(cells)} | {percent_after - percent_before:+.1f} points |")
