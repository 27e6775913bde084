"""The result of a run of the soak, and the table of all of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from noughts.engines.levels import LEVELS

Row = tuple[str, str]

ERASES = {"V1": 20_000, "V2": 10_000}
"""A page's rated erases: nRF51822 and nRF52833 product specifications, "Flash" and "NVMC"."""
A_DAY = 50
"""Games."""


class Task(NamedTuple):
    board: str
    kind: str
    """`session`, `cuts`, `cuts-in-writes`, `noise` or `changes`."""
    seed: int
    amount: float
    """Seconds of a session, else the number of cuts, floods or games with another choice."""

    @property
    def repeat(self) -> str:
        board = f"--board {self.board.lower()} --seed {self.seed}"
        if self.kind == "session":
            return f"{board} --until {self.amount:g}"
        kind, _, in_writes = self.kind.partition("-")
        others = [f"--{name} 0" for name in ("hours", "cuts", "noise", "changes") if name != kind]
        options = [board, *others, f"--{kind} {self.amount:g}"]
        return " ".join([*options, "--in-writes"] if in_writes else options)


@dataclass
class Result:
    """The result of a run: counts, which are summed over runs, and greatest or least values."""

    firmware: str = ""
    counts: Counter[str] = field(default_factory=Counter)
    most: Counter[str] = field(default_factory=Counter)
    lowest_free: int = 1 << 20
    """Bytes of heap."""
    cpu_s: float = field(default=0.0, compare=False)
    failure: str = ""
    trace: list[str] = field(default_factory=list)
    """The last lines, each with its device time in milliseconds."""

    def __add__(self, other: Result) -> Result:
        return Result(
            self.firmware or other.firmware,
            self.counts + other.counts,
            self.most | other.most,
            min(self.lowest_free, other.lowest_free),
            self.cpu_s + other.cpu_s,
        )


def sections(results: Sequence[tuple[Task, Result]]) -> Iterator[list[Row]]:
    """For each board, rows of two columns."""
    for board in sorted({task.board for task, _ in results}):
        of_board = [(task, result) for task, result in results if task.board == board]
        rows = [("measured on", of_board[0][1].firmware)]
        for kinds, part in _PARTS:
            some = [(task, result) for task, result in of_board if task.kind in kinds]
            if some:
                seeds = [task.seed for task, _ in some]
                total = sum((result for _, result in some), Result())
                rows += part(total, f"{min(seeds)} to {max(seeds)}", board)
        failures = sum(bool(result.failure) for _, result in of_board)
        yield [*rows, ("failures", str(failures))]


def _session(total: Result, seeds: str, _: str) -> Iterator[Row]:
    count, most = total.counts, total.most
    device_s = count["device ms"] / 1000
    yield "device time", f"{device_s / 3600:.2f} hours"
    yield "  seeds", seeds
    yield "  CPU of the computer for a second", f"{total.cpu_s / device_s:.3f} s"
    yield "presses", f"{count['presses']:,}, {count['contacts']:,} with bounces"
    yield "games begun", f"{count['begun']:,}"
    levels = {letter: level.name for letter, level in LEVELS.items()}
    for level, name in ({"P": "two people"} | levels).items():
        ended = (("A won", "A"), ("B won", "B"), ("drawn", "="), ("abandoned", "x"))
        endings = ", ".join(f"{text} {count[f'ended {level}{end}']:,}" for text, end in ended)
        by = (f"{count[f'begun {level}{how[0]}']:,} by {how}" for how in ("buttons", "tilt"))
        yield f"  {name}", f"{', '.join(by)}: {endings}"
    yield "lowest free heap, with the probe loaded", f"{total.lowest_free:,} bytes"
    yield "  drop from the first third to the last", f"{most['drift']} bytes"
    yield "longest stall of the loop, flash aside", f"{most['gap ms']} ms"
    yield "  while flash was written", f"{most['gap ms while saving']} ms"
    yield "  jumps of the firmware's clock by 65.5 ms", f"{count['jumps']}"


def _cuts(total: Result, seeds: str, _: str) -> Iterator[Row]:
    yield "power cuts", f"{total.counts['cuts']}"
    yield "  seeds", seeds
    yield "  while flash was written", f"{total.counts['in a write']}"
    yield "  while a page was erased", f"{total.counts['in an erase']}"
    yield "  after which the defaults were offered", f"{total.counts['defaults']}"


def _noise(total: Result, seeds: str, _: str) -> Iterator[Row]:
    yield "bytes of serial noise during games", f"{total.counts['flooded']:,}"
    yield "  seeds", seeds
    yield "  interruptions by Ctrl-C, Ctrl-D and others", f"{total.counts['interruptions']}"


def _changes(total: Result, _: str, board: str) -> Iterator[Row]:
    for what in ("games", "games with another choice"):
        games, worst = total.counts[what], total.most[f"{what}: erases of a page"]
        writes_per_game = total.counts[f"{what}: writes"] / games if games else 0
        yield f"flash writes in {games} {what}", f"{writes_per_game:.0f} each"
        yield "  page erases", f"{total.counts[f'{what}: erases']}, {worst} of one page"
        waited_ms = total.most[f"{what}: us"] / 1000
        yield "  the CPU waited for the flash", f"{waited_ms:.1f} ms at most"
        if worst:
            lasts = ERASES[board] * games / worst
            yield (
                f"  until a page was erased {ERASES[board]:,} times",
                f"{lasts:,.0f}: {lasts / A_DAY / 365:.0f} years at {A_DAY} a day",
            )


_PARTS = (
    (("session",), _session),
    (("cuts", "cuts-in-writes"), _cuts),
    (("noise",), _noise),
    (("changes",), _changes),
)
