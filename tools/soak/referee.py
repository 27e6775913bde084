"""The rules for everything that the board sends, with any button presses."""

from functools import cache

from boards import ViolationError
from noughts.engines.levels import Chip
from noughts.game.positions import EMPTY
from noughts.game.solver import hard_moves
from noughts.protocol import sentences
from noughts.protocol.parser import ParsedSentence, Stream
from soak import probe
from soak.result import Result

STALL_MS = 50
"""In addition to the time for which the CPU waits while flash is written or erased."""
FLASH_MS = 300
"""The most that it waits. The firmware needs a second or more to move all files."""
LOG_MS = 105
"""The most that a V2 needs to add a game to its data log, when it has ended."""
CLOCK_MS = 20
"""The most by which the firmware's clock may run ahead of time in one turn of the loop."""
JUMPS_MS = range(60, 72)
"""Except for jumps of 65.5 ms, a fault of the firmware: it reads a 16-bit counter of microseconds,
and only then disables interrupts and checks whether the counter has overflowed (`us_ticker.c` of
mbed-classic). If an interrupt in between lasts until the overflow, the old reading gets combined
with it. `tests/firmware/test_clock.py` shows this."""
REPLY_MS = 390  # a chip's reply waits 400 ms, and the loop's turns are 6 ms


class Referee:
    """Checks each line of one run, and counts games and measures the loop in its result.

    Raises `ViolationError` at the first wrong line.
    """

    def __init__(self, result: Result) -> None:
        self.result = result
        self.boot: str | None = None
        self._has_data_log = False
        self.last: sentences.Game | None = None
        self.choice = ""
        """What the menu has shown last."""
        self.reading: probe.Reading | None = None
        """With the last sentence."""
        self._owes_reading = False
        self._flash_us = self._flash_before_us = 0
        """Since the last reading; and before that, if its gap did not show it."""
        self._log_ms = 0

    def flash_begins(self, us: int) -> None:
        """Note that flash is being written or erased for this long."""
        self._flash_us += us

    def receive(self, line: str) -> None:
        if (reading := probe.read(line)) is not None and self._owes_reading:
            self._measured(reading)
            return
        match Stream().feed(f"{line}\n".encode()):
            case [ParsedSentence(sentence=sentence)]:
                pass
            case _:
                raise ViolationError(f"{line[:120]!r} on the serial line is not a sentence")
        if isinstance(sentence, sentences.Boot):
            if self.boot is not None:
                raise ViolationError("the board has started again by itself")
            self.boot = sentence.boot
            self._has_data_log = sentence.hardware == "V2"
        elif isinstance(sentence, sentences.Menu):
            self.choice = sentence.choice[:2]
        else:
            self._game(sentence)

    def _measured(self, reading: probe.Reading) -> None:
        self._owes_reading = False
        self.reading = reading
        self.result.lowest_free = min(self.result.lowest_free, reading.free)
        # The turn in which a sentence is said ends after its reading, and may have begun with the
        # writing of the choice before it. A gap too short for that comes with the next reading.
        flash_us, self._flash_us = self._flash_us, 0
        flash_ms = (flash_us + self._flash_before_us) / 1000
        self._flash_before_us = flash_us if reading.gap_ms < flash_us / 1000 else 0
        log_ms, self._log_ms = self._log_ms, 0
        if self._has_data_log and self.last and self.last.end != "-":
            self._log_ms = LOG_MS  # it is added after its sentence
        gap = "gap ms while saving" if flash_ms or log_ms else "gap ms"
        self.result.most[gap] = max(self.result.most[gap], reading.gap_ms)
        if flash_ms > FLASH_MS:
            raise ViolationError(f"flash was written for {flash_ms:.0f} ms before {self.last}")
        if reading.gap_ms > STALL_MS + flash_ms + log_ms:
            raise ViolationError(f"the loop stalled for {reading.gap_ms} ms before {self.last}")
        if reading.jump_ms in JUMPS_MS:
            self.result.counts["jumps"] += 1
        elif reading.jump_ms > CLOCK_MS:
            raise ViolationError(
                f"the board's clock jumped by {reading.jump_ms} ms before {self.last}"
            )

    def _game(self, game: sentences.Game) -> None:
        if game.boot != self.boot:
            raise ViolationError(f"{game} names another boot than {self.boot}")
        if self._owes_reading:
            raise ViolationError(f"{game} came before the measurement at {self.last}")
        last = self.last
        if last is None or last.end != "-":
            _check_start(game, last)
        else:
            _check_step(game, last)
        self.last = game
        self._owes_reading = True
        if game.end != "-":
            # By the chip's level, P for two people, and the end.
            self.result.counts.update(["ended", f"ended {game.seats[1]}{game.end}"])


def _check_start(game: sentences.Game, last: sentences.Game | None) -> None:
    """Check a game's first sentence, after the last one of the game before."""
    if game.number != (last.number if last else 0) + 1 or game.moves or game.end != "-":
        raise ViolationError(f"{game} does not begin the game after {last}")
    if game.seats[0] != "P":
        raise ViolationError(f"{game}: player A must be a person")
    if last is None or last.end == "x":  # from the menu: the person begins
        allowed = "A"
    elif game.seats == last.seats:  # the next game, or by way of the menu
        allowed = "AB"[last.first == "A"] + "A"
    else:
        allowed = "A"
    if game.first not in allowed:
        raise ViolationError(f"{game}: player {game.first} begins, after {last}")


def _check_step(game: sentences.Game, last: sentences.Game) -> None:
    """Check a sentence that continues a game: one more move, or it is abandoned."""
    same = (game.number, game.seats, game.first) == (last.number, last.seats, last.first)
    if not same or game.ms < last.ms:
        raise ViolationError(f"{game} does not continue {last}")
    if game.end == "x":
        if game.moves != last.moves:
            raise ViolationError(f"{game}: a move was made in leaving {last}")
        return
    if len(game.moves) != len(last.moves) + 1 or game.moves[:-1] != last.moves:
        raise ViolationError(f"{game} is not one move after {last}")
    level = game.seats["AB".index(game.player(len(last.moves)))]
    if level == "P":
        return
    if game.moves[-1] not in _replies(last.moves, level):
        raise ViolationError(f"{game}: level {level} does not play that")
    if game.ms - last.ms < REPLY_MS:
        raise ViolationError(f"{game}: the chip replied after {game.ms - last.ms} ms only")


@cache
def _replies(moves: tuple[int, ...], level: str) -> tuple[int, ...]:
    """The moves of a level: hard's from the solver, the others' from the chip's code."""
    position = EMPTY
    for cell in moves:
        position = position.play(cell)
    if level == "H":
        return tuple(hard_moves(position))
    return Chip(level).reply(position).cells
