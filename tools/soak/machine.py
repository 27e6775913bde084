"""A micro:bit that runs up to exact times of its own: the same seed gives the same run."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping

from microbit_emulator import Button, FirmwareStoppedError
from noughts.protocol import data_log
from noughts.protocol.sentences import Game
from noughts.virtual.program import firmware_for, program
from soak.result import ViolationError

BYTE_MS = 1000 * 10 / 115_200
"""What a byte takes on the serial line."""


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

    def heard(self) -> bytes:
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
