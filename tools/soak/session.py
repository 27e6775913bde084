"""One session of the soak: a monkey plays on a board while a referee judges, all from a seed."""

import statistics
from collections import deque
from collections.abc import Callable, Mapping

from boards import FAILURES, A, B, ViolationError
from microbit_emulator import Button
from noughts.brain.device import device_files
from noughts.virtual.program import program
from soak import monkey, probe
from soak.referee import Referee
from soak.result import Result

SILENT_CONTACTS = 300
"""After this many contacts without a sentence, the session checks that the board responds."""

KEPT_LINES = 400
"""The last lines of the trace, for the report of a failure."""

DRIFT_BYTES = 64
"""How much free heap may differ at the same point of a game: four blocks of MicroPython's heap.

It compares the best readings, and counts a leak if half of the points of a game have fallen. Single
readings may be lower by chance, because the collector retains anything that a stale word on the
stack points to. A leak also lowers the best readings, and those of all points.
"""

_BOOT_US = {"V1": 1_500_000, "V2": 2_500_000}
"""A V2 formats its data log when it starts for the first time."""
_BOUNCE_US = 5_000

Point = tuple[str, str, int]  # seats, end, moves


class Session:
    """A session, which its seed determines.

    trace: called with a line for everything that happens. game: files to play with instead of ours.
    """

    def __init__(
        self,
        board: str,
        seed: int,
        device_s: float,
        trace: Callable[[str], object],
        game: Mapping[str, bytes] | None = None,
    ) -> None:
        self._seed, self._end_us = seed, round(device_s * 1_000_000)
        self._tell = trace
        files = probe.files(probe.alone(device_files() if game is None else game), board)
        made = program(board, files)
        self._board = made.microbit(seed)
        self._board.watch_flash(lambda kind, at, size, us: self._flash_begins(us))
        self._result = Result(made.firmware)
        self._referee = Referee(self._result)
        self._trace: deque[str] = deque(maxlen=KEPT_LINES)
        self._line = b""
        self._silent = 0  # contacts since the last sentence
        self._down: frozenset[Button] = frozenset()
        self._changed_us = dict.fromkeys((A, B), 0)
        # The free heap at each point of a game, in the first and the last third.
        self._free: dict[bool, dict[Point, list[int]]] = {False: {}, True: {}}

    def run(self) -> Result:
        board, result = self._board, self._result
        try:
            board.run_for(_BOOT_US[board.board])
            self._listen()
            if self._referee.boot is None:
                raise ViolationError("the board does not start")
            self._play()
            self._compare_heap()
        except FAILURES as error:
            result.failure = str(error)
        result.counts["device ms"] = board.clock_us // 1000
        result.trace = list(self._trace)
        return result

    def _play(self) -> None:
        board = self._board
        start_us = board.clock_us
        for movement in monkey.movements(self._seed):
            board.run_until(min(start_us + movement.at_us, self._end_us))
            self._listen()
            if board.clock_us >= self._end_us:
                return
            if isinstance(movement, monkey.Lean):
                board.tilt(movement.x_mg, movement.y_mg)
                continue
            self._contact(movement.button, movement.closed)
            if self._silent > SILENT_CONTACTS and not self._down:
                before_us = board.clock_us
                self._check_that_it_responds()
                start_us += board.clock_us - before_us

    def _contact(self, button: Button, closed: bool) -> None:
        now_us = self._board.clock_us
        (self._board.press if closed else self._board.release)(button)
        self._say(f"{button} {'down' if closed else 'up'}")
        self._down = self._down | {button} if closed else self._down - {button}
        if closed:
            self._result.counts["contacts"] += 1
            self._result.counts["presses"] += now_us - self._changed_us[button] > _BOUNCE_US
        self._changed_us[button] = now_us
        self._silent += 1

    def _check_that_it_responds(self) -> None:
        """Both buttons leave a game, or B starts one from the menu: each sends a sentence."""
        self._silent = 0
        last_before = self._referee.last
        for buttons in ((A, B), (B,)) * 2:
            self._board.run_for(1e6)
            for closed in (True, False):
                for button in buttons:
                    self._contact(button, closed)
                self._board.run_for(80_000)
            self._board.run_for(1e6)
            self._listen()
        if self._referee.last is last_before:
            raise ViolationError("the board no longer sends sentences when buttons are pressed")

    def _flash_begins(self, us: int) -> None:
        self._listen()  # what was measured before it does not contain it
        self._referee.flash_begins(us)

    def _listen(self) -> None:
        *lines, self._line = (self._line + self._board.uart.receive()).split(b"\n")
        for line in lines:
            text = line.decode("latin-1").removesuffix("\r").lstrip("\0")
            self._say(text)
            last_before = self._referee.last
            self._referee.receive(text)
            self._silent = 0
            game = self._referee.last
            if game is not last_before:
                if game is not None and not game.moves and game.end == "-":
                    choice = self._referee.choice
                    self._result.counts.update(["begun", f"begun {choice}"])
            elif game is not None:
                self._note_heap()

    def _say(self, text: str) -> None:
        line = f"{self._board.clock_us / 1000:14.3f} {text}"
        self._trace.append(line)
        self._tell(line)

    def _note_heap(self) -> None:
        game, reading = self._referee.last, self._referee.reading
        third = 3 * self._board.clock_us // self._end_us
        if game is None or reading is None or third == 1 or not self._result.counts["ended"]:
            return  # what is allocated when the first game ends stays
        point = (game.seats, game.end, len(game.moves))
        self._free[third > 1].setdefault(point, []).append(reading.free)

    def _compare_heap(self) -> None:
        first, last = self._free[False], self._free[True]
        sunk = [max(first[point]) - max(last[point]) for point in first.keys() & last.keys()]
        if sunk:
            drift = self._result.most["drift"] = statistics.median_low(sunk)
            if drift > DRIFT_BYTES:
                raise ViolationError(f"free heap sank by {drift} bytes")
