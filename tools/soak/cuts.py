"""Power cuts at random moments, also while flash is written: the board must always play again.

A write or an erase that is cut short has changed some of the bits that it was to change. A chain of
cuts goes on with the flash as each cut leaves it, so that it also meets file systems in which every
chunk was used before. After a cut the choice must be the one of before or one that was being
written. If flash was being changed, it may also be the default on a V2, and that of the last game
that ended on a V1. Once a cut has come then, a V2 may have no room any more for a choice
(`device/v2.py`): it may be any of before.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from micropython_microbit_fs.filesystem import CHUNK_SIZE, ChunkMarker

from noughts.protocol.sentences import Game
from noughts.virtual.program import firmware_for, program
from soak.flash_watch import Operation, watch_flash
from soak.machine import Machine
from soak.player import A, B, Player
from soak.referee import ViolationError

DEFAULTS = "Pb"
_LEVELS = "PEMH"
KEPT = 64
"""The newest games that are told again after each boot."""
_LONGEST_MS = 7_000
_VISITS = 12  # to the menu, if nothing cuts the power before


@dataclass
class Result:
    """The outcome of a chain of cuts."""

    board: str
    seed: int
    kind: str = "cuts"
    firmware: str = ""
    cuts: int = 0
    in_a_write: int = 0
    """Cuts while flash was written."""
    in_an_erase: int = 0
    """Cuts while a page was erased."""
    defaults: int = 0
    """How often the choice was lost, and the defaults offered."""
    operations: int = 0
    """Writes and erases begun."""
    failure: str = ""
    in_writes: bool = False
    trace: list[str] = field(default_factory=list)
    """When each cut came, in device time, and in which flash operation."""

    @property
    def repeat(self) -> str:
        """The command-line options that repeat this chain."""
        options = f"--board {self.board.lower()} --hours 0 --changes 0 --noise 0"
        options += f" --seed {self.seed} --cuts {max(self.cuts, 1)}"
        return options + " --in-writes" * self.in_writes


class _PowerCutError(Exception):
    """The power is cut at this instant."""


class Cuts:
    """A chain that its seed determines.

    in_writes: every cut comes while flash is written or erased.
    """

    def __init__(
        self, board: str, seed: int, firmware: Path | None = None, in_writes: bool = False
    ) -> None:
        self._random = Random(seed)
        self._ways = (0, 1, 0) if in_writes else (4, 4, 3)
        self.result = Result(board, seed, in_writes=in_writes)
        self._firmware = firmware
        # What the flash may hold, and whether it was being changed since that was known.
        self._possible = {DEFAULTS}
        self._choosing = False  # and so the choice may be written
        self._last_choice = DEFAULTS  # of the last game that ended
        self._spoilt = False  # a cut spoilt chunks, so there may be no room for the choice
        self._kept: list[Game] = []  # that ended, the oldest first
        self._played: set[Game] = set()  # that ended, the one too that was being written at a cut
        self._cut_after = math.inf  # operations on the flash
        self._cut_at_erase = False

    def run(self, cuts: int) -> Result:
        """Cut the power this many times, or until something is wrong."""
        result = self.result
        flash = used_up(result.board, self._firmware, self._random)
        machine = Machine(result.board, result.seed, firmware=self._firmware, flash=flash)
        result.firmware = machine.firmware
        watch_flash(machine, self._begins)
        self._machine, self._player = machine, Player(machine)
        try:
            for _ in range(cuts):
                self._until_cut()
                result.cuts += 1
                self._player.listen()
                self._played.update(self._player.games)
                self._count_cut(machine.microbit.flash_busy)
                machine.cut_power()
            self._check()
        except ViolationError as error:
            result.failure = f"after cut {result.cuts}: {error}"
        return result

    def _count_cut(self, busy: str) -> None:
        self._spoilt |= bool(busy) and self.result.board == "V2"
        self.result.in_a_write += busy == "write"
        self.result.in_an_erase += busy == "erase"
        operation = f" in the {self._operation}" if busy else ""
        self.result.trace.append(f"cut at {self._machine.now_us / 1000:.3f} ms{operation}")

    def _until_cut(self) -> None:
        """From a boot to the next cut: at a moment, after some flash operations, or at an erase."""
        way = self._way()
        cut_us = self._random.randrange(_LONGEST_MS * 1000)
        self._limit_us(cut_us if way == "moment" else None)
        try:
            self._check()
            if way == "operation":
                self._cut_after = int(10 ** self._random.uniform(0, 2))
            self._cut_at_erase = way == "erase"
            for _ in range(_VISITS):
                self._visit_menu()
        except _PowerCutError:
            pass
        finally:
            self._cut_after = math.inf
            self._cut_at_erase = self._choosing = False
            self._limit_us(None)

    def _way(self) -> str:
        return self._random.choices(("moment", "operation", "erase"), self._ways)[0]

    def _limit_us(self, moment_us: int | None) -> None:
        self._machine.limit(moment_us, _PowerCutError)

    def _check(self) -> None:
        """It boots, tells the games that it should, offers what it should, and plays."""
        self._player.boots()
        possible = set(self._possible)
        choice = self._player.choice()
        told = self._player.kept
        if lost := [game for game in self._kept[-KEPT:] if game not in told]:
            raise ViolationError(f"{len(lost)} games are not told again; the first is {lost[0]}")
        if invented := [game for game in told if game not in self._played]:
            raise ViolationError(f"games are told that were not played: {invented[0]}")
        if choice not in possible:
            raise ViolationError(f"the menu offers {choice}; expected one of {sorted(possible)}")
        self.result.defaults += choice == DEFAULTS and len(possible) > 1
        self._choice = choice
        self._possible = {choice}
        self._ended()

    def _visit_menu(self) -> None:
        """Choose something else, play, and come back."""
        self._choosing = True
        opponent, controls = self._choice[0], self._choice[1]
        for _ in range(self._random.randrange(4)):
            opponent = _LEVELS[(_LEVELS.index(opponent) + 1) % 4]
            self._player.tap(A)
        self._choice = opponent + controls
        if self._random.random() < 0.5:
            self._choice = opponent + ("t" if controls == "b" else "b")
            self._possible.add(self._choice)
            self._player.tap(A, B)
        self._possible.add(self._choice)
        self._player.start()
        self._choosing = False
        # The game has begun, so it is kept; after cuts while flash was changed, if there is room.
        if self._spoilt:
            self._possible.add(self._choice)
        else:
            self._possible = {self._choice}
        self._player.leave()
        self._ended()

    def _ended(self) -> None:
        """The last game has ended, and is kept."""
        self._kept.append(self._player.games[-1])
        self._played.add(self._player.games[-1])
        self._last_choice = self._choice
        if self.result.board == "V1":
            self._possible = {self._choice}

    def _begins(self, operation: Operation) -> None:
        self.result.operations += 1
        self._operation = operation
        if self.result.board == "V1":
            self._possible.add(self._last_choice)
        elif self._choosing:
            self._possible.add(DEFAULTS)
        self._cut_after -= 1
        if self._cut_after == 0 or (self._cut_at_erase and operation.kind == "erase"):
            self._cut_at_erase = False
            self._machine.later(self._random.uniform(0, operation.us), _cut)


def _cut() -> None:
    raise _PowerCutError


def used_up(board: str, firmware: Path | None, random: Random) -> bytes:
    """A flash in whose file system nearly all chunks were used and freed before.

    The firmware takes one after the other, so those that are left follow each other.
    """
    flash = bytearray(program(board, firmware=firmware).flash)
    chunks = firmware_for(board, firmware).layout[::CHUNK_SIZE]
    unused = [start for start in chunks if flash[start] == ChunkMarker.UNUSED]
    first = random.randrange(len(unused))
    for start in (unused[first:] + unused[:first])[: len(unused) * 9 // 10]:
        flash[start] = ChunkMarker.FREED
    return bytes(flash)
