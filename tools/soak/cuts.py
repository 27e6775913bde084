"""Power cuts on one board: it must play again after each.

At any moment, one after the other: after each cut the choice is the one of before, or the one that
was being written or, if flash was being changed, the default. Of the games that have ended the
newest are still there, but for the one that was being stored; and the other files are untouched.

In writes (`in_writes`): each cut comes while flash is written or erased. A write or an erase that
is cut has changed some of the bits that it was to change. The firmware does not look for that, and
may later write where half was erased. So each of these cuts is that of a fresh board, of which is
asked that it starts, plays, and has what it had before.
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
STORED = {"V1": 23, "V2": 3000}
"""The newest games that are there whatever is cut: storing another one takes a V1's oldest."""
_FREE = ChunkMarker.UNUSED, ChunkMarker.FREED
_LONGEST_MS = 7_000
_ALL_SENT_MS = 400
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
    """Power cuts that a seed determines.

    in_writes: every cut comes while flash is written or erased, on a fresh board.
    """

    def __init__(
        self, board: str, seed: int, firmware: Path | None = None, in_writes: bool = False
    ) -> None:
        self._random = Random(seed)
        self.result = Result(board, seed, in_writes=in_writes)
        self._firmware = firmware
        self._choosing = False  # and so the choice may be written
        self._cut_after = math.inf  # operations on the flash
        self._cut_at_erase = False

    def run(self, cuts: int) -> Result:
        """Cut the power this many times, or until something is wrong."""
        result = self.result
        try:
            self._take_a_fresh_board()
            while result.cuts < cuts:
                self._until_cut()
                result.cuts += 1
                self._player.listen()
                self._note_what_was_cut()
                busy = self._machine.microbit.flash_busy
                self._count_cut(busy)
                self._machine.cut_power()
                if busy:
                    self._check()
                    self._take_a_fresh_board()
            self._check()
        except ViolationError as error:
            result.failure = f"after cut {result.cuts}: {error}"
        return result

    def _take_a_fresh_board(self) -> None:
        board = self.result.board
        flash = used_up(board, self._firmware, self._random)
        seed = self._random.randrange(1 << 32)
        machine = Machine(board, seed, firmware=self._firmware, flash=flash)
        self.result.firmware = machine.firmware
        watch_flash(machine, self._begins)
        self._machine, self._player = machine, Player(machine)
        self._files = chunks(machine)
        # What the flash may hold.
        self._possible = {DEFAULTS}
        self._stored: list[Game] = []  # that ended, the oldest first
        self._cut: set[Game] = set()  # those of them that were perhaps not stored at a cut
        self._played: set[Game] = set()

    def _note_what_was_cut(self) -> None:
        ended = [game for game in self._player.games if game.end != "-"]
        self._played.update(self._player.games)
        self._cut.update(game for game in ended if game not in self._stored)
        self._stored += [game for game in ended if game not in self._stored]

    def _count_cut(self, busy: str) -> None:
        self.result.in_a_write += busy == "write"
        self.result.in_an_erase += busy == "erase"
        operation = f" in the {self._operation}" if busy else ""
        self.result.trace.append(f"cut at {self._machine.now_us / 1000:.3f} ms{operation}")

    def _until_cut(self) -> None:
        """From a boot to the next cut."""
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
        """At any moment; or after some flash operations, or in the next erase."""
        if not self.result.in_writes:
            return "moment"
        return self._random.choice(("operation", "operation", "operation", "erase"))

    def _limit_us(self, moment_us: int | None) -> None:
        self._machine.limit(moment_us, _PowerCutError)

    def _check(self) -> None:
        """It boots, has the games that it should, offers what it should, and plays."""
        self._player.boots()
        possible = set(self._possible)
        choice = self._player.choice()
        self._machine.rest(_ALL_SENT_MS)
        self._player.listen()
        found = self._player.kept if self.result.board == "V1" else self._machine.logged()
        self._played.update(self._player.games)
        newest = self._stored[-STORED[self.result.board] :]
        if lost := [game for game in newest if game not in found and game not in self._cut]:
            raise ViolationError(f"{len(lost)} games are lost; the first is {lost[0]}")
        if not self._files <= chunks(self._machine):
            raise ViolationError("a file has changed that is not ours to change")
        if invented := [game for game in found if game not in self._played]:
            raise ViolationError(f"a game was not played: {invented[0]}")
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
        self._possible = {self._choice}  # the game has begun, so it is stored
        self._player.leave()
        self._ended()

    def _ended(self) -> None:
        """The last game has ended, and is stored."""
        self._stored.append(self._player.games[-1])
        self._played.add(self._player.games[-1])

    def _begins(self, operation: Operation) -> None:
        self.result.operations += 1
        self._operation = operation
        if self._choosing:
            self._possible.add(DEFAULTS)
        self._cut_after -= 1
        if self._cut_after == 0 or (self._cut_at_erase and operation.kind == "erase"):
            self._cut_at_erase = False
            self._machine.later(self._random.uniform(0, operation.us), _cut)


def _cut() -> None:
    raise _PowerCutError


def chunks(machine: Machine) -> set[tuple[int, bytes]]:
    """What is in use of a file system, by place."""
    files = machine.files()
    found = ((at, files[at : at + CHUNK_SIZE]) for at in range(0, len(files), CHUNK_SIZE))
    return {(at, chunk) for at, chunk in found if chunk[0] not in _FREE}


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
