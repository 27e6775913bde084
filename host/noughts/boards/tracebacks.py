"""MicroPython's tracebacks as they come over a serial line, and the lines of `device/` they name.

Their text comes from a board: it is taken only as `protocol.parser` gives it, printable ASCII.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from noughts.boards.radio import RADIO_FILES
from noughts.device_files import device_dir, device_files

_HEADER = "Traceback (most recent call last):"
_PLACE = re.compile(r'  File "([^"]{1,64})", line ([0-9]{1,6})')
_MISSING = re.compile(r"ImportError: no module named '([^']{1,64})'")


@dataclass(frozen=True)
class Traceback:
    """A whole traceback: its header, the calls, the innermost last, and the error."""

    lines: tuple[str, ...]

    @property
    def error(self) -> str:
        """The last line, such as `NameError: name 'x' is not defined`."""
        return self.lines[-1]

    @property
    def place(self) -> tuple[str, int] | None:
        """The file and the line, counted from 1, where it happened, or None if it names none."""
        for line in reversed(self.lines):
            if found := _PLACE.match(line):
                # V1 has this name for the file that is run, V2 the file's own.
                name = "main.py" if found[1] == "__main__" else found[1]
                return name, int(found[2])
        return None

    @property
    def incomplete(self) -> bool:
        """Whether a file of the game is missing, or the table, which `put` sends last, is cut."""
        missing = _MISSING.fullmatch(self.error)
        if missing is not None and f"{missing[1]}.py" in (*device_files(), *RADIO_FILES):
            return True
        # Of a table that is cut, the rest may be good Python.
        read = "\n".join(self.report()) if self.error.endswith("no attribute 'ID'") else ""
        return "table.ID" in read or (self.place is not None and self.place[0] == "table.py")

    def __str__(self) -> str:
        """What the game does, and what to do: `stops with …; correct …`."""
        if self.incomplete:
            return f"is incomplete ({self.error}); run `noughts put`"
        return f"stops with {self.error}; correct {self.where} and run `noughts put`"

    @property
    def where(self) -> str:
        """The file in `device/` and the lines, counted from 1, of which one is wrong."""
        if self.place is None:
            return "the files in device/"
        return f"device/{self.place[0]}, line {' or '.join(map(str, self._numbers()))}"

    def report(self) -> list[str]:
        """Its lines, and the lines in `device/` where it may have happened, if they exist."""
        if self.place is None:
            return list(self.lines)
        name, _ = self.place
        # The name comes from the board: only files that are in the folder itself are read.
        paths = [path for path in device_dir().glob("*.py") if path.name == name]
        source = paths[0].read_text("utf-8", errors="replace").splitlines() if paths else []
        shown = [
            f"device/{name}, line {number}: {source[number - 1].strip()}"
            for number in self._numbers()
            if 0 < number <= len(source)
        ]
        return [*self.lines, *shown]

    def _numbers(self) -> Sequence[int]:
        """The lines, counted from 1, of which one is wrong."""
        number = self.place[1] if self.place else 0
        # MicroPython names the line on which it notices that the line before did not go on.
        return (number - 1, number) if self.error.startswith("SyntaxError") else (number,)


class TracebackReader:
    def __init__(self) -> None:
        self._lines: list[str] = []

    def feed(self, line: str) -> Traceback | None:
        """The traceback that this line ends, or None."""
        if _HEADER in line:
            self._lines = [_HEADER]
        elif self._lines:
            self._lines.append(line)
            if not line.startswith("  "):
                found, self._lines = Traceback(tuple(self._lines)), []
                return found
        return None
