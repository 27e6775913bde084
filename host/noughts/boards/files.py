"""Is it there? A running board and its files, over its serial line: all that we do with microfs.

microfs enters the raw REPL, which stops the game, and carries out commands there; `restart` starts
the game again. What microfs does not have is added here:

- A board that has just been switched on, or lost some bytes, is asked again, for a limited time.
- The board computes a checksum of each file, which takes much less time than reading it.
- A file is written, or many are removed, in one session. The board checks what it is to write
  before it writes, and the host checks what it answers.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeVar

import microfs
import serial

from microbit_emulator.firmware import V1, V2
from noughts.boards import clock
from noughts.boards.packing import MARK
from noughts.boards.ports import ERRORS
from noughts.boards.start import Start, gone, wait_for_start
from noughts.errors import BoardError

_Answer = TypeVar("_Answer")

_BLOCK = 64
_FACTOR = 0x1B873593_CC9E2D51
_PRIME = (1 << 61) - 31
_PIECE = 512  # bytes that are written by one command; V1 has no memory for 1,024

_ANSWER_S = 10.0
_TRIES = 3
_INTERRUPT_WAITS_S = (1.0, 1.0, 2.0, 4.0)
_LIMIT_S = 60.0
_CARRY_OUT_S = 0.5
"""A command is not to be interrupted that is just writing a file."""
_MAX_SIZE = 1 << 20
_RESET_OR_FLASH = (
    "reset it and run the same command again; if that fails too, repair it with `noughts flash`"
)
"""A power cut may have damaged the file system: no reset helps then."""

_DESCRIBE = "import os\nprint(repr(os.uname()[3] + '; ' + os.uname()[4]))\n"
_DESCRIBED = re.compile(
    r"micro:bit v([\w.-]{1,40})[^;]{0,80}; MicroPython v([\w.]{1,40})[^;]{0,80}; .{0,80}(nRF\d{5})"
)

# MicroPython's integers are as long as need be, so that the sum over a block is one step. Of files
# that are not ours the checksum is 0: a power cut may have left a length that leads beyond the file
# system, and a V1 that reads on there ends.
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
_OPEN = "f = open(n, 'wb')\n"
_WRITE = "print(f.write(b))\n"
_CLOSE = "print(f.close())\n"

_REMOVE = """\
import os
for m in n.split('/'):
 try:
  os.remove(m)
 except OSError:
  pass
print([m for m in os.listdir() if m in n.split('/')])
"""
_READ = """\
for m in n.split('/'):
 with open(m, 'rb') as f:
  print((m, f.read({})))
"""
_FORGET_LOG = """\
try:
 import log
 log.delete()
except ImportError:
 pass
