"""The simulated board: the device files under CPython, where there is no QEMU."""

from __future__ import annotations

import contextlib
import json
import platform
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from noughts.boards.base import Button
from noughts.boards.serial_line import Cabled
from noughts.closing import Closing
from noughts.device_files import files_for_boards
from noughts.errors import BoardError, BoardGone

_START_S = 20.0
_RUN = (
    "import sys; sys.path.insert(0, sys.argv[1]); "
    "from noughts.simulator.process import main; main()"
)
_PACKAGES = str(Path(__file__).resolve().parents[2])


class SimulatedBoard(Cabled, Closing):
    """A micro:bit V1 as our `microbit` module plays it.

    files: name to content, by default the game.
    """

    kind = "simulated"
    has_tilt = True
    firmware = f"micro:bit V1, CPython {platform.python_version()} instead of firmware"

    def __init__(self, files: Mapping[str, bytes] | None = None) -> None:
        self._files = dict(files_for_boards() if files is None else files)
        self._leds = bytes(25)
        self._closed = False
        self._lock = threading.RLock()
        self.plug()
        try:
            self._start()
        except BaseException:
            self.close()
            raise

    def _start(self) -> None:
        self._running = threading.Event()
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-I", "-S", "-c", _RUN, _PACKAGES],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                encoding="utf-8",
                start_new_session=True,  # a Ctrl-C is the owner's to handle
            )
        except OSError as error:
            raise BoardError(
                f"cannot start Python for the simulated board ({error.strerror}); free some memory"
            ) from error
        self._leds = bytes(25)
        self._send(files={name: data.decode("latin-1") for name, data in self._files.items()})
        threading.Thread(target=self._listen, args=(self._process,), daemon=True).start()
        if not self._running.wait(_START_S):
            raise BoardError("the simulated board does not start; install noughts again")

    def _send(self, **message: Any) -> None:
        with self._lock:
            assert self._process.stdin is not None
            try:
                self._process.stdin.write(json.dumps(message) + "\n")
                self._process.stdin.flush()
            except (OSError, ValueError) as error:
                raise self._gone() from error

    def _gone(self) -> BoardGone:
        return BoardGone("the simulated board is not running any more (killed?); start again")

    def _check(self) -> None:
        if self._closed or self._process.poll() is not None:
            raise self._gone()

    def _to_board(self, data: bytes) -> None:
        with contextlib.suppress(BoardGone):
            self._send(serial=data.decode("latin-1"))

    def _listen(self, process: subprocess.Popen[str]) -> None:
        assert process.stdout is not None
        with contextlib.suppress(ValueError):  # cut short when it is killed
            for line in process.stdout:
                message = json.loads(line)
                if "serial" in message:
                    self._line.feed(message["serial"].encode("latin-1"))
                elif "leds" in message:
                    self._leds = bytes(map(int, message["leds"]))
                elif "files" in message:
                    self._files = {
                        name: text.encode("latin-1") for name, text in message["files"].items()
                    }
                elif "running" in message:
                    self._started_s = time.monotonic()
                    self._running.set()
                elif "reset" in message:
                    threading.Thread(target=self.reset, daemon=True).start()

    def press(self, button: Button) -> None:
        """Push a button down."""
        self._send(button=button.value, down=True)

    def release(self, button: Button) -> None:
        """Let a button go."""
        self._send(button=button.value, down=False)

    def tilt(self, x_mg: int, y_mg: int) -> None:
        """Hold the board at this acceleration."""
        self._send(tilt=[x_mg, y_mg])

    def leds(self) -> bytes:
        """The 25 LEDs in reading order, 0 to 9."""
        self._check()
        return self._leds

    def clock_us(self) -> int:
        """Microseconds since the board last started."""
        self._check()
        return int((time.monotonic() - self._started_s) * 1e6)

    def reset(self) -> None:
        """Start again with the files as they are."""
        with self._lock:
            self._check()
            self._end()
            self._start()

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
        with self._lock:
            if self._closed:
                return
            self._closed = True
            if hasattr(self, "_process"):
                self._end()
        self.unplug()
