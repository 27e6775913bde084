"""A table for people: columns with a key, a title and a type, rows of plain values, and a note."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Literal

Value = str | int | float | None


@dataclass(frozen=True)
class Column:
    """A column; code finds it by its key, people read its title."""

    key: str
    title: str
    type: Literal["text", "number"] = "text"
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
    caption: str
    columns: tuple[Column, ...]
    rows: list[tuple[Value, ...]]
    note: str = ""
    bars: Bars | None = None

    def shown(self, nothing: str = "–") -> list[tuple[str, ...]]:
        """The rows as text; nothing: stands for a missing value."""
        return [tuple(shown(value, nothing) for value in row) for row in self.rows]


def shown(value: Value, nothing: str = "–") -> str:
    """A value as text: `2,000`, `0.25`."""
    if value is None:
        return nothing
    if isinstance(value, float):
        return f"{value:.2f}"
    return f"{value:,}" if isinstance(value, int) else value


def bars(legend: dict[str, str], counts: Sequence[Sequence[int]], wholes: Sequence[int]) -> Bars:
    """Bars with these parts, in the legend's order; wholes: the count that would fill each bar."""
    rows = []
    for parts, whole in zip(counts, wholes, strict=True):
        widths = [100 * part / whole if whole else 0.0 for part in parts]
        rows.append(list(zip(legend, accumulate(widths, initial=0.0), widths, strict=False)))
    return Bars(tuple(legend.items()), rows)


def text(key: str, title: str | None = None) -> Column:
    """A column of text; by default its title is its key."""
    return Column(key, key if title is None else title)


def number(key: str, title: str | None = None) -> Column:
    return Column(key, key if title is None else title, "number")
