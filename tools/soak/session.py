"""One session of the soak: a monkey plays on a board while a referee judges, all from a seed."""

from __future__ import annotations

import statistics
from collections import Counter, deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from microbit_emulator import Button
from noughts.device_files import device_files
from noughts.virtual.kept_flash import choice_in
from soak import monkey, probe
from soak.flash_watch import Operation, watch_flash
from soak.machine import Machine
from soak.player import A, B
from soak.referee import Referee, ViolationError

SILENT_CONTACTS = 300
"""After this many contacts in a row without a sentence, the board must show that it responds."""

KEPT_LINES = 400
"""The last lines of the trace, kept for the report of a failure."""

DRIFT_BYTES = 64
"""Free heap may differ by this at the same point of a game: four blocks of MicroPython's heap.

The best readings are compared, and half of the points of a game must have sunk. Single readings are
lower by chance: the collector keeps whatever a stale word on the stack points to. A leak lowers the
best ones, too, and those of all points.
"""

_BOOT_MS = {"V1": 1_500, "V2": 2_500}
"""A V2 formats its data log when it starts for the first time."""
_STEPS = 10
_BOUNCE_US = 5_000


@dataclass
class Result:
    """The outcome of a session."""

    board: str
    seed: int
    kind: str = "session"
    firmware: str = ""
    device_s: float = 0.0
    contacts: int = 0
    """How often a contact closed, bounces included."""
    presses: int = 0
    """The same, without those that came within 5 ms of the button's last contact."""
    games: Counter[str] = field(default_factory=Counter)
    """Games begun, by the chip's level (P for two people) and the controls, such as `Hb`."""
    ends: Counter[str] = field(default_factory=Counter)
    """Games ended, by the chip's level and the end, such as `H=`."""
    lowest_free: int = 0
    longest_gap_ms: int = 0
    longest_saving_ms: int = 0
    """The longest gap in which flash was written or erased."""
    clock_jumps: int = 0
    drift: int = 0
    """Bytes by which the best free heap sank from the first to the last third: the median over all
    points of a game."""
    failure: str = ""
    cpu_s: float = field(default=0.0, compare=False)
    """What the run took of the computer, if that was measured."""
    trace: deque[str] = field(default_factory=lambda: deque(maxlen=KEPT_LINES))
    """The last contacts and lines, each after its device time in milliseconds."""

    @property
    def repeat(self) -> str:
        """The command-line options that repeat this session."""
        return f"--board {self.board.lower()} --seed {self.seed} --until {self.device_s:.3f}"


Tell = Callable[[str], None]
Point = tuple[str, str, int]  # seats, end, moves


