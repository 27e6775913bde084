"""A virtual board: an emulated micro:bit in real time, with a serial port."""

from __future__ import annotations

import contextlib
import pickle
import secrets
import threading
from collections.abc import Callable
from random import Random
from typing import IO, TYPE_CHECKING, Any

import serial

from noughts.errors import BoardError, BoardGoneError, fault_message
from noughts.processes import python_command, start_process

if TYPE_CHECKING:
    from noughts.virtual.program import Program

TAP_US = 60_000
NUDGE_US = 300_000
NUDGE_MG = 400
_START_S = 120.0
_SHUTDOWN_TIMEOUT_S = 10.0
_WRITING_US = 100_000
"""Erasing a page takes at most 85 ms."""
_STARTED_US = 2_000_000
"""Long enough for a board to be in its menu."""
_LOOK_S = 0.1
_PAUSE_S = (0.25, 1.0)
_ALONE = ("B", "AB", "AAB", "AAAB")
"""The buttons for two people on one board, and for each level of the chip."""
_BY_RADIO = 2


class Air:
    """The air between virtual boards: what one sends by radio arrives at all others in it."""

    def __init__(self) -> None:
        self._boards: list[VirtualBoard] = []
        self._lock = threading.Lock()

    def enter(self, board: VirtualBoard) -> None:
        """From now on, this board sends and receives."""
        with self._lock:
            self._boards.append(board)

    def leave(self, board: VirtualBoard) -> None:
        """This board has ended."""
        with self._lock:
            self._boards.remove(board)

    def carry(self, sender: VirtualBoard, packet: object) -> None:
        """Deliver a packet to all other boards."""
        with self._lock:
            receivers = [board for board in self._boards if board is not sender]
        for board in receivers:
            with contextlib.suppress(BoardGoneError):
                board.receive(packet)


