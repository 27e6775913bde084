"""A micro:bit, as a person and a computer use it."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from ctypes import c_double
from typing import TYPE_CHECKING, Literal, NamedTuple

from microbit_emulator.chip import EDGE_PINS, Chip, SerialLine
from microbit_emulator.debugger import Debugger
from microbit_emulator.errors import EmulatorError, ExpectationError, PowerOffError
from microbit_emulator.firmware import UICR, UICR_SIZE, Hex, check_board, read
from microbit_emulator.pictures import leds_as_text
from microbit_emulator.radio import Antenna
from microbit_emulator.snapshot import Snapshot

if TYPE_CHECKING:
    from microbit_emulator.ether import Ether

Board = Literal["V1", "V2"]
Button = Literal["A", "B"]

STEP_US = 5_000
"""A good step: too short for a person to notice, and long enough to cost little."""
LATE_US = 100_000
"""After a delay of more than this, it continues from now instead of catching up."""

_LINES = 12
"""Of a micro:bit's output, in its description."""
_BUTTONS = "A", "B"
_LED_COUNT = 25


class PinState(NamedTuple):
    """The state of a pin: an output is high or low, or pulses at a frequency."""

    is_output: bool
    is_high: bool
    frequency_hz: float
    """Of its pulses; 0.0 without pulses."""
    duty: float
    """The share of the time in which it is high."""


class Tone(NamedTuple):
    """A tone, and since when it is played, in device time."""

    frequency_hz: float
    since_us: int


class InDeviceTime:
    """Something that runs in device time: a micro:bit, or an ether with its boards."""

    _per_us: float
    """How many of its units of time make a microsecond."""
    _reached: int
    """The end of the last run, in these units, where the next run begins."""

    def _run_to(self, time: int) -> None:
        raise NotImplementedError

    def run_for(self, us: float) -> None:
        """Run for this much device time. Raises `FirmwareStoppedError`, `PowerOffError`."""
        self._run_to(self._reached + round(us * self._per_us))

    def run_until(
        self,
        condition: Callable[[], bool] | float,
        timeout_us: float = 60_000_000,
        step_us: float = 1000,
    ) -> bool:
        """Run until a condition holds, or until a device time in microseconds.

        A condition is checked every `step_us`. Returns whether it holds: False after `timeout_us`.
        Raises `FirmwareStoppedError`, `PowerOffError`.
        """
        if not callable(condition):
            self._run_to(round(condition * self._per_us))
            return True
        end, step = self._reached + round(timeout_us * self._per_us), round(step_us * self._per_us)
        while not condition():
            if self._reached >= end:
                return False
            self._run_to(min(end, self._reached + max(1, step)))
        return True


