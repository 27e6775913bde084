"""The files of a running board, over its serial line: all our use of microfs.

microfs enters the raw REPL, which stops the game. Its own file commands reset the board for each
file and check nothing. Here, one session does everything until the game starts again. The board
checks the data before it writes, and computes a checksum of each file, which is much quicker than
sending it. A failed command is not repeated: `noughts put`, run again, sends what is missing.
"""

import ast
import re
from collections.abc import Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass

import microfs
import serial

from microbit_emulator.firmware import V1, V2
from noughts.boards import clock
from noughts.boards.packing import MARK
from noughts.boards.ports import ERRORS, gone
from noughts.boards.timeouts import ANSWER_S, CARRY_OUT_S, INTERRUPT_WAITS_S
from noughts.errors import BoardError

_BLOCK = 64
_FACTOR = 0x1B873593_CC9E2D51
_PRIME = (1 << 61) - 31
_PIECE = 512  # bytes that are written by one command; V1 has no memory for 1,024

_ANSWER = re.compile(rb"OK(.*)\x04(.*)\x04>", re.DOTALL)
"""What the raw REPL sends for a command: what it prints, and its traceback."""

_DESCRIBE = "import os\nprint(os.uname()[3], os.uname()[4])\n"
_DESCRIBED = re.compile(r"micro:bit v([\w.-]+)[^;]*; MicroPython v([\w.]+).* with (nRF5\d+)\s*")
_OTHER_PYTHON = re.compile(r"[ -~]{1,120} with [\w-]{1,20}\s*")
"""What another MicroPython gives: its version, then `board with chip`."""

# MicroPython's integers have any length, so one step sums up a whole block. For files that are not
# ours, the checksum is 0: after a power cut, a file's length may lead beyond the file system, where
# reading crashes a V1.
_SURVEY = f"""\
import os
for n in os.listdir():
 f = open(n, 'rb')
 a = b = f.read({_BLOCK})
 h = 0
 while b and a[:{len(MARK)}] == {MARK!r}:
  h = (h * {_FACTOR} + int.from_bytes(b, 'little')) % {_PRIME}
  b = f.read({_BLOCK})
 f.close()
 s = os.size(n)
 a = a[:{_BLOCK} if s < {_BLOCK} else {len(MARK)}]
 print(s, h, '%x' % int.from_bytes(b'\\x01' + a, 'big'), repr(n))
"""
_SURVEYED = re.compile(r"(\d{1,7}) (\d{1,19}) 1((?:[0-9a-f]{2})*) (['\"].*['\"])")

