"""Games as a flat table: one row per game, with columns that no spreadsheet misreads.

Ids are written `0x1E10`, because 1E10 would be read as a number, and releases `v0.1.0`. Each move
has its own column, because 0451 would lose its zero. All other text that a spreadsheet, pandas or a
terminal might take for something else is made plain by `plain_text`.
"""

import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import repeat, zip_longest

from noughts.errors import printable
from noughts.store.stored_game import FIELDS, Field, StoredGame, values

_PREFIXES = {"str": "", "id": "0x", "release": "v"}
"""The beginning of text of this kind."""


def _columns(field: Field) -> list[Field]:
    prefix = _PREFIXES.get(field.column_type)
    meaning = f"{field.meaning}, prefixed with {prefix}" if prefix else field.meaning
    name = f"{field.name}_utc" if field.column_type == "timestamp" else field.name
    return [
        Field(column_name, field.column_type, meaning) for column_name in field.columns or [name]
    ]


_GROUPS = [_columns(field) for field in FIELDS]
COLUMNS = [column for group in _GROUPS for column in group]

MEANINGS = [
    (f"{names[0]} to {names[-1]}" if len(names) > 2 else ", ".join(names), meaning)
    for names, meaning in (
        ([column.name for column in group], group[0].meaning) for group in _GROUPS
    )
]
"""For help: the names of the columns, and their meanings."""

Value = int | str | None

_PLAIN = re.compile(
    r"0x[0-9A-F]+|"  # an id
    # Else it begins with a letter or as a path does, and is not a date (a month, with or without
    # a number), not a boolean, and not what pandas reads as a missing value or a number.
    r"(?!(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*[^0-9A-Za-z]*(\d.*)?$)"
    r"(?!(true|false|na|n/a|nan|null|none|inf|infinity)$)"
    r"[A-Za-z/\\].*",
    re.IGNORECASE,
)


@lru_cache(1000)  # a store has few boards
def plain_text(value: str | None, prefix: str = "") -> str | None:
    """The text, after a _ if it could be mistaken for a formula, a number or a date."""
    if value is None:
        return None
    shown = printable(prefix + value)
    return shown if _PLAIN.fullmatch(shown) else f"_{shown}"


def columns_of(
    games: Sequence[StoredGame], as_timestamp: Callable[[int], Value]
) -> list[Sequence[Value]]:
    """The values of these games, of which there is at least one, for each of `COLUMNS`.

    as_timestamp: how to write ms since 1970, UTC. A cell without a value is None.
    """
    columns: list[Sequence[Value]] = []
    for field, field_values in zip(FIELDS, zip(*map(values, games), strict=True), strict=True):
        parts: list[Sequence[Value]] = [field_values]
        if field.columns:
            parts = list(zip_longest(*field_values))
            parts += [[None] * len(games)] * (len(field.columns) - len(parts))
        if field.column_type == "timestamp":
            parts = [[None if ms is None else as_timestamp(ms) for ms in field_values]]
        if field.column_type in _PREFIXES:
            prefixes = repeat(_PREFIXES[field.column_type])
            parts = [list(map(plain_text, part, prefixes)) for part in parts]
        columns += parts
    return columns
