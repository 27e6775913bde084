"""Simulated classes: people with a habit, who play against the chip."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random

from brute_force import Answer, alike, ends
from noughts.brain import Table, choose
from noughts.brain.learn import PeopleGame
from noughts.game.positions import EMPTY, LINES, Position

Lines = Sequence[tuple[int, ...]]
Person = Callable[[Position], tuple[int, ...]]
"""The cells, of which a person plays any."""


def _third(position: Position, marks: int, lines: Lines = LINES) -> tuple[int, ...]:
    """The cells that complete a line of these marks."""
    return tuple(
        cell
        for cell in position.free
        if any(cell in line and sum(marks >> each & 1 for each in line) == 2 for line in lines)
    )


def at_random(position: Position) -> tuple[int, ...]:
    return position.free


def centre_first(position: Position) -> tuple[int, ...]:
    """The centre if it is free; else rows are completed, and blocked."""
    if 4 in position.free:
        return (4,)
    return _third(position, position.mover) or blocks_only(position)


def blind_to_diagonals(position: Position) -> tuple[int, ...]:
    mine, theirs = (_third(position, each, LINES[:6]) for each in (position.mover, position.other))
    return mine or theirs or position.free


def blocks_only(position: Position) -> tuple[int, ...]:
    """Never completes a row of its own, but by chance."""
    return _third(position, position.other) or position.free


def played(person: Person, table: Table, games: int, seed: int) -> list[PeopleGame]:
    """Games of a person against the chip, who begin by turns."""
    random = Random(seed)
    found: list[PeopleGame] = []
    for number in range(games):
        begins, position = number % 2 == 0, EMPTY
        moves: list[int] = []
        while not position.over:
            mine = (len(moves) % 2 == 0) == begins
            cells = person(position) if mine else choose(position, table).cells
            moves.append(random.choice(cells))
            position = position.play(moves[-1])
        found.append(PeopleGame(tuple(moves), (begins, not begins)))
    return found


def win_chance(person: Person, table: Table) -> float:
    """How likely the chip is to win a game: by every game that there is, one by one."""

    def of(cells: Callable[[Position], Sequence[int]]) -> Answer:
        return lambda position: alike(cells(position))

    chip, people = of(lambda position: choose(position, table).cells), of(person)
    return float(ends(chip, people)[0] + ends(people, chip)[2]) / 2
