"""Games as a flat table: a row each, with columns that no spreadsheet misreads.

Ids are written `0x1E10`, for 1E10 would be read as a number, and releases `v0.1.0`; moves stand in
columns of their own, for 0451 would lose its zero. All other text that a spreadsheet, pandas or a
terminal might take for something else is made plain by `plain_text`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from noughts.errors import printable
from noughts.store.stored_game import FIELDS, Field, StoredGame


@dataclass(frozen=True)
class Column:
    """One column: its name, its type (`int`, `str`, or `moment`), what it means, with its unit."""

    name: str
    kind: str
    meaning: str


_PREFIXES = {"id": "0x", "release": "v"}
_KINDS = {"id": "str", "release": "str"}


def _columns(field: Field) -> tuple[Column, ...]:
    prefix = _PREFIXES.get(field.kind)
    meaning = f"{field.meaning}, after {prefix}" if prefix else field.meaning
    names = field.columns or (f"{field.name}_utc" if field.kind == "moment" else field.name,)
    return tuple(Column(name, _KINDS.get(field.kind, field.kind), meaning) for name in names)


_GROUPS = [_columns(field) for field, _ in FIELDS]
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

_TEXTS = [index for index, column in enumerate(COLUMNS) if column.kind == "str"]
_PLAIN = re.compile(
    r"0x[0-9A-F]+|"  # an id
    # Else it begins with a letter or as a path does, and is no day (a month, with or without
    # a number), no truth, and nothing that pandas reads as a missing value or a number.
    r"(?!(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*[^0-9A-Za-z]*(\d.*)?$)"
    r"(?!(true|false|na|n/a|nan|null|none|inf|infinity)$)"
    r"[A-Za-z/\\].*",
    re.IGNORECASE,
)


def plain_text(value: str) -> str:
    """The text, with _ before it if anybody could take it for a formula, a number or a day."""
    shown = printable(value)
    return shown if _PLAIN.fullmatch(shown) else f"_{shown}"


def row(game: StoredGame) -> tuple[Value, ...]:
    """A game's values; moments are ms since 1970, UTC."""
    values: list[Value] = []
    for field, value_of in FIELDS:
        value = value_of(game)
        if field.columns:
            values += value
            values += [None] * (len(field.columns) - len(value))
        elif value is not None and field.kind in _PREFIXES:
            values.append(f"{_PREFIXES[field.kind]}{value}")
        else:
            values.append(value)
    for index in _TEXTS:
        text = values[index]
        if isinstance(text, str):
            values[index] = plain_text(text)
    return tuple(values)
