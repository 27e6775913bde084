"""Power cuts on one board: it must play again after each.

At any moment, one after the other: after each cut the choice is the one of before, or the one that
was being written or, if flash was being changed, the default. Of the games that have ended the
newest are still there, but for the one that was being stored; and the other files are untouched.

In writes (`in_writes`): each cut comes while flash is written or erased. A write or an erase that
is cut has changed some of the bits that it was to change. The firmware does not look for that, and
may later write where half was erased. So each of these cuts is that of a fresh board, of which is
asked that it starts, plays, and has what it had before.
"""

import math
from dataclasses import replace
from random import Random

from micropython_microbit_fs.filesystem import CHUNK_SIZE, ChunkMarker

from boards import FAILURES, A, B, Player, ViolationError
from microbit_emulator import Microbit
from noughts.boards.firmware import firmware_for
from noughts.brain.device import device_files
from noughts.engines.levels import LEVELS
from noughts.protocol.sentences import Game
from noughts.virtual.program import Program, program
from soak.probe import alone
from soak.result import Result

DEFAULTS = "Pb"
_OPPONENTS = ("P", *LEVELS)
STORED = {"V1": 23, "V2": 3000}
"""How many of the newest games survive any cut: on a V1, a new game replaces the oldest."""
_FREE = ChunkMarker.UNUSED, ChunkMarker.FREED
_LONGEST_US = 7_000_000
_ALL_SENT_MS = 400
_VISITS = 12  # to the menu, if nothing cuts the power before


class _PowerCutError(Exception):
    """The power is cut now."""


class Cuts:
    def __init__(self, board: str, seed: int, in_writes: bool = False) -> None:
        self._board, self._in_writes = board, in_writes
        self._random = Random(seed)
        self._choosing = False  # and so the choice may be written
        self._armed: object = None  # the cut that may come
        self._cut_after = math.inf  # operations on the flash
        self._cut_at_erase = False

    def run(self, cuts: int) -> Result:
        self.result = Result()
        count = self.result.counts
        try:
            self._take_a_fresh_board()
            while count["cuts"] < cuts:
                self._until_cut()
                self._player.listen()
                self._note_what_was_cut()
                busy = self._player.board.flash_busy
                count["cuts"] += 1
                count["in a write"] += busy == "write"
                count["in an erase"] += busy == "erase"
                at = f" in the {self._operation}" if busy else ""
                self.result.trace.append(f"{self._player.board.clock_us / 1000:14.3f} cut{at}")
                self._player.cut_power()
                if busy:
                    self._check()
                    self._take_a_fresh_board()
            self._check()
        except FAILURES as error:
            self.result.failure = f"after cut {count['cuts']}: {error}"
        return self.result

    def _take_a_fresh_board(self) -> None:
        program = used_up(self._board, self._random)
        self._player = Player(program.microbit(self._random.randrange(1 << 32)))
        self.result.firmware = program.firmware
        self._player.board.watch_flash(self._begins)
        self._files = chunks(self._player.board)
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

    def _until_cut(self) -> None:
        """From a boot to the next cut: at any moment; or after some flash operations, or in the
        next erase."""
        if self._in_writes:
            way = self._random.choice(("operation", "operation", "operation", "erase"))
        else:
            way = "moment"
        cut_us = self._random.randrange(_LONGEST_US)
        if way == "moment":
            self._cut_in(cut_us)
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
            self._armed = None

    def _cut_in(self, us: float) -> None:
        """Cut the power after this much device time, if that cut is still wanted."""
        this = self._armed = object()

        def cut() -> None:
            if self._armed is this:
                raise _PowerCutError

        board = self._player.board
        board.at(board.clock_us + us, cut)

    def _check(self) -> None:
        """Check that it boots, has the right games, offers the right choice, and plays."""
        self._player.start()
        possible = set(self._possible)
        choice = self._player.choice()
        self._player.rest(_ALL_SENT_MS)
        self._player.listen()
        games_found = self._player.resent if self._board == "V1" else self._player.logged
        self._played.update(self._player.games)
        newest = self._stored[-STORED[self._board] :]
        if lost := [game for game in newest if game not in games_found and game not in self._cut]:
            raise ViolationError(f"{len(lost)} games are lost; the first is {lost[0]}")
        if not self._files <= chunks(self._player.board):
            raise ViolationError("a file has changed that is not ours to change")
        if invented := [game for game in games_found if game not in self._played]:
            raise ViolationError(f"a game was not played: {invented[0]}")
        if choice not in possible:
            raise ViolationError(f"the menu offers {choice}; expected one of {sorted(possible)}")
        self.result.counts["defaults"] += choice == DEFAULTS and len(possible) > 1
        self._choice = choice
        self._possible = {choice}
        self._ended()

    def _visit_menu(self) -> None:
        """Choose something else, play, and come back."""
        self._choosing = True
        opponent, controls = self._choice[0], self._choice[1]
        for _ in range(self._random.randrange(4)):
            opponent = _OPPONENTS[(_OPPONENTS.index(opponent) + 1) % len(_OPPONENTS)]
            self._player.tap(A)
        self._choice = opponent + controls
        if self._random.random() < 0.5:
            self._choice = opponent + ("t" if controls == "b" else "b")
            self._possible.add(self._choice)
            self._player.tap(A, B)
        self._possible.add(self._choice)
        self._player.begin()
        self._choosing = False
        self._possible = {self._choice}  # the game has begun, so it is stored
        self._player.leave()
        self._ended()

    def _ended(self) -> None:
        self._stored.append(self._player.games[-1])
        self._played.add(self._player.games[-1])

    def _begins(self, kind: str, address: int, _: int, us: int) -> None:
        self._operation = f"{kind} at {address:#x}"
        if self._choosing:
            self._possible.add(DEFAULTS)
        self._cut_after -= 1
        if self._cut_after == 0 or (self._cut_at_erase and kind == "erase"):
            self._cut_at_erase = False
            self._cut_in(self._random.uniform(0, us))


def chunks(board: Microbit) -> set[tuple[int, bytes]]:
    """The used chunks of a file system, by position."""
    layout = firmware_for(board.board).layout
    files = board.flash[layout.start : layout.stop]
    all_chunks = ((at, files[at : at + CHUNK_SIZE]) for at in range(0, len(files), CHUNK_SIZE))
    return {(at, chunk) for at, chunk in all_chunks if chunk[0] not in _FREE}


def used_up(board: str, random: Random) -> Program:
    """The game on a flash in whose file system nearly all chunks were used and freed before.

    The firmware uses one after the other, so the chunks that are left are consecutive.
    """
    made = program(board, alone(device_files()))
    flash = bytearray(made.flash)
    starts = firmware_for(board).layout[::CHUNK_SIZE]
    unused = [start for start in starts if flash[start] == ChunkMarker.UNUSED]
    first = random.randrange(len(unused))
    for start in (unused[first:] + unused[:first])[: len(unused) * 9 // 10]:
        flash[start] = ChunkMarker.FREED
    return replace(made, flash=bytes(flash))
