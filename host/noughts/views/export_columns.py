"""The fields of a game in JSON, exports and help; exports have columns no spreadsheet misreads.

Ids are written `0x1E10`, because 1E10 would be read as a number, and releases `v0.1.0`. Each move
has its own column, because 0451 would lose its zero. All other text that a spreadsheet, pandas or a
terminal might take for something else is made plain by `plain_text`.
"""

import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import repeat, zip_longest
from operator import attrgetter
from typing import Any, NamedTuple

from noughts.errors import printable
from noughts.protocol.describe import SEATS_MEANING
from noughts.store.stored_game import StoredGame

_PLIES = range(1, 10)


class Field(NamedTuple):
    """A field of a game: one value in JSON, and one or more columns in an export."""

    name: str
    column_type: str
    """`int`, `str`, `id` (hex digits), `release`, `timestamp` (ms since 1970, UTC)."""
    meaning: str
    """For help and metadata, with the unit."""
    columns: tuple[str, ...] = ()
    """For a list: the names of its columns in an export, as many as it may have values."""
    attribute: str = ""
    """Of `StoredGame`, where it has another name."""


FIELDS = (
    Field("game", "int", "its number in the store", attribute="id"),
    Field(
        "board",
        "str",
        "usb- and the USB serial number, radio- and its id, else the port or the log's file",
    ),
    Field("board_name", "str", "what people call it, see `noughts boards`", attribute="name"),
    Field("boot", "id", "the id of the board's run, eight hex digits"),
    Field("number", "int", "the board's own count of games since that boot"),
    Field("seats", "str", f"who was player A, and player B: {SEATS_MEANING}", ("seat_a", "seat_b")),
    Field("first", "str", "who began: A or B"),
    Field("result", "str", "A or B (who won), draw, abandoned, unfinished"),
    Field("started", "timestamp", "when it began, if known"),
    Field(
        "played_before",
        "timestamp",
        "of a recovered game with no known start: a time by which it had ended",
    ),
    Field("heard", "timestamp", "when it was last received, live or after its end, if known"),
    Field("by_radio", "int", "1 if its later moves are known only by radio, else 0"),
    Field("ms", "int", "how long it was played, in milliseconds"),
    Field("hardware", "str", "V1 or V2, if the board's start was received"),
    Field("release", "release", "the game's release, as the board reports it"),
    Field("table_id", "id", "the id of the chip's table, four hex digits"),
    Field("plies", "int", "how many moves were made"),
    Field("mistakes_a", "int", "moves of A that gave away a win or a draw"),
    Field("mistakes_b", "int", "the same for B"),
    Field(
        "moves",
        "int",
        "the cell of each move, 0 to 8",
        tuple(f"move_{ply}" for ply in _PLIES),
        attribute="cells",
    ),
    Field(
        "thought_ms",
        "int",
        "ms from the move before (or the start) to each move",
        tuple(f"ms_{ply}" for ply in _PLIES),
    ),
)
"""All fields, in the order of JSON and exports."""

values: Callable[[StoredGame], tuple[Any, ...]] = attrgetter(
    *(field.attribute or field.name for field in FIELDS)
)
"""A game's values, one for each of `FIELDS`; a list for one with columns."""

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
