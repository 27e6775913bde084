"""MicroPython's tracebacks on a serial line, and the lines of `device/` that they name.

Their text comes from a board, by `protocol.parser`, which makes it printable ASCII.
"""

import re
from collections.abc import Sequence

from noughts.boards.radio import RADIO_FILES
from noughts.brain.device import device_dir, device_files

_HEADER = "Traceback (most recent call last):"
_PLACE = re.compile(r'^  File "([^"]{1,64})", line ([0-9]{1,6})', re.MULTILINE)
_MISSING = re.compile(r"ImportError: no module named '([^']{1,64})'")


class Traceback:
    """A whole traceback: its header, the calls, the innermost last, and the error."""

    def __init__(self, lines: Sequence[str]) -> None:
        self.lines = lines
        self.error = lines[-1]
        """Such as `NameError: name 'x' is not defined`."""
        *_, (name, line) = _PLACE.findall("\n".join(lines)) or [("", "0")]
        # A V1 gives this name to the file that is run.
        self.file = "main.py" if name == "__main__" else name
        """Empty if the traceback has none."""
        number = int(line)
        # MicroPython names the line after an unfinished one.
        is_syntax = self.error.startswith("SyntaxError")
        self.numbers = (number - 1, number) if is_syntax else (number,)
        """The lines of that file, counted from 1; one of them is wrong."""

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
        return f"device/{self.file}, line {' or '.join(map(str, self.numbers))}"

    def report(self) -> list[str]:
        """Its lines, and the lines in `device/` where it may have happened, if they exist."""
        # The name comes from the board, so only files in the folder itself are read.
        paths = [path for path in device_dir().glob("*.py") if path.name == self.file]
        source = paths[0].read_text("utf-8", errors="replace").splitlines() if paths else []
        shown = [
            f"device/{self.file}, line {number}: {source[number - 1].strip()}"
            for number in self.numbers
            if 0 < number <= len(source)
        ]
        return [*self.lines, *shown]


class TracebackReader:
    def __init__(self) -> None:
        self._lines: list[str] = []

    def feed(self, line: str) -> Traceback | None:
        """The traceback that this line completes, or None."""
        if _HEADER in line:
            self._lines = [_HEADER]
        elif self._lines:
            self._lines.append(line)
            if not line.startswith("  "):
                found, self._lines = Traceback(self._lines), []
                return found
        return None
