"""MicroPython on an emulated micro:bit: the official firmwares and their REPL."""

import hashlib
from collections.abc import Callable
from functools import cache

import micropython_microbit_fs
import pytest
import uflash
from _pytest.mark import ParameterSet

from microbit_emulator import Microbit, Snapshot

FIRMWARES = "V1 1.1.1", "V1 1.0.1", "V2 2.1.2", "V2 2.0.0-beta.5"
NEWEST = "V1 1.1.1", "V2 2.1.2"
PROMPT = b">>> "
CTRL_A, CTRL_B, CTRL_C, CTRL_D = b"\x01", b"\x02", b"\x03", b"\x04"

EACH_BOARD = pytest.mark.parametrize("board", ["V1", "V2"])


def long(*values: object) -> ParameterSet:
    """Parameters of a slow case, which runs only with `-m long`."""
    return pytest.param(*values, marks=pytest.mark.long)


def each_firmware() -> list[object]:
    """All firmwares; the older ones are slow cases."""
    return [name if name in NEWEST else long(name) for name in FIRMWARES]


@cache
def firmware(name: str) -> str:
    """The text of a firmware's hex."""
    board, release = name.split()
    universal_hex = micropython_microbit_fs.get_bundled_hex(int(board[1]))
    return universal_hex.content if universal_hex.version == release else uflash._RUNTIME


@cache
def _booted(name: str) -> tuple[bytes, bytes]:
    """Flash and UICR of a firmware after its first start, which sets some of both."""
    board = Microbit(name.split()[0], firmware(name))
    wait_for(board, PROMPT)
    return board.flash, board.uicr


def boot(name: str) -> Microbit:
    """The micro:bit with this firmware, at its REPL's prompt: a shared one, restored each time."""
    board, at_prompt = _at_prompt(name)
    at_prompt.restore()
    return board


@cache
def _at_prompt(name: str) -> tuple[Microbit, Snapshot]:
    board = another(name)
    return board, board.snapshot()


def another(name: str, seed: int = 0) -> Microbit:
    """A new micro:bit with this firmware, at its REPL's prompt."""
    flash, uicr = _booted(name)
    board = Microbit(name.split()[0], flash=flash, uicr=uicr, seed=seed)
    board.reset()  # without power-on's wait for the interface chip, a second on V2
    wait_for(board, PROMPT)
    board.uart.receive()
    return board


def wait_for(board: Microbit, text: bytes, timeout_us: int = 5_000_000) -> bytes:
    """Run until this text has arrived; returns everything since it was last read."""
    came = board.run_until(lambda: text in board.uart.received, timeout_us)
    assert came, f"waited for {text!r}, got {bytes(board.uart.received)!r}"
    return board.uart.receive()


def ask(board: Microbit, line: str, timeout_us: int = 5_000_000) -> str:
    """What the REPL prints for a line typed at its prompt."""
    board.uart.receive()
    board.uart.send(line.encode() + b"\r")
    answer = wait_for(board, b"\r\n" + PROMPT, timeout_us).decode()
    return answer.partition("\r\n")[2].removesuffix("\r\n" + PROMPT.decode())


def run(board: Microbit, code: str, timeout_us: int = 5_000_000) -> tuple[str, str]:
    """Run code in the raw REPL; returns what it prints, and the traceback that ends it, if any."""
    board.uart.send(CTRL_A)
    wait_for(board, b"raw REPL; CTRL-B to exit\r\n>")
    board.uart.send(code.encode() + CTRL_D)
    board.run_until(lambda: board.uart.received.count(CTRL_D) == 2, timeout_us)
    answer = board.uart.receive()
    assert answer.startswith(b"OK") and answer.count(CTRL_D) == 2, f"{code!r}: {answer!r}"
    board.uart.send(CTRL_B)
    wait_for(board, PROMPT)
    printed, error, _ = answer[2:].split(CTRL_D)
    return printed.decode(), error.decode()


# Inputs that use most of what a board has, each at its time in microseconds.
PROGRAM = (
    b"from microbit import *\r"
    b"for i in range(99): display.set_pixel(i % 5, i % 3, i % 10); "
    b"print(accelerometer.get_x(), button_a.get_presses()); sleep(3)\r\r"
)
INPUTS: list[tuple[int, Callable[[Microbit], object]]] = [
    (1_000, lambda board: board.uart.send(PROGRAM)),
    (70_077, lambda board: board.press("A")),
    (160_003, lambda board: board.release("A")),
    (190_000, lambda board: board.tilt(300, -200)),
    (260_001, lambda board: board.uart.send(b"open('a', 'w').write('x' * 200)\r")),
    (300_000, lambda board: board.uart.send(b"\x03")),
    (330_000, lambda board: board.uart.send(b"open('b', 'w').write('y' * 200)\r")),
]
END_US = 400_000


def trace(board: Microbit) -> tuple[object, ...]:
    """What a board has sent and done, and what it holds."""
    ram = hashlib.sha256(board.ram).hexdigest()
    flash = hashlib.sha256(board.flash).hexdigest()
    return bytes(board.uart.received), board.instructions, ram, flash, board.leds()
