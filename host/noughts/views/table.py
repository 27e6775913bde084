"""A table for people: columns with a key, a title and a type, rows of plain values, a note."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Literal, NamedTuple

Value = str | int | float | None


class Column(NamedTuple):
    """A column; code finds it by its key, people read its title."""

    key: str
    title: str
    type: Literal["text", "number"]
    """Numbers align right."""


@dataclass(frozen=True)
class Bars:
    """A chart of a table, with a bar of several parts for each row."""

    legend: tuple[tuple[str, str], ...]
    """Each part's kind and label."""
    rows: list[list[tuple[str, float, float]]]
    """Each part's kind, start and width, both in hundredths of the longest bar."""


@dataclass(frozen=True)
class Table:
    """A table, which a terminal, a page, a report or an export shows."""

    caption: str
    columns: list[Column]
    rows: list[tuple[Value, ...]]
    note: str = ""
    bars: Bars | None = None
    minor: frozenset[str] = frozenset()
    """The keys of columns that a phone leaves out; if there are any, also the bars."""

    def shown(self, nothing: str = "–") -> list[tuple[str, ...]]:
        """The rows as text, such as `2,000` and `0.25`; nothing: stands for a missing value."""
        formats = {int: "{:,}", float: "{:.2f}", str: "{}", type(None): nothing}
        return [tuple(formats[type(value)].format(value) for value in row) for row in self.rows]


def bars(legend: dict[str, str], counts: Sequence[Sequence[int]], whole: int = 0) -> Bars:
    """Bars with these parts, in the legend's order; whole: what fills a bar, else all its parts."""
    rows = []
    for parts in counts:
        widths = [100 * part / (whole or sum(parts) or 1) for part in parts]
        rows.append(list(zip(legend, accumulate(widths, initial=0.0), widths, strict=False)))
    return Bars(tuple(legend.items()), rows)


def texts(**titles: str) -> list[Column]:
    """Columns of text, by key; each title is what people read."""
    return [Column(key, title, "text") for key, title in titles.items()]


def numbers(**titles: str) -> list[Column]:
    """Columns of numbers, by key; each title is what people read."""
    return [Column(key, title, "number") for key, title in titles.items()]
