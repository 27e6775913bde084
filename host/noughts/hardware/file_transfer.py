"""The files on a running board, over its serial line with microfs.

What is there is told by a checksum that the board computes, which is much quicker than reading the
files back. microfs interrupts whatever runs, so that the game stops; `restart` starts it again.
"""

from __future__ import annotations

import ast
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TypeVar

import microfs
import serial

from noughts.device_files import MARK
from noughts.errors import BoardError
from noughts.hardware import clock
from noughts.hardware.boot import Start, gone, wait_for_start
from noughts.hardware.file_commands import (
    FORGET_LOG,
    SURVEY,
    checksum,
    reading,
    removing,
    writing,
)
from noughts.hardware.ports import LOST
from noughts.hardware.release_1_0_0 import Left, candidates, left_in, longest

_Answer = TypeVar("_Answer")

_ANSWER_S = 10.0
_MAX_SIZE = 1 << 20
_INTERRUPT_WAITS_S = (1.0, 1.0, 2.0, 4.0)
_LIMIT_S = 60.0
_TRIES = 3
_RESET_OR_FLASH = (
    "reset it and run the same command again; if that fails too, repair it with `noughts flash`"
)
"""A power cut may have damaged the file system: no reset helps then."""
_CARRY_OUT_S = 0.5
"""A command is not to be interrupted that is just writing a file."""


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
        """Whether it has this content, as far as size and checksum tell."""
        return (self.size, self.checksum) == (len(content), checksum(content))


def _surveyed(out: bytes) -> tuple[str, dict[str, BoardFile]]:
    """What `SURVEY` prints. Raises one of `_NONSENSE`."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # they would quote it to the terminal
        machine, *lines = [ast.literal_eval(line) for line in out.decode().splitlines()]
    files = {}
    for name, size, value, start in lines:
        if [type(each) for each in (name, size, value, start)] != [str, int, int, bytes]:
            raise ValueError
        # A damaged file may have any size.
        files[name] = BoardFile(min(max(size, 0), _MAX_SIZE), value, start)
    return ("V1" if "nRF51" in machine else "V2"), files


class _Line:
    """The port as microfs uses it, for a limited time.

    A board that never stops talking would otherwise keep microfs waiting for silence for ever.
    """

    def __init__(self, port: serial.SerialBase) -> None:
        self._port = port
        self._end_s = clock.monotonic() + _LIMIT_S

    def __getattr__(self, name: str) -> object:
        if clock.monotonic() > self._end_s:
            raise TimeoutError("it never stops talking")
        return getattr(self._port, name)


# What microfs and literal_eval raise over an answer that is none.
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
    """The files of the board on an open port, whose timeout is set here."""

    def __init__(self, port: serial.SerialBase) -> None:
        self._port = port
        self.name = str(port.port)
        with self._asking("listen"):
            port.timeout = _ANSWER_S

    def survey(self, patient: bool = True) -> tuple[str, dict[str, BoardFile]]:
        """The board's kind, `V1` or `V2`, and its files by name.

        patient: wait for a board that has just been switched on. Raises `BoardError` when the board
        does not answer, or not as it should.
        """
        with self._asking("list its files"):
            self._stop_patiently(_INTERRUPT_WAITS_S if patient else _INTERRUPT_WAITS_S[:2])
            self._port.timeout = _ANSWER_S
            return self._answered([SURVEY], _surveyed)

    def _stop_patiently(self, waits_s: Sequence[float]) -> None:
        """A board that has just been switched on does not listen until its program runs."""
        *first_s, last_s = waits_s
        for wait_s in first_s:
            try:
                return self._stop(wait_s)
            except OSError as error:
                if "raw REPL" not in str(error):
                    raise
        return self._stop(last_s)

    def _stop(self, wait_s: float) -> None:
        self._port.timeout = wait_s
        microfs.raw_on(_Line(self._port))

    def _answered(self, commands: list[str], read: Callable[[bytes], _Answer]) -> _Answer:
        """What is read from a board's answer; it is asked again, if bytes were lost."""
        for _ in range(_TRIES - 1):
            with suppress(*_NONSENSE):
                out, err = microfs.execute(commands, _Line(self._port))
                if not err:
                    return read(out)
        out, err = microfs.execute(commands, _Line(self._port))
        if err:
            raise OSError(microfs.clean_error(err))
        return read(out)

    def left_by_1_0_0(self, kind: str, present: Mapping[str, BoardFile]) -> Left:
        """What release 1.0.0 left among the files of a survey. Raises `BoardError`."""
        names = candidates(kind, {name: file.start for name, file in present.items()})

        def contents(out: bytes) -> Left:
            files = dict(ast.literal_eval(line) for line in out.decode().splitlines())
            if sorted(files) != names:
                raise ValueError
            return left_in(files)

        if not names:
            return Left()
        with self._asking("show the games that it has stored"):
            return self._answered(reading(names, longest(kind)), contents)

    def send(self, name: str, content: bytes) -> None:
        """Write a file to the board. Raises `BoardError`."""
        self._carry_out(f"take {name}", *writing(name, content))

    def remove(self, names: Sequence[str]) -> None:
        """Remove files in this order, skipping those that are not there. Raises `BoardError`."""
        self._carry_out(f"remove {', '.join(names)}", *removing(names))

    def forget_log(self) -> None:
        """Empty a V2's data log. Raises `BoardError`."""
        self._carry_out("empty its data log", [FORGET_LOG], "forgotten")

    def _carry_out(self, what: str, commands: list[str], printed: str) -> None:
        def check(out: bytes) -> None:
            if out.split() != printed.encode().split():
                raise ValueError

        with self._asking(what):
            self._answered(commands, check)

    @contextmanager
    def stopped(self) -> Iterator[None]:
        """Whatever becomes of the talk with the board: it does not stay stopped for that."""
        try:
            yield
        except BaseException:
            with suppress(Exception):  # what has failed is told already
                clock.sleep(_CARRY_OUT_S)
                self._port.write(b"\x03\x02\x04")  # the line so far is no command
            raise

    @contextmanager
    def _asking(self, what: str) -> Iterator[None]:
        try:
            yield
        except LOST as error:
            raise gone(self._port) from error
        except TimeoutError as error:
            raise self._no_micropython() from error
        except OSError as error:
            if "raw REPL" in str(error):
                raise self._no_micropython() from error
            if error.errno is not None:  # the port, not the board, has failed
                raise gone(self._port) from error
            reason = " ".join(str(error).split())
            raise BoardError(f"the board could not {what} ({reason}); {_RESET_OR_FLASH}") from error
        except _NONSENSE as error:
            raise BoardError(
                f"the board on {self.name} gave no sensible answer when asked to {what}; "
                + _RESET_OR_FLASH
            ) from error

    def _no_micropython(self) -> BoardError:
        return BoardError(
            f"the device on {self.name} does not answer like MicroPython; "
            "press its reset button and try again, or flash it with `noughts flash`"
        )

    def restart(self) -> Start:
        """Restart the board, and return what it says then. Raises `BoardError`."""
        self.go_on()
        return wait_for_start(self._port)

    def go_on(self) -> None:
        """Restart the board. Raises `BoardError`."""
        with self._asking("start"):
            self._port.write(b"\x02\x04")  # out of the raw REPL, and a soft reset


def same(board: Mapping[str, BoardFile], files: Mapping[str, bytes]) -> set[str]:
    """The names of the files that the board has with the same content."""
    return {name for name in files if name in board and board[name].holds(files[name])}
