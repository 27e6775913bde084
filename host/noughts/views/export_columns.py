"""Games as a flat table: a row each, with columns that no spreadsheet misreads.

Ids are written `0x1E10`, for 1E10 would be read as a number, and releases `v0.1.0`; moves stand in
columns of their own, for 0451 would lose its zero. All other text that a spreadsheet, pandas or a
terminal might take for something else is made plain by `plain_text`.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any, NamedTuple

from noughts.errors import printable
from noughts.store.stored_game import FIELDS, Field, StoredGame, values


class Column(NamedTuple):
    """One column: its name, its type (`int`, `str`, or `moment`), what it means, with its unit."""

    name: str
    kind: str
    meaning: str
    prefix: str = ""
    """What its text begins with."""


_PREFIXES = {"id": "0x", "release": "v"}


def _columns(field: Field) -> tuple[Column, ...]:
    prefix = _PREFIXES.get(field.kind, "")
    meaning = f"{field.meaning}, after {prefix}" if prefix else field.meaning
    names = field.columns or (f"{field.name}_utc" if field.kind == "moment" else field.name,)
    kind = "str" if prefix else field.kind
    return tuple(Column(name, kind, meaning, prefix) for name in names)


_GROUPS = [_columns(field) for field in FIELDS]
COLUMNS = tuple(column for group in _GROUPS for column in group)
"""In this order; a cell without a value is None."""

MEANINGS = tuple(
    (
        ", ".join(column.name for column in group)
        if len(group) < 3
        else f"{group[0].name} to {group[-1].name}",
        group[0].meaning,
    )
    for group in _GROUPS
)
"""For help: which columns, and what they mean."""

Value = int | str | None

_PLAIN = re.compile(
    r"0x[0-9A-F]+|"  # an id
    # Else it begins with a letter or as a path does, and is no day (a month, with or without
    # a number), no truth, and nothing that pandas reads as a missing value or a number.
    r"(?!(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*[^0-9A-Za-z]*(\d.*)?$)"
    r"(?!(true|false|na|n/a|nan|null|none|inf|infinity)$)"
    r"[A-Za-z/\\].*",
    re.IGNORECASE,
)


@lru_cache(1000)  # the games of a store are on few boards
def plain_text(value: str) -> str:
    """The text, with _ before it if anybody could take it for a formula, a number or a day."""
    shown = printable(value)
    return shown if _PLAIN.fullmatch(shown) else f"_{shown}"


_LISTS = [(index, len(field.columns)) for index, field in enumerate(FIELDS) if field.columns]
_TEXTS = [(index, each.prefix) for index, each in enumerate(COLUMNS) if each.kind == "str"]
_NONE = [None] * len(COLUMNS)


def row(game: StoredGame) -> list[Value]:
    """A game's values; moments are ms since 1970, UTC."""
    row: list[Any] = []
    found, done = values(game), 0
    for index, width in _LISTS:
        row += found[done:index]
        row += found[index]
        row += _NONE[len(found[index]) : width]
        done = index + 1
    row += found[done:]
    for index, prefix in _TEXTS:
        if row[index] is not None:
            row[index] = plain_text(prefix + row[index])
    return row
