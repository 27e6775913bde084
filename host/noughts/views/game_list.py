"""Stored games: a choice of them in words, and lists."""

from collections.abc import Iterable
from dataclasses import replace
from datetime import date

from noughts.protocol.describe import opponents, seated, won
from noughts.store.game_filter import GameFilter
from noughts.store.stored_game import RESULTS, StoredGame
from noughts.views.table import Table, Value, numbers, texts

_HALF_DAY_MS = 43_200_000
MOVED = GameFilter(moved=True)
"""The games that people choose from: all in which somebody has moved."""


def listable(game_filter: GameFilter) -> GameFilter:
    """The filter for a list, which has unfinished games only if they are chosen."""
    ended = tuple(result for result, end in RESULTS.items() if end != "-")
    return replace(game_filter, results=game_filter.results or ended)


def days(game_filter: GameFilter) -> dict[str, date]:
    """The first and the last day of a filter, `since` and `until`, if it has them."""
    first_and_last = {}
    # By their noons: if clocks go forward at midnight, that day has no midnight.
    if game_filter.since is not None:
        first_and_last["since"] = date.fromtimestamp((game_filter.since + _HALF_DAY_MS) / 1000)
    if game_filter.until is not None:
        first_and_last["until"] = date.fromtimestamp((game_filter.until - _HALF_DAY_MS) / 1000)
    return first_and_last


def describe(game_filter: GameFilter) -> str:
    """The choice in words; empty for all games."""
    words = []
    if game_filter.boards:
        words.append(
            f"boards with {' or '.join(map(repr, game_filter.boards))} in their name or USB id"
        )
    if game_filter.seats:
        words.append(opponents(game_filter.seats))
    if game_filter.results:
        words.append(" or ".join(map(won, game_filter.results)))
    words += [f"{name} {day}" for name, day in days(game_filter).items()]
    return ", ".join(words)


def games_table(games: Iterable[StoredGame]) -> Table:
    """One row per game, which begins with its number."""
    rows: list[tuple[Value, ...]] = [
        (
            str(game.id),
            str(game.when),
            *map(seated, game.seats),
            game.first,
            len(game.moves),
            round(game.ms / 1000),
            won(game.result),
            game.display_name,
        )
        for game in games
    ]
    columns = [
        *numbers(game="game"),
        *texts(began="began", A="A", B="B", first="first"),
        *numbers(moves="moves", seconds="seconds"),
        *texts(result="result", board="board"),
    ]
    return Table(
        "Games, the newest first",
        columns,
        rows,
        minor=frozenset(["A", "B", "first", "moves", "seconds"]),
    )
