"""A stored game, with its fields as one list.

What a field is called, how SQL reads it, and how JSON, exports and help show it stands at the
attribute. So a new field is one entry here, beside its migration in `schema.py`, and how it
follows from lines in `fold.py`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from operator import attrgetter, sub
from typing import Any

from noughts.game.review import mistakes
from noughts.protocol.describe import SEATS_MEANING, called
from noughts.protocol.sentences import player_of
from noughts.store.timestamps import When

RESULTS = {"A": "A", "B": "B", "draw": "=", "abandoned": "x", "unfinished": "-"}
UNFINISHED = "unfinished"
"""How results are called, and how the store writes them."""

_NAMES = {end: name for name, end in RESULTS.items()}


def thinking(times: str) -> list[int | None]:
    """Of a game's `times`: for each move, ms since the move before, or since the game began.

    None where one of the two was not heard, or where the times run backwards: earlier versions
    kept such.
    """
    if not times:
        return []
    if times[0] != "," and times[-1] != "," and ",," not in times:
        heard = list(map(int, times.split(",")))
        thought = [heard[0], *map(sub, heard[1:], heard)]
        if min(thought) >= 0:
            return list(thought)
    moved = [0, *(int(time) if time else None for time in times.split(","))]
    return [
        None if now is None or before is None or now < before else now - before
        for before, now in pairwise(moved)
    ]


@dataclass(frozen=True)
class Field:
    """What is shown of a game, as one value in JSON and as one or more columns of an export."""

    name: str
    kind: str
    """`int`, `str`, `id` (hex digits), `release`, `moment` (ms since 1970, UTC)."""
    meaning: str
    """For help and metadata, with the unit."""
    value: Callable[[StoredGame], Any] | None = None
    """By default the attribute. A list, where there are `columns`."""
    columns: tuple[str, ...] = ()
    """What an export calls the values of a list, as many as there may be."""


def _stored(sql: str, *fields: Field) -> Any:
    """An attribute: how SQL reads it (nothing: from the board's boot), and what is shown of it."""
    return dataclasses.field(metadata={"sql": sql, "fields": fields})


def _mistakes_of(player: str) -> Callable[[StoredGame], int]:
    return lambda game: sum(game.player(ply) == player for ply in mistakes(game.moves))


_PLIES = range(1, 10)


@dataclass(frozen=True)
class StoredGame:
    """A game of the store; see `sentences.Game` for what the board tells.

    Moments are ms since 1970, UTC; None where nobody looked at a clock. Of `boots` are what the
    board said of itself when it started; None if that was not heard.
    """

    id: int = _stored("games.id", Field("game", "int", "its number in the store"))
    board: str = _stored(
        "boards.name",
        Field(
            "board",
            "str",
            "usb- and the USB serial number, radio- and its id, else the port or the log's file",
        ),
    )
    name: str | None = _stored(
        "given_name", Field("board_name", "str", "what people call it, see `noughts boards`")
    )
    boot: str = _stored(
        "games.boot", Field("boot", "id", "the id of the board's run, eight hex digits")
    )
    number: int = _stored(
        "number", Field("number", "int", "the board's own count of games since that boot")
    )
    seats: str = _stored(
        "seats",
        Field(
            "seats",
            "str",
            f"who was player A, and player B: {SEATS_MEANING}",
            columns=("seat_a", "seat_b"),
        ),
    )
    first: str = _stored("first", Field("first", "str", "who began: A or B"))
    end: str = _stored(
        "end",
        Field(
            "result",
            "str",
            "A or B (who won), draw, abandoned, unfinished",
            lambda game: game.result,
        ),
    )
    started: int | None = _stored("started", Field("started", "moment", "when it began, if known"))
    played_before: int | None = _stored(
        "played_before",
        Field(
            "played_before",
            "moment",
            "of a game told late, without a start: a moment at which it was over",
        ),
    )
    heard: int | None = _stored(
        "games.heard",
        Field("heard", "moment", "when it was last heard of, live or else to be over, if known"),
    )
    by_radio: int = _stored(
        "by_radio",
        Field("by_radio", "int", "1 if how it went on is known from the radio alone, else 0"),
    )
    ms: int = _stored("ms", Field("ms", "int", "how long it was played, in milliseconds"))
    hardware: str | None = _stored(
        "", Field("hardware", "str", "V1 or V2; none if the board's start was not heard")
    )
    release: str | None = _stored(
        "", Field("release", "release", "the game's release on the board, as it says")
    )
    table_id: str | None = _stored(
        "", Field("table_id", "id", "the id of the chip's table, four hex digits")
    )
    moves: str = _stored(
        "moves",
        Field("plies", "int", "how many moves were made", lambda game: len(game.moves)),
        Field("mistakes_a", "int", "moves of A that gave away a win or a draw", _mistakes_of("A")),
        Field("mistakes_b", "int", "the same of B", _mistakes_of("B")),
        Field(
            "moves",
            "int",
            "the cell of each move, 0 to 8",
            lambda game: list(map(int, game.moves)),
            tuple(f"move_{ply}" for ply in _PLIES),
        ),
    )
    """Cells 0 to 8."""
    times: str = _stored(
        "times",
        Field(
            "thought_ms",
            "int",
            "ms from the move before (or the start) to each move",
            lambda game: game.thought_ms,
            tuple(f"ms_{ply}" for ply in _PLIES),
        ),
    )
    """For each move, ms since the game began; empty if not heard."""

    @property
    def result(self) -> str:
        """One of `RESULTS`."""
        return _NAMES[self.end]

    @property
    def when(self) -> When:
        """When it was played."""
        return When(self.started, self.played_before)

    @property
    def called(self) -> str:
        """The board as people know it."""
        return called(self.board, self.name)

    @cached_property
    def thought_ms(self) -> list[int | None]:
        """For each move, ms since the move before, or since the game began."""
        return thinking(self.times) if self.times else [None] * len(self.moves)

    def player(self, ply: int) -> str:
        """Who makes the move of this number, the first being 0: A or B."""
        return player_of(self.first, ply)


_ATTRIBUTES = dataclasses.fields(StoredGame)

SQL = {each.name: each.metadata["sql"] for each in _ATTRIBUTES if each.metadata["sql"]}
"""By attribute, what SQL calls it, with `games` joined to `boards`."""

FIELDS: tuple[tuple[Field, Callable[[StoredGame], Any]], ...] = tuple(
    (field, field.value or attrgetter(attribute.name))
    for attribute in _ATTRIBUTES
    for field in attribute.metadata["fields"]
)
"""What is shown, in this order, each with what gives its value."""