_CHECKED = f"""\
n = {{name!r}}
b = {{piece!r}}
if int.from_bytes(bytes(n, 'utf-8') + b, 'little') % {_PRIME} != {{checksum}}:
 raise ValueError('lost bytes')
"""
_REMOVE = """\
import os
for m in n.split('/'):
 os.remove(m)
"""
_FORGET_LOG = """\
try:
 import log
 log.delete()
except ImportError:
 pass
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
    checksum = int.from_bytes(name.encode() + piece, "little") % _PRIME
    return _CHECKED.format(name=name, piece=piece, checksum=checksum)


def _name_in(literal: str) -> str | None:
    """The name of a file, which a board has printed as a Python literal."""
    with suppress(SyntaxError, ValueError):
        name = ast.literal_eval(literal)
        if isinstance(name, str):
            return name
    return None


@dataclass(frozen=True)
class BoardFile:
    """A file, as the board reports it."""

    size: int
    """In bytes; it may be wrong if the file was never finished."""
    checksum: int
    """0 if it is not ours."""
    start: bytes
    """As many bytes as `MARK` has; all of a file of less than 64 bytes."""

    @property
    def ours(self) -> bool:
        """Whether it is one of ours, and not empty."""
        return self.start.startswith(MARK)

    def holds(self, content: bytes) -> bool:
        """Whether it has this content, by its size and checksum."""
        return (self.size, self.checksum) == (len(content), checksum(content))


class BoardFiles(AbstractContextManager["BoardFiles"]):
    """The files of the board on an open port, whose timeout is set here.

    At the end, the board's program always starts again. Every method raises `BoardError` if the
    board does not answer as it should.
    """

    def __init__(self, port: serial.SerialBase) -> None:
        self._port = port
        self._listens = False

    def __exit__(self, failed: type[BaseException] | None, *_: object) -> None:
        if failed is not None:
            clock.sleep(CARRY_OUT_S)
        with suppress(*ERRORS):  # waiting for the start, or the first failure, reports it
            # Discard an unfinished command, leave the raw REPL, and reset.
            self._port.write(b"\x03\x02\x04")

    def describe(self) -> tuple[str, str, str]:
        """The board's model (`V1` or `V2`), its firmware's version, and MicroPython's."""
        action = "name its firmware"
        answer = self._run(action, _DESCRIBE)
        match = _DESCRIBED.fullmatch(answer)
        if match is None and _OTHER_PYTHON.fullmatch(answer):
            raise self._other_firmware(answer.strip())
        if match is None:
            raise self._failed(action)
        return V1 if match[3].startswith("nRF51") else V2, match[1], match[2]

    def survey(self) -> dict[str, BoardFile]:
        """All files on the board, by name."""
        action, files = "list its files", {}
        for listed_file in self._run(action, _SURVEY).splitlines():
            match = _SURVEYED.fullmatch(listed_file)
            name = _name_in(match[4]) if match else None
            if match is None or name is None:
                raise self._failed(action)
            files[name] = BoardFile(int(match[1]), int(match[2]), bytes.fromhex(match[3]))
        return files

    def send(self, name: str, content: bytes) -> None:
        """Write a file. A short one takes one command, so it is open only while it is written."""
        commands = []
        for start in range(0, max(1, len(content)), _PIECE):
            opened = "f = open(n, 'wb')\n" if start == 0 else ""
            piece = content[start : start + _PIECE]
            commands.append(_checked(name, piece) + opened + "f.write(b)\n")
        commands[-1] += "f.close()\n"
        self._run(f"store {name}", *commands)

    def remove(self, names: Sequence[str]) -> None:
        """Remove files in this order."""
        self._run(f"remove {', '.join(names)}", _checked("/".join(names), b"") + _REMOVE)

    def forget_log(self) -> None:
        """Empty a V2's data log, where the firmware has one."""
        self._run("empty its data log", _FORGET_LOG)

    def _run(self, action: str, *commands: str) -> str:
        """Run commands on the board, and return what they print."""
        printed = b""
        try:
            if not self._listens:
                self._interrupt()
            for command in commands:
                match = _ANSWER.fullmatch(self._execute(command))
                if match is None or match[2]:
                    raise self._failed(action, match[2] if match else b"")
                printed += match[1]
        except ERRORS as error:
            raise gone(self._port) from error
        return printed.decode(errors="replace")

    def _other_firmware(self, described: str) -> BoardError:
        """The error for a board whose Python is not the official one for micro:bits."""
        advice = "choose another port with --port"
        if "micro:bit" in described:
            advice = "install the game with its firmware: `noughts flash`"
        return BoardError(
            f"the board on {self._port.port} does not run MicroPython for the micro:bit, but "
            f"{described}; {advice}"
        )

    def _failed(self, action: str, raised: bytes = b"") -> BoardError:
        """The error for a command that failed; raised: the board's traceback."""
        *_, reason = raised.decode(errors="replace").splitlines() or ["its answer makes no sense"]
        # If a power cut has damaged the file system, a reset does not help.
        return BoardError(
            f"the board on {self._port.port} could not {action} ({reason}); reset it and run the "
            "same command again; if that fails too, repair it with `noughts flash`"
        )

    def _interrupt(self) -> None:
        """Enter the raw REPL."""
        for wait_s in INTERRUPT_WAITS_S:
            self._port.timeout = wait_s
            try:
                microfs.raw_on(self._port)
            except OSError as error:
                if "raw REPL" not in str(error):
                    raise
            else:
                self._port.timeout = ANSWER_S
                self._listens = True
                clock.sleep(0.1)
                return
        raise BoardError(
            f"the device on {self._port.port} does not answer like MicroPython; "
            "press its reset button and try again, or flash it with `noughts flash`"
        )

    def _execute(self, command: str) -> bytes:
        """Run a command, and return the answer. It is sent slowly, as microfs does."""
        data = command.encode()
        for start in range(0, len(data), 32):
            self._port.write(data[start : start + 32])
            clock.sleep(0.01)
        self._port.write(b"\x04")
        answer: bytes = self._port.read_until(b"\x04>")
        return answer