class Session:
    """A session that its seed determines.

    trace: called with a line for everything that happens. progress: called with a line after each
    tenth of the session.
    """

    def __init__(self, board: str, seed: int, device_s: float, trace: Tell, progress: Tell) -> None:
        self._end_us = round(device_s * 1_000_000)
        self._trace = trace
        self._progress = progress
        self._referee = Referee()
        self._result = Result(board, seed)
        self._line = b""
        self._silent = 0  # contacts since the last sentence
        self._down: frozenset[Button] = frozenset()
        self._changed_us = dict.fromkeys((A, B), 0)
        self._tenths_told = 0
        # The free heap at each point of a game, in the first and the last third.
        self._free: dict[bool, dict[Point, list[int]]] = {False: {}, True: {}}

    def run(self, firmware: Path | None = None, game: Mapping[str, bytes] | None = None) -> Result:
        """Play until the end, or until something is wrong.

        firmware: the hex file of another MicroPython. game: files to play with instead of ours.
        """
        result = self._result
        files = probe.files(device_files() if game is None else game, result.board)
        machine = Machine(result.board, result.seed, files, firmware)
        result.firmware = machine.firmware
        watch_flash(machine, lambda operation: self._flash_begins(machine, operation))
        try:
            machine.rest(_BOOT_MS[machine.board])
            self._listen(machine)
            if self._referee.boot is None:
                raise ViolationError("the board does not start")
            self._play(machine)
            self._compare_heap()
        except ViolationError as error:
            result.failure = str(error)
        result.device_s = machine.now_us / 1_000_000
        result.ends = self._referee.games
        result.lowest_free = self._referee.lowest_free
        result.longest_gap_ms = self._referee.longest_gap_ms
        result.longest_saving_ms = self._referee.longest_saving_ms
        result.clock_jumps = self._referee.clock_jumps
        return result

    def _play(self, machine: Machine) -> None:
        start_us = machine.now_us
        for movement in monkey.movements(self._result.seed):
            machine.run_until(min(start_us + movement.at_us, self._end_us))
            self._listen(machine)
            self._tell_progress(machine)
            if machine.now_us >= self._end_us:
                return
            if isinstance(movement, monkey.Lean):
                machine.microbit.tilt(movement.x_mg, movement.y_mg)
                continue
            self._contact(machine, movement.button, movement.closed)
            if self._silent > SILENT_CONTACTS and not self._down:
                before_us = machine.now_us
                self._check_that_it_responds(machine)
                start_us += machine.now_us - before_us

    def _contact(self, machine: Machine, button: Button, closed: bool) -> None:
        machine.contact(button, closed)
        self._say(machine, f"{button} {'down' if closed else 'up'}")
        self._down = self._down | {button} if closed else self._down - {button}
        if closed:
            self._result.contacts += 1
            self._result.presses += machine.now_us - self._changed_us[button] > _BOUNCE_US
        self._changed_us[button] = machine.now_us
        self._silent += 1

    def _check_that_it_responds(self, machine: Machine) -> None:
        """Both buttons leave a game, B starts one from the menu: either says a sentence."""
        self._silent = 0
        before = self._referee.last
        for buttons in ((A, B), (B,)) * 2:
            machine.rest(1_000)
            for closed in (True, False):
                for button in buttons:
                    self._contact(machine, button, closed)
                machine.rest(80)
            machine.rest(1_000)
            self._listen(machine)
        if self._referee.last is before:
            raise ViolationError("the board no longer says a sentence, whatever is pressed")

    def _flash_begins(self, machine: Machine, operation: Operation) -> None:
        self._listen(machine)  # what was measured before it does not contain it
        self._referee.flash_begins(operation.us)

    def _listen(self, machine: Machine) -> None:
        *lines, self._line = (self._line + machine.heard()).split(b"\n")
        for line in lines:
            text = line.decode("latin-1").removesuffix("\r").lstrip("\0")
            self._say(machine, text)
            before = self._referee.last
            self._referee.hear(text)
            self._silent = 0
            if self._referee.last is not before:
                self._count_game(machine)
            elif self._referee.last is not None:
                self._note_heap(machine)

    def _say(self, machine: Machine, text: str) -> None:
        line = f"{machine.now_us / 1000:14.3f} {text}"
        self._result.trace.append(line)
        self._trace(line)

    def _count_game(self, machine: Machine) -> None:
        game = self._referee.last
        if game is not None and not game.moves and game.end == "-":
            self._result.games[choice_in(machine.files())] += 1

    def _note_heap(self, machine: Machine) -> None:
        game, reading = self._referee.last, self._referee.reading
        third = 3 * machine.now_us // self._end_us
        if game is None or reading is None or third == 1 or not self._referee.games:
            return  # what is allocated when the first game ends stays
        point = (game.seats, game.end, len(game.moves))
        self._free[third > 1].setdefault(point, []).append(reading.free)

    def _compare_heap(self) -> None:
        first, last = self._free[False], self._free[True]
        sunk = [max(first[point]) - max(last[point]) for point in first.keys() & last.keys()]
        if sunk:
            self._result.drift = statistics.median_low(sunk)
            if self._result.drift > DRIFT_BYTES:
                raise ViolationError(f"free heap sank by {self._result.drift} bytes")

    def _tell_progress(self, machine: Machine) -> None:
        step = _STEPS * machine.now_us // self._end_us
        if step > self._tenths_told:
            self._tenths_told = step
            self._progress(
                f"{machine.board}, seed {self._result.seed}: {machine.now_us / 3.6e9:.2f} of "
                f"{self._end_us / 3.6e9:.2f} device-hours, {self._result.games.total()} games"
            )
