"""The files of a running board, over its serial line: all our use of microfs.

microfs enters the raw REPL, which stops the game. Its own file commands reset the board for each
file and check nothing. Here, one session does everything until the game starts again:

- A board that has just been switched on, or has lost some bytes, is asked again a few times.
- The board computes a checksum of each file, which is much quicker than sending it.
- The board checks the data before it writes, and the host checks the answer.
"""

import ast
import re
import warnings
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, TypeVar

import microfs
import serial

from microbit_emulator.firmware import V1, V2
from noughts.boards import clock
from noughts.boards.packing import MARK
from noughts.boards.ports import ERRORS
from noughts.boards.start import gone
from noughts.errors import BoardError

_Answer = TypeVar("_Answer")

_BLOCK = 64
_FACTOR = 0x1B873593_CC9E2D51
_PRIME = (1 << 61) - 31
_PIECE = 512  # bytes that are written by one command; V1 has no memory for 1,024

_ANSWER_S = 10.0
_TRIES = 3
_INTERRUPT_WAITS_S = (1.0, 1.0, 2.0, 4.0)
"""A board that has just been switched on ignores this until its program runs."""
_CARRY_OUT_S = 0.5
"""So as not to interrupt a command that is just writing a file."""
_MAX_SIZE = 1 << 20

_DESCRIBE = "import os\nprint(repr(os.uname()[3] + '; ' + os.uname()[4]))\n"
_DESCRIBED = re.compile(
    r"micro:bit v([\w.-]{1,40})[^;]{0,80}; MicroPython v([\w.]{1,40})[^;]{0,80}; .{0,80}(nRF\d{5})"
)

# MicroPython's integers have any length, so one step sums up a whole block. For files that are not
# ours, the checksum is 0: after a power cut, a file's length may lead beyond the file system, where
# reading crashes a V1.
_SURVEY = f"""\
import os
print(repr(os.uname()[4]))
def c(n):
 f = open(n, 'rb')
 b = f.read({_BLOCK})
 a = b[:{len(MARK)}]
 h = 0
 while b and a == {MARK!r}:
  h = (h * {_FACTOR} + int.from_bytes(b, 'little')) % {_PRIME}
  b = f.read({_BLOCK})
 f.close()
 return h, a
for n in os.listdir():
 print((n, os.size(n)) + c(n))
"""

_CHECK = f"""\
b = {{!r}}
if int.from_bytes(bytes(n, 'utf-8') + b, 'little') % {_PRIME} != {{}}:
 raise ValueError('lost bytes')
"""
_WRITE = "print(f.write(b))\n"

_REMOVE = """\
import os
for m in n.split('/'):
 try:
  os.remove(m)
 except OSError:
  pass
print([m for m in os.listdir() if m in n.split('/')])
"""
_FORGET_LOG = """\
try:
 import log
 log.delete()
except ImportError:
 pass
print(None)
"""


def checksum(content: bytes) -> int:
    """The checksum that a board computes: 64-byte blocks as digits of a number, modulo a prime."""
    value = 0
    for start in range(0, len(content), _BLOCK):
        block = content[start : start + _BLOCK]
        value = (value * _FACTOR + int.from_bytes(block, "little")) % _PRIME
    return value


def _checked(name: str, piece: bytes) -> str:
    """Code that the board runs first; it raises an error if bytes of a command were lost."""
    return _CHECK.format(piece, int.from_bytes(name.encode() + piece, "little") % _PRIME)


def _kind(machine: str) -> str:
    return V1 if "nRF51" in machine else V2


@dataclass(frozen=True)
class BoardFile:
    """A file, as the board reports it."""

    size: int
    """In bytes; it may be wrong if the file was never finished."""
    checksum: int
    """0 if it is not ours."""
    start: bytes
    """As many bytes as `MARK` has."""

    @property
    def ours(self) -> bool:
        """Whether it is one of ours, and not empty."""
        return self.start == MARK

    def holds(self, content: bytes) -> bool:
        """Whether it has this content, by its size and checksum."""
        return (self.size, self.checksum) == (len(content), checksum(content))


def _described(printed: list[Any]) -> tuple[str, str, str]:
    found = _DESCRIBED.fullmatch(printed[0])
    if found is None:
        raise ValueError
    return _kind(found[3]), found[1], found[2]


def _surveyed(printed: list[Any]) -> tuple[str, dict[str, BoardFile]]:
    machine, *lines = printed
    files = {}
    for name, size, value, start in lines:
        if [type(each) for each in (name, size, value, start)] != [str, int, int, bytes]:
            raise ValueError
        # A damaged file may report any size.
        files[name] = BoardFile(min(max(size, 0), _MAX_SIZE), value, start)
    return _kind(machine), files