class VirtualBoard(contextlib.ExitStack):
    """A running micro:bit with buttons, sensors, LEDs and a serial port.

    It runs from its constructor's return until `close()`, which may be called twice, and which also
    removes its serial port. If the board ends by itself, every method raises `BoardGoneError`.

    program: the board, its firmware and its files; or a function that makes it, called while the
    board's process starts. speed: how much faster than real time device time may pass. air: where
    it is in radio contact with others; None if it is alone. Raises `BoardError` if the board cannot
    start, and any error of the function.
    """

    port: str
    """For `serial.serial_for_url`: a path, or a `socket://` URL."""
    serial: serial.SerialBase
    """The open port; reading from it does not wait."""
    pid: int
    """Of the board's process."""

    def __init__(
        self,
        program: Program | Callable[[], Program],
        speed: float = 1.0,
        air: Air | None = None,
    ) -> None:
        super().__init__()
        self._air = air
        self._latest: dict[str, Any] = {}
        """The last message of each kind from the board's process."""
        self._ended = False
        self._news = threading.Condition()
        self._sending = threading.Lock()
        words = python_command("noughts.virtual.process", "main")
        self._process = start_process(words)
        self.pid = self._process.pid
        self._listener = threading.Thread(target=self._listen, name="board", daemon=True)
        self._listener.start()
        self.callback(self._end)
        try:
            loaded = program() if callable(program) else program
            self.board, self.firmware = loaded.board, loaded.firmware
            self._latest["flash"] = loaded.flash
            self._wait_for("port")
            self.port = self._latest["port"]
            try:
                opened = serial.serial_for_url(self.port, 115200, timeout=0)
            except serial.SerialException:
                self._wait_for("its end")  # which raises the process's own failure
                raise
            self.serial = self.enter_context(opened)
            with contextlib.suppress(BoardGoneError):  # waiting raises its failure
                name = f"board {self.pid}" if air else ""
                self._send("start", loaded, secrets.randbits(64), speed, name)
            self._wait_for("state")
            if air is not None:
                air.enter(self)
                self.callback(air.leave, self)
        except BaseException:
            self.close()
            raise

    def _wait_for(self, name: str) -> None:
        with self._news:
            self._news.wait_for(lambda: name in self._latest or self._ended, _START_S)
        if name not in self._latest:
            raise BoardError(
                self._latest.get("failed")
                or "the virtual board does not start; close some programs and try again"
            )

    def _send(self, *message: Any) -> None:
        assert self._process.stdin is not None
        if self._ended:  # its input may close a moment after its output
            raise self._gone()
        try:
            with self._sending:
                pickle.dump(message, self._process.stdin)
                self._process.stdin.flush()
        except (OSError, ValueError) as error:
            raise self._gone() from error

    def _gone(self) -> BoardGoneError:
        with self._news:
            self._news.wait_for(lambda: self._ended, _SHUTDOWN_TIMEOUT_S)
        if failure := self._latest.get("failed"):
            return BoardGoneError(f"the virtual board has stopped: {failure}")
        return BoardGoneError("the virtual board is no longer running (killed?); start again")

    def _listen(self) -> None:
        """Take the messages of the board's process, in a thread, until it ends."""
        assert self._process.stdout is not None
        try:
            while True:
                self._take(*self._next_message(self._process.stdout))
        except EOFError:
            pass
        except Exception as error:
            self._latest["failed"] = fault_message(error)
        with self._news:
            self._ended = True
            self._news.notify_all()

    @staticmethod
    def _next_message(pipe: IO[bytes]) -> tuple[str, object]:
        """The next message. Raises `EOFError` if there is none: the process was killed, or ends."""
        try:
            name, value = pickle.load(pipe)
        except (OSError, ValueError, pickle.UnpicklingError) as error:
            raise EOFError from error
        return name, value

    def _take(self, name: str, value: object) -> None:
        if name == "packet":
            if self._air is not None:
                self._air.carry(self, value)
            return
        with self._news:
            self._latest[name] = value
            self._news.notify_all()

    def _state(self) -> tuple[int, bytes, int]:
        """Device time in microseconds, the LEDs, and the tone in Hz."""
        if self._ended:
            raise self._gone()
        state: tuple[int, bytes, int] = self._latest["state"]
        return state

    def press(self, *buttons: str) -> None:
        """Press buttons at the same moment; they stay down until `release()`."""
        self._send("press", *buttons)

    def release(self, *buttons: str) -> None:
        """Release buttons, once they have been down for as long as a tap."""
        self._send("release", *buttons)

    def tap(self, *buttons: str) -> None:
        """Press buttons together for a moment, after earlier gestures.

        If too many gestures wait, as when a key repeats, this one is dropped.
        """
        self._send("gesture", TAP_US, ("press", *buttons), ("release", *buttons))

    def tilt(self, x_mg: int, y_mg: int) -> None:
        """Hold the board at this acceleration, in milli-g (x right, y towards the pins)."""
        self._send("tilt", x_mg, y_mg)

    def nudge(self, x: int, y: int) -> None:
        """Tilt the board by the signs of x and y, and back to level; a gesture like `tap()`."""
        self._send("gesture", NUDGE_US, ("tilt", x * NUDGE_MG, y * NUDGE_MG), ("tilt", 0, 0))

    def touch_logo(self) -> None:
        """Touch the logo for a moment; a gesture like `tap()`. No effect on a V1."""
        self._send("gesture", TAP_US, ("touch", True), ("touch", False))

    def receive(self, packet: object) -> None:
        """Receive a packet that another board has sent, by radio."""
        self._send("packet", packet)

    def leds(self) -> bytes:
        """The 25 LEDs in reading order, each 0 (dark) to 9 (brightest)."""
        return self._state()[1]

    def tone_hz(self) -> int:
        """The tone that it plays now, in Hz; 0 for silence."""
        return self._state()[2]

    def clock_us(self) -> int:
        """Microseconds of device time since the board was switched on."""
        return self._state()[0]

    def memory(self) -> bytes:
        """The flash after the last write; the same object until the next write."""
        flash: bytes = self._latest["flash"]
        return flash

    def finish_writing(self) -> bytes:
        """The flash, once the board has had time to finish a write."""
        end_us = self._latest["state"][0] + _WRITING_US
        with self._news:
            self._news.wait_for(
                lambda: self._ended or self._latest["state"][0] >= end_us, _SHUTDOWN_TIMEOUT_S
            )
        return self.memory()

    def reset(self) -> None:
        """Press the reset button."""
        self._send("reset")

    def flash(self, program: Program) -> None:
        """Program the chip and start it, as the interface chip does."""
        self._send("program", program)

    def _end(self) -> None:
        self._process.kill()
        self._listener.join()
        self._process.communicate()  # which waits, and closes the pipes


def opening(number: int, count: int) -> str:
    """The buttons with which a board begins: by its number, from 0, among those that autoplay.

    Of six boards, four play alone, each with another opponent, and two play each other by radio.
    """
    group, place = divmod(number, len(_ALONE) + _BY_RADIO)
    has_partner = count >= (group + 1) * (len(_ALONE) + _BY_RADIO)
    if place >= len(_ALONE) and has_partner:
        return f"AAAAB{'A' * group}B"  # `R`; the pair's channel
    return _ALONE[place % len(_ALONE)]


def autoplay(board: VirtualBoard, buttons: str, seed: int, stop: threading.Event) -> None:
    """Play on a board until `stop` is set or the board ends: at random, but by its buttons.

    buttons: pressed first, as `opening` gives them. seed: of all random choices.
    """
    random = Random(seed)
    with contextlib.suppress(BoardGoneError):
        while board.clock_us() < _STARTED_US:
            if stop.wait(_LOOK_S):
                return
        for button in buttons:
            board.tap(button)
            stop.wait(_PAUSE_S[1])
        while not stop.wait(random.uniform(*_PAUSE_S)):
            board.tap(random.choice("AB"))
