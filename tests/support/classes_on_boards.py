"""Simulated classes that play against the chip on a stepped board, by its buttons.

What learning gains, in docs/measurements.md: each class plays so many games against the level hard,
a table is learned from what the board sends, and the class plays as many games again.

    python tests/support/classes_on_boards.py 100
"""

from __future__ import annotations

import json
import sys
from functools import partial
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import pytest

from boards import A, B, Driver
from classes import Person, at_random, blind_to_diagonals, blocks_only, centre_first
from command import noughts
from microbit_emulator import Microbit
from noughts.game.positions import EMPTY
from noughts.virtual.program import program
from stepped_ports import Clock, SteppedBoard


def _has_moved(driver: Driver, plies: int) -> bool:
    return len(driver.games[-1].moves) > plies


class _Logging(Driver):
    log = b""

    def listen(self) -> None:
        data = self.board.uart.receive()
        self.log += data
        self.items += self.stream.feed(data)


def play(board: Microbit, person: Person, games: int, seed: int = 1) -> tuple[int, bytes]:
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
            position = EMPTY
            for cell in game.moves:
                position = position.play(cell)
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
    before, sent = play(program(kind).microbit(), person, games)
    log.write_bytes(sent)
    assert noughts("watch", "--from", log, "--db", db).returncode == 0
    learned = json.loads(noughts("learn", "--db", db, "--json", "-o", table).stdout)
    assert noughts("table", "--check", "-o", table).returncode == 0
    with pytest.MonkeyPatch.context() as patched:
        board = SteppedBoard(Clock(patched), program(kind).microbit())
        assert noughts("put", "--port", board.port, "--table", table).returncode == 0
    board.reset()
    board.microbit.uart.receive()
    after, sent = play(board.microbit, person, games, seed=2)
    assert f",{learned['table']['id']}*".encode() in sent
    return Circle(before, after, learned)


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
        before, after = (100 * won / count for won in (found.before, found.after))
        gain = f"{after - before:+.0f} points"
        print(f"| {what} | {before:.0f} % | {low} to {high} points | {after:.0f} % | {gain} |")
