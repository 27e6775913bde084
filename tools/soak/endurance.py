"""How long the flash lasts: counts the erases that games and changes of the settings cost.

A page of the nRF51822's flash is good for 20,000 erases, one of the nRF52833's for 10,000 (product
specifications, "Flash" and "NVMC"). The firmware writes a file anew into chunks that were never
used, and erases a page only to get back chunks that were freed; so what counts is the long run, on
a file system that is used up.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from soak.cuts import used_up
from soak.flash_watch import Operation, watch_flash
from soak.machine import Machine
from soak.player import A, B, Player
from soak.referee import ViolationError

ERASES = {"V1": 20_000, "V2": 10_000}
CHANGES_A_DAY = 20
DAYS_A_YEAR = 365
GAMES = 20


@dataclass
class Result:
    """The flash operations that were counted."""

    board: str
    seed: int
    kind: str = "endurance"
    firmware: str = ""
    games: int = 0
    game_operations: int = 0
    """Writes and erases in those games, whole games and abandoned ones."""
    changes: int = 0
    writes: int = 0
    """Writes in all those changes."""
    erases: Counter[int] = field(default_factory=Counter)
    """Erases in all those changes of the settings, by page."""
    failure: str = ""
    trace: tuple[str, ...] = ()

    @property
    def repeat(self) -> str:
        """The command-line options that repeat this run."""
        options = f"--board {self.board.lower()} --hours 0 --cuts 0 --noise 0"
        return f"{options} --seed {self.seed} --changes {max(self.changes, 1)}"

    @property
    def lasting_changes(self) -> float:
        """After how many changes the most worn page reaches its rated number of erases."""
        worst = max(self.erases.values(), default=0)
        return ERASES[self.board] * self.changes / worst if worst else float("inf")

    @property
    def years(self) -> float:
        """The same in years, at `CHANGES_A_DAY`."""
        return self.lasting_changes / CHANGES_A_DAY / DAYS_A_YEAR


def count(board: str, changes: int, seed: int = 1, firmware: Path | None = None) -> Result:
    """Play games, then change the controls in the menu this many times; count flash operations."""
    result = Result(board, seed)
    operations: list[Operation] = []
    flash = used_up(board, firmware, Random(seed))
    machine = Machine(board, seed, firmware=firmware, flash=flash)
    result.firmware = machine.firmware
    player = Player(machine)
    try:
        player.boots()
        watch_flash(machine, operations.append)
        for _ in range(GAMES):
            _game(player)
        result.games, result.game_operations = GAMES, len(operations)
        for _ in range(changes):
            operations.clear()
            player.tap(A, B)
            if not operations:
                raise ViolationError("a change of the settings is not kept")
            result.changes += 1
            result.writes += sum(each.kind == "write" for each in operations)
            result.erases.update(each.address for each in operations if each.kind == "erase")
    except ViolationError as error:
        result.failure = str(error)
    return result


def _game(player: Player) -> None:
    """Two people: B places all nine marks, or six and leaves."""
    player.start()
    for _ in range(6):
        player.tap(B)
    if player.games[-1].end == "-":
        player.leave()
    else:
        player.tap(A)  # skips to the next game
        player.leave()
