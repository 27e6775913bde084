"""Simulated classes, people with a habit, who play against the chip: by its rules, and on a board.

What learning gains, in docs/measurements.md: each class plays so many games against the level hard,
by the buttons of a stepped board, a table is learned from what the board sends, and the class plays
as many games again.

    python tests/support/classes.py 100
"""

import json
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import pytest

from boards import A, B, Driver
from brute_force import Answer, alike, ends
from command import noughts
from microbit_emulator import Microbit
from noughts.brain import Table, choose
from noughts.brain.learn import PeopleGame
from noughts.game.positions import EMPTY, LINES, Position, after
from noughts.virtual.program import program
from stepped_ports import Clock, SteppedBoard

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


def _has_moved(driver: Driver, plies: int) -> bool:
    return len(driver.games[-1].moves) > plies


class _Logging(Driver):
    log = b""

    def listen(self) -> None:
        data = self.board.uart.receive()
        self.log += data
        self.items += self.stream.feed(data)


def play_on_board(board: Microbit, person: Person, games: int, seed: int = 1) -> tuple[int, bytes]:
    """Play against the level hard: how many games the chip has won, and all that the board sent.

    Who begins changes from game to game.
    """
    driver, random, won = _Logging(board), Random(seed), 0
    driver.start()
    for button in (A, A, A, B):
        driver.press(button, up_ms=200)
    for number in range(1, games + 1):
        driver.wait(lambda: bool(driver.games), f"game {number}")
        assert driver.games[-1].number == number and "H" in driver.games[-1].seats
        while (game := driver.games[-1]).end == "-":
            position = after(game.moves)
            if game.player(position.ply) == "A":
                driver.place(random.choice(person(position)))
            driver.wait(partial(_has_moved, driver, position.ply), "a move")
        won += game.end == "B"
        driver.items.clear()
        driver.press(A, up_ms=200)  # the next one
    return won, driver.log


class Circle(NamedTuple):
    """What a class did before and after a table was learned from its games."""

    before: int
    after: int
    """Games that the chip has won."""
    learned: dict[str, Any]
    """What `noughts learn --json` printed."""


def circle(person: Person, games: int, folder: Path, kind: str = "V1") -> Circle:
    """Play, store what the board logs, learn, prove, send the table to another, and play there.

    All is in device time.
    """
    log, db, table = (folder / name for name in ("log", "games.db", "table.py"))
    before, sent = play_on_board(program(kind).microbit(), person, games)
    log.write_bytes(sent)
    assert noughts("watch", "--from", log, "--db", db).returncode == 0
    learned = json.loads(noughts("learn", "--db", db, "--json", "-o", table).stdout)
    assert noughts("table", "--check", "-o", table).returncode == 0
    with pytest.MonkeyPatch.context() as patched:
        board = SteppedBoard(Clock(patched), program(kind).microbit())
        assert noughts("put", "--port", board.port, "--table", table).returncode == 0
    board.reset()
    board.microbit.uart.receive()
    won, sent = play_on_board(board.microbit, person, games, seed=2)
    assert f",{learned['table']['id']}*".encode() in sent
    return Circle(before, won, learned)


if __name__ == "__main__":
    count = int(sys.argv[1])
    print("| the class | won before | predicted gain, 95 % interval | won after | gain |")
    print("| --- | --- | --- | --- | --- |")
    for what, who in (
        ("takes the centre first", centre_first),
        ("never sees diagonals", blind_to_diagonals),
        ("blocks, but never completes", blocks_only),
        ("plays at random", at_random),
    ):
        with TemporaryDirectory() as place:
            found = circle(who, count, Path(place))
        low, high = (f"{100 * each:+.1f}" for each in found.learned["gain"])
        shares = [100 * won / count for won in (found.before, found.after)]
        cells = what, f"{shares[0]:.0f} %", f"{low} to {high} points", f"{shares[1]:.0f} %"
        print(f"| {' | '.join(cells)} | {shares[1] - shares[0]:+.0f} points |")
