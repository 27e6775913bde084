"""The command `microbit-emulator`, which runs a program on an emulated micro:bit."""

import argparse
import os
import re
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

from microbit_emulator import EmulatorError, Microbit, leds_as_text, run_in_real_time, start
from microbit_emulator.errors import ProgramError
from microbit_emulator.microbit import STEP_US
from microbit_emulator.pictures import Film, check_path

_TAP_US, _FRAME_US = 100_000, 20_000
_TRACEBACK = re.compile(
    rb"Traceback \(most recent call last\):\r\n(?: .*\r\n)+.*\r\n(?:MicroPython v|\Z)"
)
"""The program has ended with one of these: nothing follows, or the prompt's banner."""
_UNITS_US = {"us": 1, "ms": 1_000, "s": 1_000_000, "m": 60_000_000}

_HELD = {
    "press": ("A@1s", "press a button for 0.1 s, or as long as A@1s-3s says"),
    "touch-logo": ("@1s", "touch the logo in the same way"),
}
"""Options for inputs that last some time: their form, and their help."""
_NUMBERS: dict[str, tuple[str, str, Callable[..., object], tuple[type, ...]]] = {
    "tilt": ("X,Y@2s", "tilt it, in thousandths of g", Microbit.tilt, (int, int)),
    "temperature": ("C", "in degrees Celsius", Microbit.set_temperature, (float,)),
    "light": ("LEVEL", "0 to 255", Microbit.set_light, (int,)),
    "sound": ("LEVEL", "0 to 244", Microbit.set_sound, (int,)),
    "field": ("X,Y,Z", "magnetic, in nanotesla", Microbit.set_magnetic_field, (int, int, int)),
    "voltage": ("PIN,VOLTS", "at a pin", Microbit.set_voltage, (int, float)),
}
"""Options with numbers, and what they set."""


def main(words: list[str] | None = None) -> int:
    """Run the command; returns its exit status."""
    parser = argparse.ArgumentParser(
        prog="microbit-emulator",
        description="Run a program on an emulated micro:bit, with the official firmware.",
    )
    run = parser.add_subparsers(required=True, metavar="run").add_parser(
        "run",
        help="run a program, then show what it printed and its LEDs",
        description="Run a program in device time, as fast as possible; then show the LEDs. "
        "Inputs come at a time after the program's start: 400,0@2s, or 30@500ms; without @, at "
        "once. Status 1 where the program ended in a traceback.",
    )
    add = run.add_argument
    add("program", help="a Python file, a folder with main.py, or a hex file")
    add("--board", choices=("v1", "v2"), default="v2", help="default: v2")
    add("--for", dest="us", type=_us, default=_us("3s"), metavar="TIME", help="default: 3s")
    add("--hex", metavar="FILE", help="MicroPython to run it on, in place of the official one")
    add("--seed", type=int, default=0, help="what decides all that is random (default: 0)")
    add("--clock-error", type=float, default=0.0, metavar="SHARE", help="how slow its clock is")
    for name, (metavar, text, *_) in (_HELD | _NUMBERS).items():
        named: dict[str, Any] = {"type": partial(_inputs, name), "metavar": metavar, "help": text}
        add(f"--{name}", dest="inputs", action="append", default=[], **named)
    add("--gif", metavar="FILE", help="film the LEDs (needs Pillow)")
    add("--png", metavar="FILE", help="take a picture of the LEDs at the end (needs Pillow)")
    add("--pty", action="store_true", help="in step with real time, behind a serial port")
    options = parser.parse_args(words)
    try:
        status = _run(options)
        sys.stdout.flush()
        return status
    except EmulatorError as error:
        print(f"microbit-emulator: {error}", file=sys.stderr)
    except BrokenPipeError:  # the reader of our output has closed it; Python flushes it at its end
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 1


def _run(options: argparse.Namespace) -> int:
    pictures = [Path(path) for path in (options.gif, options.png) if path]
    for path in pictures:
        check_path(path)
    board = start(
        options.board.upper(),
        options.program,
        hex=options.hex,
        seed=options.seed,
        clock_error=options.clock_error,
    )
    begin_us = board.clock_us
    for at_us, action in chain(*options.inputs):
        board.at(begin_us + at_us, partial(action, board))
    if options.pty:
        return _serve(board)
    film, printed = Film(), bytearray()
    while board.clock_us < begin_us + options.us:
        board.run_for(min(_FRAME_US, begin_us + options.us - board.clock_us))
        film.add(board.leds(), _FRAME_US)
        printed += board.uart.receive()
    sys.stdout.write(printed.decode(errors="replace").replace("\r\n", "\n"))
    print(f"\n{leds_as_text(board.leds())}")
    for path, save in ((options.gif, film.save_gif), (options.png, film.save_png)):
        if path:
            save(Path(path))
    return 1 if _TRACEBACK.search(printed) else 0


def _serve(board: Microbit) -> int:
    """Connect the serial line to a pseudo-terminal, until Ctrl-C."""
    try:
        import tty
    except ImportError as error:
        raise ProgramError("--pty needs Linux or macOS; leave it out here") from error
    here, there = os.openpty()
    tty.setraw(there)
    os.set_blocking(here, False)
    print(f"The micro:bit is at {os.ttyname(there)}; Ctrl-C ends it.", flush=True)

    def step() -> int:
        with suppress(BlockingIOError):  # nothing has come
            board.uart.send(os.read(here, 4096))
        board.run_for(STEP_US)
        with suppress(BlockingIOError):  # nobody reads
            os.write(here, board.uart.receive())
        return board.clock_us

    with suppress(KeyboardInterrupt):
        run_in_real_time(step)
    return 0


def _us(text: str) -> int:
    """The microseconds of a time such as `1.5s` or `20ms`."""
    match = re.fullmatch(r"(\d+\.?\d*|\.\d+)(us|ms|s|m)", text, re.ASCII)
    if not match:
        raise argparse.ArgumentTypeError(f"{text!r} is not a time; use one such as 1.5s or 20ms")
    return round(float(match[1]) * _UNITS_US[match[2]])


def _inputs(name: str, text: str) -> list[tuple[int, Callable[[Microbit], object]]]:
    """The actions of `VALUE`, `VALUE@TIME` or `VALUE@FROM-TO`, with their times."""
    value, _, times = text.partition("@")
    first, _, last = times.partition("-")
    from_us = _us(first) if first else 0
    to_us = _us(last) if last else from_us + _TAP_US
    if name == "press":
        return [(from_us, lambda it: it.press(value)), (to_us, lambda it: it.release(value))]
    if name == "touch-logo":
        return [(from_us, lambda it: it.touch_logo(True)), (to_us, lambda it: it.touch_logo(False))]
    form, _, method, types = _NUMBERS[name]
    try:
        numbers = [kind(part) for kind, part in zip(types, value.split(","), strict=True)]
    except ValueError as error:
        wanted = form.partition("@")[0]
        raise argparse.ArgumentTypeError(f"{value!r} is not {wanted}; write numbers") from error
    return [(from_us, lambda it: method(it, *numbers))]


if __name__ == "__main__":
    sys.exit(main())