def _literals(out: bytes) -> list[Any]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # they would quote it to the terminal
        return [ast.literal_eval(line) for line in out.decode().splitlines()]


class _RefusedError(Exception):
    """The board raised an exception, which is this one's text, in one line."""


# Raised by literal_eval, or by unpacking, for an answer that makes no sense.
_NONSENSE = (ValueError, TypeError, SyntaxError, IndexError, RecursionError, MemoryError)


class BoardFiles(AbstractContextManager["BoardFiles"]):
    """The files of the board on an open port, whose timeout is set here.

    At the end, the board's program always starts again. Every method raises `BoardError` if the
    board does not answer as it should.
    """

    def __init__(self, port: serial.SerialBase) -> None:
        self._port = port
        self._listens = False

    def __exit__(self, failed: type[BaseException] | None, *_: object) -> None:
        try:
            if failed is not None:
                clock.sleep(_CARRY_OUT_S)
                self._port.write(b"\x03")  # discard an unfinished command
            self._port.write(b"\x02\x04")  # out of the raw REPL, and a soft reset
        except ERRORS as error:
            if failed is None:  # the first failure is the one to report
                raise gone(self._port) from error

    def describe(self) -> tuple[str, str, str]:
        """The board's kind (`V1` or `V2`), its firmware's version, and MicroPython's."""
        return self._ask("name its firmware", [_DESCRIBE], _described)

    def survey(self) -> tuple[str, dict[str, BoardFile]]:
        """The board's kind, `V1` or `V2`, and its files by name."""
        return self._ask("list its files", [_SURVEY], _surveyed)

    def send(self, name: str, content: bytes) -> None:
        """Write a file. A short one takes one command, so it is open only while it is written."""
        pieces = [content[start : start + _PIECE] for start in range(0, len(content), _PIECE)]
        pieces = pieces or [b""]
        commands = [_checked(name, piece) + _WRITE for piece in pieces]
        commands[0] = f"n = {name!r}\n{_checked(name, pieces[0])}f = open(n, 'wb')\n{_WRITE}"
        commands[-1] += "print(f.close())\n"
        self._carry_out(f"take {name}", commands, [*map(len, pieces), None])

    def remove(self, names: Sequence[str]) -> None:
        """Remove files in this order, skipping those that are not there."""
        listed = "/".join(names)
        commands = [f"n = {listed!r}\n{_checked(listed, b'')}{_REMOVE}"]
        self._carry_out(f"remove {', '.join(names)}", commands, [[]])

    def forget_log(self) -> None:
        """Empty a V2's data log, where the firmware has one."""
        self._carry_out("empty its data log", [_FORGET_LOG], [None])

    def _carry_out(self, what: str, commands: list[str], printed: list[object]) -> None:
        def check(answer: list[Any]) -> None:
            if answer != printed:
                raise ValueError

        self._ask(what, commands, check)

    def _ask(self, what: str, commands: list[str], read: Callable[[list[Any]], _Answer]) -> _Answer:
        """The result of `read` for what the board prints; it is asked again if bytes were lost."""
        reason = ""
        for _ in range(_TRIES):
            try:
                if not self._listens:
                    self._interrupt()
                self._listens = False  # a failure ends the session
                answer = read(_literals(b"".join(map(self._execute, commands))))
                self._listens = True
                return answer
            except _RefusedError as error:
                reason = str(error)
            except _NONSENSE:
                reason = "its answer makes no sense"
            except ERRORS as error:
                raise gone(self._port) from error
        # If a power cut has damaged the file system, a reset does not help.
        raise BoardError(
            f"the board on {self._port.port} could not {what} ({reason}); reset it and run the "
            "same command again; if that fails too, repair it with `noughts flash`"
        )

    def _interrupt(self) -> None:
        """Enter the raw REPL."""
        for wait_s in _INTERRUPT_WAITS_S:
            self._port.timeout = wait_s
            try:
                microfs.raw_on(self._port)
            except OSError as error:
                if "raw REPL" not in str(error):
                    raise
            else:
                self._port.timeout = _ANSWER_S
                clock.sleep(0.1)
                return
        raise BoardError(
            f"the device on {self._port.port} does not answer like MicroPython; "
            "press its reset button and try again, or flash it with `noughts flash`"
        )

    def _execute(self, command: str) -> bytes:
        """Run a command, and return what it prints. It is sent slowly, as microfs does."""
        data = command.encode()
        for start in range(0, len(data), 32):
            self._port.write(data[start : start + 32])
            clock.sleep(0.01)
        self._port.write(b"\x04")
        out, error = self._port.read_until(b"\x04>")[2:-2].split(b"\x04", 1)
        if error:
            raise _RefusedError(" ".join(microfs.clean_error(error).split()))
        return bytes(out)
