"""A list of games, as people read it."""

from collections.abc import Iterable

from noughts.protocol.describe import seated, won
from noughts.store.stored_game import StoredGame
from noughts.views.table import Table, Value, number, text


def games_table(games: Iterable[StoredGame]) -> Table:
    """A row for each game, which begins with its number."""
    rows: list[tuple[Value, ...]] = [
        (
            str(game.id),
            str(game.when),
            *map(seated, game.seats),
            game.first,
            len(game.moves),
            round(game.ms / 1000),
            won(game.result),
            game.called,
        )
        for game in games
    ]
    columns = (
        number("game"),
        *map(text, ("began", "A", "B", "first")),
        *map(number, ("moves", "seconds")),
        *map(text, ("result", "board")),
    )
    return Table("Games, the newest first", columns, rows)
