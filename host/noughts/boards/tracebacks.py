"""MicroPython's tracebacks on a serial line, and the lines of `device/` that they name.

Their text comes from a board, by `protocol.parser`, which makes it printable ASCII.
"""

import re
from collections.abc import Sequence

from noughts.boards.packing import original_names, rows_on_boards
from noughts.boards.radio import RADIO_FILES
from noughts.brain.device import device_files, device_sources

_HEADER = "Traceback (most recent call last):"
_PLACE = re.compile(r'^  File "([^"]{1,64})", line ([0-9]{1,6})')
_NAME = re.compile(r"(?<=, in )\w+$|(?<=')\w+(?=')|(?<=import name )\w+")
"""A name from a program: of a function, or in an error."""
_ABOUT_NAMES = ("  File ", "NameError", "AttributeError", "ImportError", "TypeError")
_MISSING = re.compile(r"ImportError: no module named '([^']{1,64})'")


class Traceback:
    """A whole traceback: its header, the calls, the innermost last, and the error.

    Names that packing has replaced, and numbers of lines, are those of `device/` again.
    """

    def __init__(self, lines: Sequence[str]) -> None:
        sources = device_sources()
        self.file = ""
        """The innermost; empty if the traceback names none."""
        self.numbers: list[int] = []
        """The lines of that file, counted from 1; one of them is wrong."""
        self.lines: list[str] = []
        for line in lines:
            if match := _PLACE.match(line):
                self.file = _file_of(match)
                number = int(match[2])
                # MicroPython names the line after an unfinished one.
                first = number - 1 if lines[-1].startswith("SyntaxError") else number
                self.numbers = _before_packing(first, number, sources.get(self.file, b""))
                line = _with_numbers(match, self.numbers)
            self.lines.append(_with_our_names(line, sources.get(self.file, b"")))
        self.error = self.lines[-1]
        """Such as `NameError: name 'x' is not defined`."""
        # The file's name comes from the board, so only files in the folder itself are read.
        self._source = sources.get(self.file, b"").decode("utf-8", "replace").splitlines()

    @property
    def incomplete(self) -> bool:
        """Whether a file of the game is missing, or the table, which `put` sends last, is cut."""
        missing = _MISSING.fullmatch(self.error)
        if missing is not None and f"{missing[1]}.py" in (*device_files(), *RADIO_FILES):
            return True
        # A table that is cut off may still be valid Python, without its last name.
        return self.file == "table.py" or self.error.endswith("no attribute 'ID'")

    def __str__(self) -> str:
        """What happened, and what to do: `stops with …; correct …`."""
        if self.incomplete:
            return f"is incomplete ({self.error}); run `noughts put`"
        return f"stops with {self.error}; correct {self.where} and run `noughts put`"

    @property
    def where(self) -> str:
        """The file in `device/`, and the lines of which one is wrong."""
        if not self.file:
            return "the files in device/"
        return f"device/{self.file}, line {_either(self.numbers)}"

    def report(self) -> list[str]:
        """Its lines, and the lines in `device/` where it may have happened, if they exist."""
        shown = [
            f"device/{self.file}, line {number}: {self._source[number - 1].strip()}"
            for number in self.numbers
            if 0 < number <= len(self._source)
        ]
        return [*self.lines, *shown]


def place_in_device(line: str) -> str:
    """A line of noise; if it is a call in a traceback, with its place in `device/`."""
    match = _PLACE.match(line)
    if match is None:
        return line
    source, number = device_sources().get(_file_of(match), b""), int(match[2])
    return _with_our_names(_with_numbers(match, _before_packing(number, number, source)), source)


def _file_of(match: re.Match[str]) -> str:
    # A V1 gives this name to the file that is run.
    return "main.py" if match[1] == "__main__" else match[1]


def _with_numbers(match: re.Match[str], numbers: Sequence[int]) -> str:
    line = match.string
    return line[: match.start(2)] + _either(numbers) + line[match.end(2) :]


def _before_packing(first: int, last: int, source: bytes) -> list[int]:
    """The lines of a file that stand in these lines on a board; beyond its end, these lines."""
    rows = dict(enumerate(rows_on_boards(source), 1))
    return [row for number in range(first, last + 1) for row in rows.get(number, [number])]


def _either(numbers: Sequence[int]) -> str:
    return " or ".join(map(str, numbers))


def _with_our_names(line: str, source: bytes) -> str:
    """A line of a traceback, with the names that are in the file, before it was packed."""
    if not line.startswith(_ABOUT_NAMES):
        return line
    ours = original_names()

    def original(match: re.Match[str]) -> str:
        name = ours.get(match[0], match[0])
        # Another program's file of this name may use that name itself.
        return name if re.search(rb"\b%b\b" % name.encode(), source) else match[0]

    return _NAME.sub(original, line)


class TracebackReader:
    """Finds tracebacks among the lines that a board sends."""

    def __init__(self) -> None:
        self._lines: list[str] = []

    def feed(self, line: str) -> Traceback | None:
        """The traceback that this line completes, or None."""
        if _HEADER in line:
            self._lines = [_HEADER]
        elif self._lines:
            self._lines.append(line)
            if not line.startswith("  "):
                traceback, self._lines = Traceback(self._lines), []
                return traceback
        return None
