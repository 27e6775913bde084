"""The emulated board: the real MicroPython firmware on QEMU's micro:bit V1.

The LEDs are read from the firmware's own frame buffer, the five by five levels in RAM from which it
strobes the pins. The pins themselves can be sampled too (`samples()`, `strobe.Strobe`), but they
tell the level only when QEMU skips idle time (`icount` with `sleep=off`): in real time its timers
come late, and the firmware then misses the moment to switch a LED off. The tests hold one against
the other.
"""

from __future__ import annotations

import contextlib
import re
import tempfile
import threading
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

import intelhex

from noughts.boards import flash_memory
from noughts.boards.base import Button
from noughts.boards.qemu import Qemu
from noughts.boards.serial_line import Cabled
from noughts.boards.strobe import Sample
from noughts.closing import Closing
from noughts.device_files import files_for_boards
from noughts.errors import BoardError
from noughts.firmware import image

REAL_TIME = "shift=6,sleep=on,align=on"
"""An instruction takes 64 ns, near the chip's 16 MHz, and device time keeps step with real time."""

GPIO_OUT = 0x50000504
TIMER2 = 0x4000A000  # the firmware leaves it alone, so it is our device clock
_CAPTURE, _CC0 = TIMER2 + 0x40, TIMER2 + 0x540
_START_CLOCK = [
    f"writel {TIMER2 + 0x504} 0",  # a timer,
    f"writel {TIMER2 + 0x508} 3",  # of 32 bits,
    f"writel {TIMER2 + 0x510} 4",  # counting microseconds
    f"writel {TIMER2} 1",
]
_READ_CLOCK = [f"writel {_CAPTURE} 1", f"readl {_CC0}"]
# More at a time would keep QEMU from running the device's timers when they are due.
_SAMPLES = [*_READ_CLOCK, f"readl {GPIO_OUT}"] * 2

_PINS = {Button.A: 17, Button.B: 26}
FRAME_BUFFER = 4  # its offset in the display object, after the pointer to its type
_PROBE = b"import microbit\nprint('at', id(microbit.display))\n"
_PROBE_S = 20.0


def _start(memory: intelhex.IntelHex, icount: str) -> Qemu:
    """QEMU with this flash, stopped before the first instruction."""
    try:
        with tempfile.TemporaryDirectory(prefix="noughts-") as folder:
            path = Path(folder) / "flash.hex"
            memory.write_hex_file(str(path))
            return Qemu(path, icount)
    except OSError as error:
        raise BoardError(
            f"cannot write the board's image ({error.strerror}); make room in the temporary folder"
        ) from error


@lru_cache(maxsize=8)
def find_display(firmware: image.Firmware) -> int:
    """Where the firmware keeps its display object: it is booted once and asked."""
    qemu = _start(firmware.with_files({"main.py": _PROBE}), "shift=6,sleep=off")
    try:
        qemu.serial.settimeout(_PROBE_S)
        qemu.qmp("cont")
        heard = b""
        while (found := re.search(rb"at (\d+)\r\n", heard)) is None:
            more = qemu.serial.recv(256)
            if not more:
                raise TimeoutError
            heard += more
        return int(found[1])
    except TimeoutError as error:
        raise BoardError(f"{firmware} does not start in QEMU; try another firmware") from error
    finally:
        qemu.close()


class EmulatedBoard(Cabled, Closing):
    """A micro:bit V1 in QEMU, with our files in its flash file system.

    files: name to content, by default the game. firmware: a hex file to use instead of the
    bundled one. flashed: a hex file to run as it is, with the files that are in it.
    icount: QEMU's `-icount` options.
    """

    kind = "emulated"
    has_tilt = False

    def __init__(
        self,
        files: Mapping[str, bytes] | None = None,
        firmware: Path | None = None,
        *,
        flashed: Path | None = None,
        icount: str = REAL_TIME,
    ) -> None:
        loaded = image.for_v1(flashed or firmware)
        memory = loaded.memory
        if flashed is None:
            memory = loaded.with_files(files_for_boards() if files is None else files)
        self.firmware = str(loaded)
        self._display = find_display(loaded)
        with contextlib.ExitStack() as stack:
            self._qemu = _start(memory, icount)
            stack.callback(self._qemu.close)
            self.plug()
            stack.callback(self.unplug)
            self._clock_lock = threading.Lock()
            self._clock_us = 0
            self._qemu.registers(_START_CLOCK)
            self._reader = threading.Thread(target=self._from_board, daemon=True)
            self._reader.start()
            self._qemu.qmp("cont")
            stack.pop_all()

    def _to_board(self, data: bytes) -> None:
        with contextlib.suppress(OSError):
            self._qemu.serial.sendall(data)

    def _from_board(self) -> None:
        with contextlib.suppress(OSError):
            while data := self._qemu.serial.recv(4096):
                self._line.feed(data)

    def press(self, button: Button) -> None:
        """Push a button down."""
        self._set_pin(_PINS[button], 0)

    def release(self, button: Button) -> None:
        """Let a button go."""
        self._set_pin(_PINS[button], 1)

    def _set_pin(self, pin: int, level: int) -> None:
        self._qemu.registers([f"set_irq_in /machine/nrf51 unnamed-gpio-in {pin} {level}"])

    def tilt(self, x_mg: int, y_mg: int) -> None:
        """Not to be had: QEMU's accelerometer is a stub."""
        raise BoardError("the emulated board cannot be tilted; use --board simulated")

    def leds(self) -> bytes:
        """The 25 LEDs in reading order, 0 to 9, from the firmware's frame buffer."""
        columns = self._qemu.memory(self._display + FRAME_BUFFER, 25)
        return bytes(columns[x * 5 + y] for y in range(5) for x in range(5))

    def samples(self) -> list[Sample]:
        """Two samples of the LEDs' pins: (clock in microseconds, GPIO OUT)."""
        values = self._qemu.registers(_SAMPLES)
        return [(values[i + 1], values[i + 2]) for i in range(0, len(values), 3)]

    def clock_us(self) -> int:
        """Microseconds of device time since the last reset."""
        with self._clock_lock:
            now = self._qemu.registers(_READ_CLOCK)[1]
            # The timer has 32 bits: 71 minutes.
            self._clock_us += (now - self._clock_us) % (1 << 32)
            return self._clock_us

    def reset(self) -> None:
        """Press the reset button; flash stays as it is."""
        with self._clock_lock:
            self._qemu.qmp("stop")
            self._reset(flash_memory.read(self._qemu))

    def _reset(self, flash: bytes) -> None:
        self._qemu.reset()
        flash_memory.write(self._qemu, flash)
        self._qemu.registers(_START_CLOCK)
        self._clock_us = 0
        self._qemu.qmp("cont")

    def flash(self, memory: intelhex.IntelHex) -> None:
        """Program the chip and reset it, as the interface chip does."""
        with self._clock_lock:
            self._qemu.qmp("stop")
            content = memory.tobinstr(0, flash_memory.SIZE - 1)
            self._reset(content)

    @property
    def pid(self) -> int:
        """QEMU's process id."""
        return self._qemu.pid

    def close(self) -> None:
        """End QEMU and take the serial port away."""
        self._qemu.close()
        self.unplug()
