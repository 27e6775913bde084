"""A micro:bit that runs up to exact times of its own, and one who presses its buttons.

The same seed gives the same run. The tests and the soak have both.
"""

import dataclasses
import re
from collections.abc import Callable, Mapping

from microbit_emulator import Button, FirmwareStoppedError
from noughts.boards.firmware import firmware_for
from noughts.errors import SentenceError
from noughts.protocol import data_log, sentences
from noughts.protocol.sentences import Game
from noughts.virtual.program import program

A: Button = "A"
B: Button = "B"
BOOT_MS = 3_000
_BOOT_LINE = re.compile(rb"\$NB,1,(\w+)[^*\n]*\*[0-9A-F]{2}\r\n")
DOWN_MS = 80
UP_MS = 200
SAVING_MS = 5_000
"""The choice is saved before a game starts, and pages may be moved and erased for that."""
_READY_MS = 60  # a button that is down in the first turn of the loop is no press
BYTE_MS = 1000 * 10 / 115_200
"""What a byte takes on the serial line."""


class ViolationError(Exception):
    """A board has broken one of the rules that a test, or the soak, holds it to."""


class Machine:
    """A micro:bit that runs only in `run_until()` and `rest()`.

    board: `V1` or `V2`. seed: decides what chance decides. files: name to content, by default the
    game. flash: what the flash holds instead. Whatever lets it run raises `ViolationError` when the
    firmware cannot go on.
    """

    def __init__(
        self,
        board: str,
        seed: int = 1,
        files: Mapping[str, bytes] | None = None,
        flash: bytes | None = None,
    ) -> None:
        made = program(board, files)
        if flash is not None:
            made = dataclasses.replace(made, flash=flash)
        self.board = board
        self.firmware = made.firmware
        self.microbit = made.microbit(seed)
        self._layout = firmware_for(board).layout
        self._started_us = 0

    @property
    def now_us(self) -> int:
        """Device time since the power came."""
        return self.microbit.clock_us - self._started_us

    def run_until(self, moment_us: int) -> None:
        """Let the device run up to this moment of its time."""
        try:
            self.microbit.run_until(self._started_us + moment_us)
        except FirmwareStoppedError as error:
            raise ViolationError(str(error)) from error

    def rest(self, ms: float) -> None:
        """Let the device run for some milliseconds."""
        self.run_until(self.now_us + round(ms * 1000))

    def later(self, us: float, action: Callable[[], object]) -> None:
        """Do something after so much device time; what it raises comes out of `run_until()`."""
        self.microbit.at(self.microbit.clock_us + us, action)

    def contact(self, button: Button, closed: bool) -> None:
        """Close or open a button's contact."""
        if closed:
            self.microbit.press(button)
        else:
            self.microbit.release(button)

    def received(self) -> bytes:
        """What the board has sent over serial since the last call."""
        return self.microbit.uart.receive()

    def say(self, data: bytes) -> None:
        """Send bytes to the board, and let it run until they are there."""
        self.microbit.uart.send(data)
        self.rest(len(data) * BYTE_MS)

    def files(self) -> bytes:
        """The file system as it stands."""
        return self.microbit.flash[self._layout.start : self._layout.stop]

    def logged(self) -> list[Game]:
        """The games in a V2's data log."""
        content = self.microbit.my_data()
        return [] if content is None else data_log.games(content)

    def cut_power(self) -> None:
        """Cut the power, and give it back."""
        self.microbit.power_cut()
        self.microbit.uart.clear()
        self.microbit.power_on()
        self._started_us = self.microbit.clock_us


class Player:
    """Presses buttons, reads what the board sends, and knows what each press must do.

    Every method raises `ViolationError` when the board does not do what it should.
    """

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self.games: list[Game] = []
        """Sentences since the boot, of its own games."""
        self.resent: list[Game] = []
        """Games of earlier boots, sent since this one."""
        self.boot = ""
        self._line = b""

    def boots(self) -> None:
        """Wait for the boot sentence; what the board sent before it is dropped."""
        self._line = b""
        self.games.clear()
        self.resent.clear()
        self.machine.received()
        for button in (A, B):
            self.machine.contact(button, False)
        text = b""
        for _ in range(BOOT_MS // 100):
            self.machine.rest(100)
            text += self.machine.received()
            if found := _BOOT_LINE.search(text):
                self.boot = found[1].decode()
                self._line = text[found.end() :]
                self.machine.rest(_READY_MS)
                return
        raise ViolationError(
            f"the board does not start within {BOOT_MS} ms; it sends {text[-300:]!r}"
        )

    def tap(self, *buttons: Button) -> list[Game]:
        """Press these buttons together, and release them; returns what the board sends."""
        before = len(self.games)
        for closed in (True, False):
            for button in buttons:
                self.machine.contact(button, closed)
            self.machine.rest(DOWN_MS if closed else UP_MS)
            self.listen()
        return self.games[before:]

    def listen(self) -> list[sentences.Sentence]:
        """The sentences that came; nothing else may come."""
        *lines, self._line = (self._line + self.machine.received()).split(b"\n")
        found = []
        for line in lines:
            try:
                found.append(sentences.parse(line.decode("latin-1").strip("\r\0")).sentence)
            except SentenceError as error:
                raise ViolationError(f"{line[:120]!r} on the serial line: {error}") from error
        for each in found:
            if isinstance(each, Game):
                (self.resent if self.boot and each.boot != self.boot else self.games).append(each)
        return found

    def choice(self) -> str:
        """Start a game from the menu, make a move, leave again; the choice, such as `Hb`.

        It is what the game plays by: the opponent's seat, and `b` for buttons or `t` for tilt.
        """
        self.start()
        game = self.games[-1]
        for button, controls in ((A, "t"), (B, "b")):
            if any(len(each.moves) == 1 for each in self.tap(button)):
                self.leave()
                return game.seats[1] + controls
        raise ViolationError(f"neither button places a mark in {game}")

    def start(self) -> None:
        """Press B in the menu, which starts a game."""
        before = len(self.games)
        self.tap(B)
        for _ in range(SAVING_MS // 100):
            if len(self.games) > before:
                break
            self.machine.rest(100)
            self.listen()
        sent = self.games[before:]
        if not sent or sent[0].moves or sent[0].end != "-":
            raise ViolationError(f"B in the menu does not start a game; the board sends {sent}")

    def leave(self) -> None:
        """Press both in a game, which leads to the menu."""
        sent = self.tap(A, B)
        if not sent or sent[-1].end != "x":
            raise ViolationError(
                f"both buttons together do not leave the game; the board sends {sent}"
            )
