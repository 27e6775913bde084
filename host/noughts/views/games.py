"""A list of games, as people read it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from noughts.protocol.describe import opponents, seated, won
from noughts.store.stored_game import StoredGame
from noughts.views.table import Table, Value, number, text


@dataclass(frozen=True)
class GameRow:
    """A stored game in a list."""

    number: int
    began: str
    player_a: str
    player_b: str
    opponents: str
    """Both in words: `person against hard`."""
    first: str
    """A or B."""
    moves: int
    seconds: int
    result: str
    board: str


def game_row(game: StoredGame) -> GameRow:
    """The view of a stored game."""
    return GameRow(
        game.id,
        str(game.when),
        seated(game.seats[0]),
        seated(game.seats[1]),
        opponents(game.seats),
        game.first,
        len(game.moves),
        round(game.ms / 1000),
        won(game.result),
        game.called,
    )


def games_table(games: Iterable[StoredGame]) -> Table:
    """A row for each game, which begins with its number."""
    columns = (
        text("game", "Game"),
        text("began", "Began"),
        text("result", "Result"),
        text("opponents", "A against B"),
        text("first", "First"),
        number("moves", "Moves"),
        number("seconds", "Seconds"),
        text("board", "Board"),
    )
    rows: list[tuple[Value, ...]] = [
        (
            str(row.number),
            row.began,
            row.result,
            row.opponents,
            row.first,
            row.moves,
            row.seconds,
            row.board,
        )
        for row in map(game_row, games)
    ]
    return Table("Games, the newest first", columns, rows)
