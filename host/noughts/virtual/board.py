"""A virtual board: an emulated micro:bit in step with real time, and its serial port."""

from __future__ import annotations

import contextlib
import pickle
import secrets
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

from noughts.closing import Closing
from noughts.errors import BoardError, BoardGone
from noughts.virtual.program import Program
from noughts.virtual.serial_line import Cabled

TAP_US = 60_000
NUDGE_US = 300_000
NUDGE_MG = 400
_RUN = (
    "import sys; sys.path.insert(0, sys.argv[1]); from noughts.virtual.process import main; main()"
)
_PACKAGES = str(Path(__file__).resolve().parents[2])
_START_S = 60.0


class VirtualBoard(Cabled, Closing):
    """A micro:bit that can be pressed, tilted, looked at and listened to while it runs.

    It runs when its constructor returns, and stops in `close()`, which may be called twice. Every
    method raises `BoardGone` once the board has ended by itself.

    program: the board, its firmware, and its files. speed: how much faster than real time device
    time may pass. seed: what the chip's random numbers follow from; by default they differ from
    board to board.
    """

    def __init__(self, program: Program, *, speed: float = 1.0, seed: int | None = None) -> None:
        self.board = program.board
        self.firmware = program.firmware
        self._state = (0, bytes(25))
        self._failure = ""
        self._closed = False
        self._lock = threading.Lock()
        self._running = threading.Event()
        with contextlib.ExitStack() as stack:
            self._process = _start()
            stack.callback(self._end)
            self.plug()
            stack.callback(self.unplug)
            seed = secrets.randbits(64) if seed is None else seed
            self._send("start", program, seed, speed)
            threading.Thread(target=self._listen, name="board", daemon=True).start()
            if not self._running.wait(_START_S):
                raise BoardError("the virtual board does not start; install noughts again")
            if self._failure:
                raise BoardError(self._failure)
            self._check()
            stack.pop_all()

    def _send(self, *message: Any) -> None:
        assert self._process.stdin is not None
        try:
            with self._lock:
                pickle.dump(message, self._process.stdin)
                self._process.stdin.flush()
        except (OSError, ValueError) as error:
            raise self._gone() from error

    def _gone(self) -> BoardGone:
        if self._failure:
            return BoardGone(f"the virtual board has stopped: {self._failure}")
        return BoardGone("the virtual board is not running any more (killed?); start again")

    def _check(self) -> None:
        if self._closed or self._failure or self._process.poll() is not None:
            raise self._gone()

    def _to_board(self, data: bytes) -> None:
        with contextlib.suppress(BoardGone):
            self._send("serial", data)

    def _listen(self) -> None:
        assert self._process.stdout is not None
        with contextlib.suppress(EOFError, OSError, ValueError, pickle.UnpicklingError):
            while True:
                name, *values = pickle.load(self._process.stdout)
                if name == "state":
                    self._state = tuple(values)
                    self._running.set()
                elif name == "serial":
                    self._line.feed(values[0])
                elif name == "failed":
                    self._failure = values[0]
        self._running.set()

    def press(self, *buttons: str) -> None:
        """Push buttons down, at one moment; they stay down until `release()`."""
        self._send("press", *buttons)

    def release(self, *buttons: str) -> None:
        """Let buttons go."""
        self._send("release", *buttons)

    def tap(self, *buttons: str, us: int = TAP_US) -> None:
        """Press buttons together for so long in device time, after the gestures before this one.

        A gesture is dropped when too many wait, as when a key repeats.
        """
        self._send("tap", buttons, us)

    def tilt(self, x_mg: int, y_mg: int) -> None:
        """Hold the board at this acceleration, in milli-g (x right, y towards the pins)."""
        self._send("tilt", x_mg, y_mg)

    def nudge(self, x: int, y: int) -> None:
        """Tilt by a sign along x and y, and back to level; a gesture as `tap()` is."""
        self._send("nudge", x * NUDGE_MG, y * NUDGE_MG, NUDGE_US)

    def leds(self) -> bytes:
        """The 25 LEDs in reading order, each 0 (dark) to 9 (brightest)."""
        self._check()
        return self._state[1]

    def clock_us(self) -> int:
        """Microseconds of the device's own time since it was switched on."""
        self._check()
        return self._state[0]

    def reset(self) -> None:
        """Press the reset button; the files in flash stay."""
        self._send("reset")

    def flash(self, program: Program) -> None:
        """Program the chip and start it, as the interface chip does."""
        self._send("program", program)

    @property
    def pid(self) -> int:
        """The process id of the board."""
        return self._process.pid

    def _end(self) -> None:
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            assert pipe is not None
            with contextlib.suppress(OSError):
                pipe.close()

    def close(self) -> None:
        """End the board and take the serial port away."""
        if not self._closed:
            self._closed = True
            self._end()
            self.unplug()


def _start() -> subprocess.Popen[bytes]:
    try:
        return subprocess.Popen(
            [sys.executable, "-I", "-c", _RUN, _PACKAGES],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,  # a Ctrl-C is the owner's to handle
        )
    except OSError as error:
        raise BoardError(
            f"cannot start Python for the virtual board ({error.strerror}); free some memory"
        ) from error
