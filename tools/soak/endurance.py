"""How long the flash lasts: counts the erases that games cost, also when the choice changes.

A V2 stores games in its interface chip's flash, which is not counted here.

A page of the nRF51822's flash is good for 20,000 erases, one of the nRF52833's for 10,000 (product
specifications, "Flash" and "NVMC"). The firmware writes a file anew into chunks that were never
used, and erases a page only to get back chunks that were freed; so what counts is the long run, on
a file system that is used up.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from soak.cuts import used_up
from soak.flash_watch import Operation, watch_flash
from soak.machine import Machine
from soak.player import A, B, Player
from soak.referee import ViolationError

ERASES = {"V1": 20_000, "V2": 10_000}
A_DAY = 50
"""Games."""
DAYS_A_YEAR = 365
GAMES = 300


@dataclass
class Wear:
    """The flash operations that so many games have cost."""

    times: int = 0
    writes: int = 0
    erases: Counter[int] = field(default_factory=Counter)
    """By page."""
    longest_ms: float = 0
    """What they took at most in one of them: the CPU waits."""

    def add(self, operations: Sequence[Operation]) -> None:
        """Count one more."""
        self.times += 1
        self.writes += sum(each.kind == "write" for each in operations)
        self.erases.update(each.address for each in operations if each.kind == "erase")
        self.longest_ms = max(self.longest_ms, sum(each.us for each in operations) / 1000)

    def lasting(self, board: str) -> float:
        """After how many of them the most worn page reaches its rated number of erases."""
        worst = max(self.erases.values(), default=0)
        return ERASES[board] * self.times / worst if worst else math.inf


@dataclass
class Result:
    """The flash operations that were counted."""

    board: str
    seed: int
    kind: str = "endurance"
    firmware: str = ""
    games: Wear = field(default_factory=Wear)
    others: Wear = field(default_factory=Wear)
    """Games before each of which something else was chosen in the menu; after each, a power cut."""
    failure: str = ""
    trace: tuple[str, ...] = ()

    @property
    def repeat(self) -> str:
        """The command-line options that repeat this run."""
        options = f"--board {self.board.lower()} --hours 0 --cuts 0 --noise 0"
        return f"{options} --seed {self.seed} --changes {max(self.others.times, 1)}"


def count(board: str, changes: int, seed: int = 1, firmware: Path | None = None) -> Result:
    """Play games, then so many with other controls than the last, and the power cut after each."""
    result = Result(board, seed)
    operations: list[Operation] = []
    flash = used_up(board, firmware, Random(seed))
    machine = Machine(board, seed, firmware=firmware, flash=flash)
    result.firmware = machine.firmware
    player = Player(machine)
    try:
        player.boots()
        watch_flash(machine, operations.append)
        for wear, buttons in ((result.games, ()),) * GAMES + ((result.others, (A, B)),) * changes:
            operations.clear()
            if buttons:
                player.tap(*buttons)
            player.start()
            player.leave()
            if board == "V1" and not operations:
                raise ViolationError("a game is not stored")
            wear.add(operations)
            if buttons:
                machine.cut_power()
                player.boots()
    except ViolationError as error:
        result.failure = str(error)
    return result