class Microbit(InDeviceTime):
    """A micro:bit that runs a firmware, in device time.

    Device time passes only in `run_for` and `run_until`. With the same firmware, seed, and inputs
    at the same device times, a run repeats to the instruction, in steps of any length.
    """

    def __init__(
        self,
        board: str = "V2",
        hex: Hex | None = None,
        *,
        flash: bytes | None = None,
        uicr: bytes | None = None,
        seed: int = 0,
        clock_error: float = 0.0,
        power_on: bool = True,
    ) -> None:
        """Make a micro:bit with this firmware, switched on unless `power_on` is False.

        `hex` is a path, the text of a hex file, or a mapping of addresses to bytes. `flash` and
        `uicr` come from another micro:bit; with them, `hex` may be left out. `seed` determines
        everything random: the random number generator, RAM at power-on, the effect of a power cut,
        and the chip's own number. `clock_error` is the share by which the board's clock is slow,
        such as 0.007; all device times here are those of a correct clock.
        Raises `HexError`, `EngineError`, or `EmulatorError` for an unknown board or clock.
        """
        check_board(board)
        if not -1 < clock_error < 1:
            raise EmulatorError(f"a clock cannot be {clock_error} slow; give a share such as 0.007")
        if hex is None and flash is None:
            raise EmulatorError("a micro:bit needs a firmware; give a hex or a flash image")
        self.board = board
        memory = {} if hex is None else read(hex, board)
        self._chip = chip = Chip(board, seed)
        self._call = chip.core.function
        self._antenna: Antenna | None = None
        self._per_us = chip.hz / 1e6 * (1 - clock_error)
        """Cycles of its clock in a microsecond."""
        self._pressed: set[str] = set()
        for at, data in memory.items():
            chip.program(at, data)
        if flash is not None:
            chip.program(0, flash)
        if uicr is not None:
            chip.program(UICR, uicr)
        self._reached = 0
        self._running = threading.RLock()
        if power_on:
            self.power_on()

    # Time.

    @property
    def clock_us(self) -> int:
        """Device time since the first power-on, in microseconds; resets do not change it."""
        return int(self._chip.now / self._per_us)

    @property
    def instructions(self) -> int:
        """How many instructions the CPU has executed."""
        return int(self._chip.status.instructions)

    def expect(self, text: str, timeout_ms: float = 5_000) -> str:
        """Run until the program has printed a text. Returns the output up to its end.

        The next call looks at the output after that. Raises `ExpectationError` after the timeout.
        """
        received, wanted = self.uart.received, text.encode()
        if not self.run_until(lambda: wanted in received, timeout_ms * 1000):
            raise ExpectationError(
                f"the micro:bit has not printed {text!r} within {timeout_ms:,} ms; "
                f"it printed {received.decode(errors='replace')!r}"
            )
        end = received.index(wanted) + len(wanted)
        printed = received[:end].decode(errors="replace")
        del received[:end]
        return printed

    def at(self, clock_us: float, action: Callable[[], object]) -> None:
        """Do something, such as press a button, at an exact device time in a later run."""
        self._chip.at(round(clock_us * self._per_us), action)

    def _run_to(self, cycle: int) -> None:
        self._check_power()
        if self._antenna is None:
            self._run_alone(cycle)
        else:
            self._antenna.run_all(cycle)

    def _check_power(self) -> None:
        if not self._chip.status.has_power:
            raise PowerOffError("the micro:bit has no power; call power_on first")

    def _run_alone(self, cycle: int) -> None:
        if not self._running.acquire(blocking=False):
            raise EmulatorError("another thread is running this micro:bit; use a lock around both")
        try:
            self._chip.run_until(cycle)
        finally:  # it may run past the end by the rest of an IT block
            self._reached = min(cycle, self._chip.now)
            self._running.release()

    def enter(self, ether: Ether, name: str) -> Antenna:
        """Use an ether from now on; called by the ether."""
        self._antenna = Antenna(name, ether, self, self._chip, self._run_alone)
        return self._antenna

    # What is on the outside.

    @property
    def uart(self) -> SerialLine:
        """The serial line to the computer: `send`, `receive`, `received`."""
        return self._chip.usb_line

    @property
    def pin_uart(self) -> SerialLine:
        """The serial line on pins, as after `uart.init(tx=pin1, rx=pin2)`."""
        return self._chip.pin_line

    def press(self, button: Button) -> None:
        """Press a button; it stays down until `release`."""
        self._pressed.add(self._known(button))
        self._hold_buttons()

    def _hold_buttons(self) -> None:
        held = sum(1 << bit for bit, name in enumerate(_BUTTONS) if name in self._pressed)
        self._call("hold")(held)

    def tap(self, button: Button, ms: float = 100) -> None:
        """Press a button, hold it for this long in device time, and release it."""
        self.press(button)
        self.run_for(ms * 1000)
        self.release(button)

    def release(self, button: Button) -> None:
        """Release a button. Raises `EmulatorError` for one that the board does not have."""
        self._pressed.discard(self._known(button))
        self._hold_buttons()

    def tilt(self, x_mg: int, y_mg: int, z_mg: int = -1000) -> None:
        """Set the acceleration that the accelerometer measures, in milli-g.

        Flat is (0, 0, -1000). With the right edge down, x > 0; with the pins down, y > 0.
        """
        self._call("set_tilt")(x_mg, y_mg, z_mg)

    def set_temperature(self, celsius: float) -> None:
        """Set the temperature that `temperature()` measures."""
        self._call("set_temperature")(celsius)

    def set_light(self, level: int) -> None:
        """Set the light on the display, from 0 to 255, for `display.read_light_level()`."""
        self._call("set_light")(level)

    def set_sound(self, level: int) -> None:
        """Set the loudness, from 0 to 244, for `microphone.sound_level()`."""
        self._call("set_sound")(level)

    def set_magnetic_field(self, x_nt: int, y_nt: int, z_nt: int) -> None:
        """Set the magnetic field, in nanotesla, along the axes of `compass.get_x()` and so on."""
        self._call("set_field")(x_nt, y_nt, z_nt)

    def set_voltage(self, pin: int, volts: float) -> None:
        """Put a voltage on a pin, from 0 to 3.3; 0 stands for `pin0`."""
        self._call("set_voltage")(self._on_edge(pin), volts)

    def _on_edge(self, pin: int) -> int:
        """The chip's number for a pin of the edge connector."""
        pins = EDGE_PINS[self.board]
        if pin not in range(len(pins)):
            raise EmulatorError(f"there is no pin {pin!r}; use 0 to {len(pins) - 1}")
        return pins[pin]

    def touch_logo(self, touched: bool) -> None:
        """Touch or release the logo. Raises `EmulatorError` on a V1, which cannot sense that."""
        if self.board == "V1":
            raise EmulatorError("a V1 has no touch logo; use a V2")
        self._call("touch_logo")(touched)

    def leds(self) -> bytes:
        """The 25 LEDs in reading order, each from 0 to 9, as the pins light them."""
        if not self._chip.status.has_power:
            return bytes(_LED_COUNT)
        at = self._call("led_levels")()
        return bytes(self._chip.core.memory[at : at + _LED_COUNT])

    @property
    def has_panicked(self) -> bool:
        """Whether the firmware has given up, and only shows the number of the reason."""
        return bool(self._chip.status.has_panicked)

    def pin(self, pin: int) -> PinState:
        """The state of a pin; 0 stands for `pin0`."""
        is_output, is_high, frequency, duty = self._results("pin_state", 4, self._on_edge(pin))
        return PinState(bool(is_output), bool(is_high), frequency, duty)

    def _results(self, name: str, count: int, *arguments: float) -> list[float]:
        """The floats that a function of the core has left in its memory."""
        at = self._call(name)(*arguments)
        return list((c_double * count).from_address(self._chip.core.base + at))

    def tone(self) -> Tone | None:
        """The current tone, and since when it is played; None for silence."""
        period, since = self._results("tone", 2)
        return Tone(self._per_us * 1e6 / period, int(since / self._per_us)) if period else None

    @staticmethod
    def _known(button: str) -> str:
        if button not in _BUTTONS:
            raise EmulatorError(f"there is no button {button!r}; use 'A' or 'B'")
        return button

    # Reset, power, flash.

    def reset(self) -> None:
        """Press and release the reset button: RAM is lost, flash stays."""
        self._check_power()
        self._call("reset")()
        self._chip.after_run()

    def power_cut(self) -> None:
        """Cut the power at this instruction. A write or erase of flash is then only partly done."""
        self._call("power_cut")()
        self.uart.clear()
        self.pin_uart.clear()
        self._chip.after_run()

    def power_on(self) -> None:
        """Switch it on, so that it starts from its flash. No effect if it has power."""
        self._call("power_on")()

    @property
    def flash_busy(self) -> str:
        """`"erase"` or `"write"` while flash is being erased or written, else an empty string."""
        return self._chip.busy

    def watch_flash(self, begins: Callable[[str, int, int, int], object]) -> None:
        """Call this whenever a write or an erase of flash begins, from now on.

        It is called with `"write"` or `"erase"`, the address, the size in bytes, and the duration
        in microseconds. An exception from it ends the run; another run continues from there.
        """
        self._chip.watch_flash(
            lambda kind, address, size, cycles: begins(
                kind, address, size, int(cycles / self._per_us)
            )
        )

    @property
    def flash(self) -> bytes:
        """The present content of the flash memory."""
        return bytes(self._chip.flash)

    @property
    def uicr(self) -> bytes:
        """The present content of the user information registers, which belong to the flash."""
        return bytes(self._chip.uicr[:UICR_SIZE])

    def my_data(self) -> bytes | None:
        """The data log, as in `MY_DATA.HTM` on the board's drive; None if there is none.

        Raises `EmulatorError` on a V1, which has no data log.
        """
        if self.board == "V1":
            raise EmulatorError("a V1 has no data log; use a V2")
        at, size = self._call("log_at")(), self._call("log_size")()
        return bytes(self._chip.core.memory[at : at + size]) if size >= 0 else None

    def snapshot(self) -> Snapshot:
        """Its present state; `restore()` of the result returns to it, as often as you like.

        Device time goes back too. So tests need not wait for the start again, which takes most of
        their time. Raises `EmulatorError` in an ether, which has its own snapshots.
        """
        if self._antenna is not None:
            raise EmulatorError("the micro:bit is in an ether; use the ether's snapshot")
        return Snapshot([self._chip], self.note_state())

    def note_state(self) -> Callable[[], None]:
        """Note what a snapshot holds beside the chip. Returns what puts it back."""
        reached, pressed = self._reached, set(self._pressed)

        def put_back() -> None:
            self._reached, self._pressed = reached, set(pressed)

        return put_back

    @property
    def debugger(self) -> Debugger:
        """The chip as a debugger sees it."""
        return Debugger(self._chip)

    @property
    def ram(self) -> bytes:
        """The present content of RAM."""
        return bytes(self._chip.ram)

    def __str__(self) -> str:
        """Its LEDs and its latest output, for people."""
        printed = self.uart.recent.decode(errors="replace").splitlines()[-_LINES:]
        shown = "\n".join(printed) or "nothing"
        if self.has_panicked:
            shown += "\nIt has panicked: its LEDs show the number of the reason."
        return (
            f"micro:bit {self.board} at {self.clock_us / 1000:,.1f} ms\n"
            f"{leds_as_text(self.leds())}\nThe last lines that it printed:\n{shown}"
        )


def run_in_real_time(step: Callable[[], int | None], speed: float = 1.0) -> None:
    """Call a step repeatedly, in real time or `speed` times as fast.

    A step runs a micro:bit for about `STEP_US`, and returns its device time in microseconds, or
    None to end.
    """
    start_us, start_s = 0.0, time.monotonic()
    while (clock_us := step()) is not None:
        paced_us, now_s = clock_us / speed, time.monotonic()
        ahead_us = (paced_us - start_us) - (now_s - start_s) * 1e6
        if ahead_us < -LATE_US:
            start_us, start_s = paced_us, now_s
        time.sleep(max(0.0, ahead_us / 1e6))
