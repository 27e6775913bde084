"""Games as a flat table: a row each, with columns that no spreadsheet misreads.

Ids are written `0x1E10`, for 1E10 would be read as a number, and releases `v0.1.0`; moves stand in
columns of their own, for 0451 would lose its zero. All other text that a spreadsheet, pandas or a
terminal might take for something else is made plain by `_text`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from noughts.errors import printable
from noughts.game.review import mistakes
from noughts.store.queries import StoredGame


@dataclass(frozen=True)
class Column:
    """One column: its name, its type (`int`, `str`, or `moment`), what it means, with its unit."""

    name: str
    kind: str
    meaning: str


COLUMNS = (
    Column("game", "int", "its number in the store"),
    Column("board", "str", "usb- and the USB serial number, else the port or the log's file"),
    Column("boot", "str", "the id of the board's run, 0x and four or eight hex digits"),
    Column("number", "int", "the board's own count of games since that boot"),
    Column("seat_a", "str", "who was player A: P a person, E M H the chip"),
    Column("seat_b", "str", "who was player B"),
    Column("first", "str", "who began: A or B"),
    Column("result", "str", "A or B (who won), draw, abandoned, unfinished"),
    Column("plies", "int", "how many moves were made"),
    Column("started_utc", "moment", "when it began, if known"),
    Column("heard_utc", "moment", "when the last sentence of it came, if known"),
    Column("ms", "int", "how long it was played, in milliseconds"),
    Column("hardware", "str", "V1 or V2; empty if the board's start was not heard"),
    Column("release", "str", "the game's release on the board, v and what it says"),
    Column("table_id", "str", "the id of the chip's table, 0x and four hex digits"),
    Column("mistakes_a", "int", "moves of A that gave away a win or a draw"),
    Column("mistakes_b", "int", "the same of B"),
    *(Column(f"move_{ply}", "int", f"cell of move {ply}, 0 to 8") for ply in range(1, 10)),
    *(
        Column(f"ms_{ply}", "int", f"ms from the move before (or the start) to move {ply}")
        for ply in range(1, 10)
    ),
)
"""In this order; a cell without a value is None."""

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


def _text(value: str) -> str:
    """The text, with _ before it if anybody could take it for a formula, a number or a day."""
    shown = printable(value)
    return shown if _PLAIN.fullmatch(shown) else f"_{shown}"


def row(game: StoredGame) -> tuple[Value, ...]:
    """A game's values; moments are ms since 1970, UTC."""
    players = [game.player(ply) for ply in mistakes(game.moves)]
    blanks = [None] * (9 - len(game.moves))
    values: list[Value] = [
        game.id,
        game.board,
        f"0x{game.boot}",
        game.number,
        game.seats[0],
        game.seats[1],
        game.first,
        game.result,
        len(game.moves),
        game.started,
        game.heard,
        game.ms,
        game.hardware,
        None if game.release is None else f"v{game.release}",
        None if game.table_id is None else f"0x{game.table_id}",
        players.count("A"),
        players.count("B"),
        *map(int, game.moves),
        *blanks,
        *game.thought_ms,
        *blanks,
    ]
    for index in _TEXTS:
        value = values[index]
        if isinstance(value, str):
            values[index] = _text(value)
    return tuple(values)