print('forgotten')
"""


def checksum(content: bytes) -> int:
    """What the board computes: blocks of 64 bytes as digits of a number, modulo a prime."""
    value = 0
    for start in range(0, len(content), _BLOCK):
        value = (value * _FACTOR + _digest(content[start : start + _BLOCK])) % _PRIME
    return value


def _digest(piece: bytes) -> int:
    return int.from_bytes(piece, "little") % _PRIME


def _checked(name: str, piece: bytes) -> str:
    return _CHECK.format(piece, _digest(name.encode() + piece))


def writing(name: str, content: bytes) -> tuple[list[str], str]:
    """The commands that write a file, and what the board then prints, blanks made one.

    A command is carried out when all of it has arrived. So a short file, which takes one command,
    is open no longer than the board needs to write it.
    """
    pieces = [content[start : start + _PIECE] for start in range(0, len(content), _PIECE)] or [b""]
    commands = [_checked(name, piece) + _WRITE for piece in pieces]
    commands[0] = f"n = {name!r}\n{_checked(name, pieces[0])}{_OPEN}{_WRITE}"
    commands[-1] += _CLOSE
    return commands, " ".join([*(str(len(piece)) for piece in pieces), "None"])


def removing(names: Sequence[str]) -> tuple[list[str], str]:
    """The commands that remove files, if they are there, in this order, and what is printed."""
    return [_of_all(names) + _REMOVE], "[]"


def _of_all(names: Sequence[str]) -> str:
    listed = "/".join(names)
    return f"n = {listed!r}\n{_checked(listed, b'')}"


class Description(NamedTuple):
    """What runs on a board: its kind (`V1` or `V2`), its firmware's version, MicroPython's."""

    kind: str
    firmware: str
    micropython: str


def _description(out: bytes) -> Description:
    found = _DESCRIBED.fullmatch(_literals(out)[0])
    if found is None:
        raise ValueError
    return Description(_kind(found[3]), found[1], found[2])


def _kind(machine: str) -> str:
    return V1 if "nRF51" in machine else V2


@dataclass(frozen=True)
class BoardFile:
    """What the board reports about one of its files."""

    size: int
    """Bytes; of a file that was never finished, it may be anything."""
    checksum: int
    """Of one of ours, else 0."""
    start: bytes
    """Its first bytes, as many as `MARK` has."""

    @property
    def ours(self) -> bool:
        """Whether it is one of ours, and not empty."""
        return self.start == MARK

    def holds(self, content: bytes) -> bool:
        """Whether it has this content, by its size and checksum."""
        return (self.size, self.checksum) == (len(content), checksum(content))


def _surveyed(out: bytes) -> tuple[str, dict[str, BoardFile]]:
    machine, *lines = _literals(out)
    files = {}
    for name, size, value, start in lines:
        if [type(each) for each in (name, size, value, start)] != [str, int, int, bytes]:
            raise ValueError
        # A damaged file may have any size.
        files[name] = BoardFile(min(max(size, 0), _MAX_SIZE), value, start)
    return _kind(machine), files


def _literals(out: bytes) -> list[Any]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # they would quote it to the terminal
        return [ast.literal_eval(line) for line in out.decode().splitlines()]


class _Line:
    """The port as microfs uses it, for a limited time.

    microfs waits for silence, and some programs never stop talking.
    """

    def __init__(self, port: serial.SerialBase) -> None:
        self._port = port
        self._end_s = clock.monotonic() + _LIMIT_S

    def __getattr__(self, name: str) -> object:
        if clock.monotonic() > self._end_s:
            raise TimeoutError("it never stops talking")
        return getattr(self._port, name)


class _RefusedError(ValueError):
    """The board raised an exception instead of an answer; its text is that, in one line."""


# What microfs and literal_eval raise over an answer that makes no sense.
_NONSENSE = (
    ValueError,
    TypeError,
    SyntaxError,
    IndexError,
    AssertionError,
    RecursionError,
    MemoryError,
)


class BoardFiles:
    """The files of the board on an open port, whose timeout is set here.

    Every method raises `BoardError` when the board does not answer, or not as it should.
    """

    def __init__(self, port: serial.SerialBase) -> None:
        self._port = port

    def describe(self, patient: bool = True) -> Description:
        """What runs on the board. patient: wait for one that has just been switched on."""
        return self._ask("name its firmware", [_DESCRIBE], _description, patient)

    def survey(self, patient: bool = True) -> tuple[str, dict[str, BoardFile]]:
        """The board's kind, `V1` or `V2`, and its files by name; patient: as in `describe`."""
        return self._ask("list its files", [_SURVEY], _surveyed, patient)

    def read(self, names: Sequence[str], size: int) -> dict[str, bytes]:
        """The first bytes of files, so many at most."""

        def contents(out: bytes) -> dict[str, bytes]:
            files = dict(_literals(out))
            if sorted(files) != sorted(names):
                raise ValueError
            return files

        commands = [_of_all(names) + _READ.format(size)]
        return self._ask("show the games that it has stored", commands, contents)

    def send(self, name: str, content: bytes) -> None:
        """Write a file to the board."""
        self._carry_out(f"take {name}", *writing(name, content))

    def remove(self, names: Sequence[str]) -> None:
        """Remove files in this order, skipping those that are not there."""
        self._carry_out(f"remove {', '.join(names)}", *removing(names))

    def forget_log(self) -> None:
        """Empty a V2's data log, where the firmware has one."""
        self._carry_out("empty its data log", [_FORGET_LOG], "forgotten")

    def go_on(self) -> None:
        """Restart the board: out of the raw REPL, and a soft reset."""
        try:
            self._port.write(b"\x02\x04")
        except ERRORS as error:
            raise gone(self._port) from error

    def restart(self) -> Start:
        """Restart the board, and return what it says then."""
        self.go_on()
        return wait_for_start(self._port)

    @contextmanager
    def stopped(self) -> Iterator[None]:
        """Whatever becomes of the talk with the board: it does not stay stopped for that."""
        try:
            yield
        except BaseException:
            with suppress(Exception):  # the first failure is the one to report
                clock.sleep(_CARRY_OUT_S)
                self._port.write(b"\x03\x02\x04")  # the line so far is no command
            raise

    def _carry_out(self, what: str, commands: list[str], printed: str) -> None:
        def check(out: bytes) -> None:
            if out.split() != printed.encode().split():
                raise ValueError

        self._ask(what, commands, check)

    def _ask(
        self,
        what: str,
        commands: list[str],
        read: Callable[[bytes], _Answer],
        patient: bool | None = None,
    ) -> _Answer:
        """What is read from the board's answer; it is asked again, if bytes were lost."""
        name = self._port.port
        try:
            if patient is not None:
                self._stop(_INTERRUPT_WAITS_S if patient else _INTERRUPT_WAITS_S[:2])
            self._port.timeout = _ANSWER_S
            for _ in range(_TRIES - 1):
                with suppress(*_NONSENSE):
                    return self._answer(commands, read)
            return self._answer(commands, read)
        except _RefusedError as error:
            raise BoardError(f"the board could not {what} ({error}); {_RESET_OR_FLASH}") from error
        except _NONSENSE as error:
            raise BoardError(
                f"the board on {name} gave no sensible answer when asked to {what}; "
                + _RESET_OR_FLASH
            ) from error
        except ERRORS as error:
            if isinstance(error, TimeoutError) or "raw REPL" in str(error):
                raise BoardError(
                    f"the device on {name} does not answer like MicroPython; "
                    "press its reset button and try again, or flash it with `noughts flash`"
                ) from error
            raise gone(self._port) from error

    def _answer(self, commands: list[str], read: Callable[[bytes], _Answer]) -> _Answer:
        out, err = microfs.execute(commands, _Line(self._port))
        if err:
            raise _RefusedError(" ".join(microfs.clean_error(err).split()))
        return read(out)

    def _stop(self, waits_s: Sequence[float]) -> object:
        """Enter the raw REPL; a board does not listen until its program runs."""
        left_s = list(waits_s)
        while True:
            self._port.timeout = left_s.pop(0)
            try:
                return microfs.raw_on(_Line(self._port))
            except OSError as error:
                if not left_s or "raw REPL" not in str(error):
                    raise


def same(board: Mapping[str, BoardFile], files: Mapping[str, bytes]) -> set[str]:
    """The names of the files that the board has with the same content."""
    return {name for name in files if name in board and board[name].holds(files[name])}
