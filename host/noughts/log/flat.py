"""Games as a flat table: a row each, with columns that no spreadsheet misreads.

Ids are written `0x1E10`, for 1E10 would be read as a number; moves stand in columns of their own,
for 0451 would lose its zero.
"""

from __future__ import annotations

from dataclasses import dataclass

from noughts.log.games import StoredGame
from noughts.review import mistakes


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
    Column("release", "str", "the game's release on the board"),
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


def row(game: StoredGame) -> tuple[Value, ...]:
    """A game's values; moments are ms since 1970, UTC."""
    players = [game.player(ply) for ply in mistakes(game.moves)]
    blanks = [None] * (9 - len(game.moves))
    return (
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
        game.release,
        None if game.table_id is None else f"0x{game.table_id}",
        players.count("A"),
        players.count("B"),
        *map(int, game.moves),
        *blanks,
        *game.thought_ms,
        *blanks,
    )
