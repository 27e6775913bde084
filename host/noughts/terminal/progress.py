"""Progress bars for what takes longer than a second: in a terminal only, on standard error."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from noughts.errors import printable


class Steps:
    """What a long task tells of itself; without a bar, only the lines are shown.

    Names of files may be part of that: nothing in it acts on the terminal.
    """

    def doing(self, what: str) -> None:
        """Name the step that begins."""

    def advance(self, amount: int) -> None:
        """Add to what is done, in the unit of the total."""

    def say(self, line: str) -> None:
        """Print a line above the bar, on standard output."""
        # The task must come to its end, even if nobody reads our output or its disk is full.
        with suppress(OSError):
            print(printable(line), flush=True)


@contextmanager
def progress(total: int, unit: str = "bytes") -> Iterator[Steps]:
    """A bar from 0 to the total, which goes away at the end."""
    if not sys.stderr.isatty():
        yield Steps()
        return
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, MofNCompleteColumn, Progress, TextColumn

    bar = Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        *([DownloadColumn()] if unit == "bytes" else [MofNCompleteColumn(), TextColumn(unit)]),
        console=Console(stderr=True),
        transient=True,
    )
    with bar:
        task = bar.add_task("", total=total)

        class Bar(Steps):
            def doing(self, what: str) -> None:
                bar.update(task, description=printable(what))

            def advance(self, amount: int) -> None:
                bar.advance(task, amount)

            def say(self, line: str) -> None:
                bar.console.print(printable(line), markup=False, highlight=False)

        yield Bar()
